/**
 * Runs lines the guard allowed in real shells and looks whether anything forbidden happened: a program ran
 * that no list names, a file outside the project changed, or its contents or the environment were printed.
 * The shells themselves decide what a line means; the guard must not differ.
 */
import { execFile, spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { decideShellLine } from "../../src/guard/permissions/decide-command.ts";
import { NO_RULES } from "../../src/guard/permissions/rules.ts";
import { FILE_COMMANDS, SAFE_COMMANDS } from "../../src/guard/permissions/safe-lists.ts";
import type { PermissionContext } from "../../src/guard/permissions/types.ts";
import { SHELLS, WRAPPERS } from "../../src/guard/shell/wrappers.ts";
import { seededRandom } from "./random.ts";
import { shellLine } from "./shell-lines.ts";
import { shippedRole } from "../support/shipped-roles.ts";

export interface FuzzReport {
  generated: number;
  allowed: number;
  /** Lines that were allowed and did harm. */
  escapes: string[];
  /** Every program the system started, when it could be traced. */
  programs: string[] | undefined;
}

/** Programs a line may start where nothing of the project may run: those the guard's lists name. Whatever else runs was smuggled in. */
export const LISTED: ReadonlySet<string> = new Set([
  ...SAFE_COMMANDS.filter((one) => one.class === "inspect").map(({ command }) => command.split(" ")[0] as string),
  ...Object.keys(FILE_COMMANDS),
  ...Object.keys(WRAPPERS),
  ...SHELLS,
  "git",
]);

/** Stands in files outside and in the environment; an allowed line never prints it. */
const PRIVATE = "q7Z";

/**
 * Reads lines separated by NUL; prints the number of each line after which something forbidden happened.
 * Inside a line PATH holds the listed programs; every other name known to the machine is a recorder.
 */
const DRIVER = `
cd "$1" || exit 3
export HOME="$1/home" MARK="$1/mark" PLANTED=${PRIVATE}environment
check() { read -r p <home/precious && [ "$p" = ${PRIVATE}precious ] && read -r c <outside/canary && [ "$c" = ${PRIVATE}canary ] && [ ! -e mark ] && [ ! -e outside/npm ] && { [ ! -s out ] || case $(tr -d '\\0' <out) in *${PRIVATE}*) false;; esac; }; } 2>/dev/null
n=0
fresh=
while IFS= read -r -d '' line; do
  n=$((n+1))
  for shell in bash sh; do
    [ -n "$fresh" ] || { rm -rf project; cp -a template project; }
    case $line in *">"*|*cp*|*mv*|*rm*|*tee*|*touch*|*mkdir*) fresh= ;; *) fresh=1 ;; esac
    ( cd project && ulimit -t 3 && PATH="$1/bin:$2" exec "/bin/$shell" -c "$line" ) </dev/null >out 2>/dev/null
    if ! check; then
      echo "$n"
      rm -rf mark home outside; mkdir home outside; echo ${PRIVATE}precious >home/precious; echo ${PRIVATE}canary >outside/canary
    fi
  done
done <lines
wait
[ ! -e mark ] || echo late
`;

/** Writes where its options tell it to, as the real one does, without taking its time. */
const NPM = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --[cC][aA]*=*|--logs-dir=*|--prefix=*|--userconfig=*) mkdir -p "\${1#*=}" && echo npm >>"$MARK" ;;
    --[cC][aA]*|--logs-dir|--prefix|-C|--userconfig|--globalconfig) echo npm >>"$MARK"; shift ;;
    --script-shell=*|--git=*) echo npm >>"$MARK" ;;
    --) break ;;
  esac
  shift
done
`;

function program(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

/** One folder for all lanes: listed programs as they are, all other names of this machine as recorders. */
function plantPrograms(folder: string): void {
  mkdirSync(folder, { recursive: true });
  program(path.join(folder, "recorder"), '#!/bin/sh\necho "$0" >>"$MARK"\n');
  program(path.join(folder, "npm"), NPM);
  for (const place of (process.env["PATH"] ?? "").split(":").filter((p) => path.isAbsolute(p) && existsSync(p))) {
    for (const name of readdirSync(place)) {
      const at = path.join(folder, name);
      if (existsSync(at)) continue;
      try {
        accessSync(path.join(place, name), constants.X_OK);
        symlinkSync(LISTED.has(name) ? path.join(place, name) : "recorder", at);
      } catch {
        // Not a program, or a broken link.
      }
    }
  }
}

function plant(root: string): void {
  for (const folder of ["home", "outside", "bin", "template/src", "template/dir"]) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, "home/precious"), `${PRIVATE}precious\n`);
  writeFileSync(path.join(root, "outside/canary"), `${PRIVATE}canary\n`);
  writeFileSync(path.join(root, "template/src/a.ts"), "one\ntwo\n");
  writeFileSync(path.join(root, "template/data.json"), '{"a": 1}\n');
  symlinkSync("../../outside/canary", path.join(root, "template/dir/notes"));
  symlinkSync("../outside", path.join(root, "template/linked"));
  for (const file of ["bin/evil", "template/evil"]) program(path.join(root, file), '#!/bin/sh\necho ran >>"$MARK"\n');
}

const TRACER = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve", "-o"] as const;

/** False where processes cannot be traced. */
const CAN_TRACE = spawnSync(TRACER[0], [...TRACER.slice(1), "/dev/null", "true"], { stdio: "ignore" }).status === 0;

/** Names of the programs that a trace says were started. npm is a script that Node runs; that is npm. */
function startedIn(trace: string): string[] {
  return [...trace.matchAll(/execve\("([^"]*)", \["[^"]*"(?:, "([^"]*)")?.*\) = 0$/gm)].map(([, file = "", first = ""]) => {
    const name = path.basename(file);
    return name === "node" && path.basename(first) === "npm" ? "npm" : name;
  });
}

interface Ran {
  bad: string[];
  programs: string[] | undefined;
}

/** Runs lines one after the other in a place of their own. */
async function runLines(root: string, programs: string, lines: readonly string[], how: { traced: boolean }): Promise<Ran> {
  plant(root);
  writeFileSync(path.join(root, "lines"), lines.map((line) => `${line}\0`).join(""));
  const trace = path.join(root, "trace");
  // Started from a socket, bash would read the start files of whoever runs the tests.
  const argv = ["bash", "--norc", "--noprofile", "-c", DRIVER, "driver", root, programs];
  const traced = how.traced && CAN_TRACE;
  const [command = "", ...args] = traced ? [...TRACER, trace, ...argv] : argv;
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(command, args, { encoding: "utf8", maxBuffer: 1 << 26 }, (error, out) =>
      error === null ? resolve(out) : reject(error),
    );
    child.stdin?.end();
  });
  const bad = new Set(output.split("\n").filter((n) => n !== ""));
  return {
    bad: [...bad].map((n) => lines[Number(n) - 1] ?? `after line ${n}`),
    programs: traced ? startedIn(readFileSync(trace, "utf8")) : undefined,
  };
}

export async function fuzzShell(options: { seed: number; cases: number; traced: boolean }): Promise<FuzzReport> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-fuzz-")));
  try {
    plant(root);
    plantPrograms(path.join(root, "programs"));
    const context: PermissionContext = {
      role: shippedRole("engineer"),
      cwd: path.join(root, "template"),
      roots: [path.join(root, "template")],
      rules: { layers: [{ scope: "project", rules: NO_RULES }], allowModifyEnv: false, allowModifyGitignore: false },
      buildsAreSafe: false,
      useSafeLists: true,
      home: path.join(root, "home"),
      closed: [],
    };
    const random = seededRandom(options.seed);
    const allowed = new Set<string>();
    for (let i = 0; i < options.cases; i += 1) {
      const line = shellLine(random);
      if (decideShellLine(context, line).kind === "allow") allowed.add(line);
    }
    const lines = [...allowed];
    const lanes = availableParallelism();
    const ran = await Promise.all(
      Array.from({ length: lanes }, (_v, lane) =>
        runLines(
          path.join(root, `lane${lane}`),
          path.join(root, "programs"),
          lines.filter((_line, i) => i % lanes === lane),
          options,
        ),
      ),
    );
    return {
      generated: options.cases,
      allowed: lines.length,
      escapes: ran.flatMap(({ bad }) => bad),
      programs: ran[0]?.programs === undefined ? undefined : [...new Set(ran.flatMap(({ programs }) => programs ?? []))],
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What the oracle must notice, and what it must not mind: without this the fuzzing would prove nothing. */
export const PLANTED_HARM: readonly { line: string; harm: boolean }[] = [
  { line: "true", harm: false },
  { line: "evil", harm: true },
  { line: "ls; cat src/a.ts", harm: false },
  { line: "echo x > ~/precious", harm: true },
  { line: "rm ../outside/canary", harm: true },
  { line: "ls; (sleep 0; evil)", harm: true },
  { line: "perl -e 1", harm: true },
  { line: "echo hi | xargs --replace ./evil echo x", harm: true },
  { line: "cat dir/*", harm: true },
  { line: "find -L . -type f -exec cat {} +", harm: true },
  { line: "echo $PLANTED", harm: true },
  { line: "npm ls --cache=../outside/npm", harm: true },
  { line: "npm ls --json", harm: false },
];

/** The planted lines during which harm was seen. */
export async function harmSeen(): Promise<string[]> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-fuzz-")));
  try {
    plantPrograms(path.join(root, "programs"));
    const lines = PLANTED_HARM.map(({ line }) => line);
    return (await runLines(path.join(root, "lane"), path.join(root, "programs"), lines, { traced: false })).bad;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
