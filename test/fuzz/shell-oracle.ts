/**
 * Runs lines the guard allowed in real shells and looks whether the forbidden program ran or a file
 * outside the project changed. The shells themselves decide what a line means; the guard must not differ.
 */
import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { decideShellLine } from "../../src/guard/permissions/decide-command.ts";
import { NO_RULES } from "../../src/guard/permissions/rules.ts";
import type { PermissionContext } from "../../src/guard/permissions/types.ts";
import { seededRandom, shellLine } from "./shell-lines.ts";

export interface FuzzReport {
  generated: number;
  allowed: number;
  /** Lines that were allowed and did harm. */
  escapes: string[];
}

/** Reads lines separated by NUL; prints the number of each line after which something forbidden happened. */
const DRIVER = `
cd "$1" || exit 3
export HOME="$1/home" PATH="$1/bin:$PATH" MARK="$1/mark"
check() { read -r p <home/precious && [ "$p" = precious ] && read -r c <outside/canary && [ "$c" = canary ] && [ ! -e mark ]; } 2>/dev/null
n=0
fresh=
while IFS= read -r -d '' line; do
  n=$((n+1))
  for shell in bash sh; do
    [ -n "$fresh" ] || { rm -rf project; cp -a template project; }
    case $line in *">"*|*cp*|*mv*|*rm*|*tee*|*touch*|*mkdir*) fresh= ;; *) fresh=1 ;; esac
    ( cd project && ulimit -t 3 && exec "$shell" -c "$line" ) </dev/null >/dev/null 2>&1
    if ! check; then
      echo "$n"
      rm -rf mark home outside; mkdir home outside; echo precious >home/precious; echo canary >outside/canary
    fi
  done
done <lines
wait
[ ! -e mark ] || echo late
`;

function plant(root: string): void {
  for (const folder of ["home", "outside", "bin", "template/src"]) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, "home/precious"), "precious\n");
  writeFileSync(path.join(root, "outside/canary"), "canary\n");
  writeFileSync(path.join(root, "template/src/a.ts"), "one\ntwo\n");
  for (const file of ["bin/evil", "template/evil"]) {
    writeFileSync(path.join(root, file), '#!/bin/sh\necho ran >>"$MARK"\n');
    chmodSync(path.join(root, file), 0o755);
  }
}

/** Runs lines one after the other in a place of their own; returns those that did harm. */
async function harmful(root: string, lines: readonly string[]): Promise<string[]> {
  plant(root);
  writeFileSync(path.join(root, "lines"), lines.map((line) => `${line}\0`).join(""));
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile("bash", ["-c", DRIVER, "driver", root], { encoding: "utf8", maxBuffer: 1 << 26 }, (error, out) =>
      error === null ? resolve(out) : reject(error),
    );
    child.stdin?.end();
  });
  const bad = new Set(output.split("\n").filter((n) => n !== ""));
  return [...bad].map((n) => lines[Number(n) - 1] ?? `after line ${n}`);
}

export async function fuzzShell(options: { seed: number; cases: number }): Promise<FuzzReport> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-fuzz-")));
  try {
    plant(root);
    const context: PermissionContext = {
      agentType: "engineer",
      cwd: path.join(root, "template"),
      roots: [path.join(root, "template")],
      rules: { layers: [{ scope: "project", rules: NO_RULES }], allowModifyEnv: false, allowModifyGitignore: false },
      buildsAreSafe: false,
      useSafeLists: true,
      home: path.join(root, "home"),
    };
    const random = seededRandom(options.seed);
    const allowed = new Set<string>();
    for (let i = 0; i < options.cases; i += 1) {
      const line = shellLine(random);
      if (decideShellLine(context, line).kind === "allow") allowed.add(line);
    }
    const lines = [...allowed];
    const lanes = availableParallelism();
    const escapes = await Promise.all(
      Array.from({ length: lanes }, (_v, lane) =>
        harmful(
          path.join(root, `lane${lane}`),
          lines.filter((_line, i) => i % lanes === lane),
        ),
      ),
    );
    return { generated: options.cases, allowed: lines.length, escapes: escapes.flat() };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** True when the planted program is really noticed: without this the fuzzing would prove nothing. */
export function oracleSeesHarm(): boolean {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-fuzz-")));
  try {
    plant(root);
    writeFileSync(
      path.join(root, "lines"),
      ["true", "evil", "ls", "echo x > ~/precious", "rm ../outside/canary", "ls; (sleep 0; evil)"].map((l) => `${l}\0`).join(""),
    );
    const seen = execFileSync("bash", ["-c", DRIVER, "driver", root], { encoding: "utf8" });
    return (
      [...new Set(seen.trim().split("\n"))].join(",") === "2,4,5,6" &&
      readFileSync(path.join(root, "home/precious"), "utf8") === "precious\n"
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
