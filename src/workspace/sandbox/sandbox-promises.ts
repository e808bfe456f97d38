/**
 * What the sandbox promises, each as an act that would break it. The same act is done outside, where it
 * must succeed: an act that fails everywhere proves nothing.
 */
import { existsSync, readlinkSync, rmSync, statSync } from "node:fs";
import path from "node:path";

/** Folders made for one trial. */
export interface Ground {
  root: string;
  /** A folder without `.git` and `.sylk`. */
  bare: string;
  outside: string;
  home: string;
  /** A work tree's folder in git, and the work tree. */
  tree: { path: string; admin: string } | undefined;
  /** A server on this machine. */
  port: number;
  wasReached: () => boolean;
}

export interface Act {
  name: string;
  /** Where it is done; the work folder when absent. */
  where?: keyof Pick<Ground, "root" | "bare"> | "tree";
  line: (ground: Ground) => string;
  /** It came out as an attacker wants it. */
  worked: (ground: Ground, said: string) => boolean;
  /** The attempt was made, whatever came of it; any run counts when absent. */
  tried?: (said: string) => boolean;
  /** As before the act. */
  undo?: (ground: Ground) => void;
  /** Why it cannot be told here. */
  unless?: (ground: Ground) => string | undefined;
}

export const SECRET = "only-the-person-reads-this";
/** Small, so that a trial takes neither long nor much. */
export const TRIAL_LIMITS = { memoryMb: 512, openFiles: 1_024, fileMb: 8, processes: 64, tempMb: 2 };

const wrote = (file: (ground: Ground) => string): Pick<Act, "worked" | "undo"> => ({
  worked: (ground) => existsSync(file(ground)),
  undo: (ground) => rmSync(file(ground), { force: true }),
});

function admin(ground: Ground, name: string): string {
  return path.join(ground.tree?.admin ?? "", name);
}

export const ACTS: readonly Act[] = [
  {
    name: "it cannot write elsewhere",
    line: ({ outside }) => `echo out > '${outside}/file.txt'`,
    ...wrote(({ outside }) => path.join(outside, "file.txt")),
  },
  {
    name: "it cannot read keys in the home folder",
    line: ({ home }) => `cat '${home}/.ssh/id_test'`,
    worked: (_ground, said) => said.includes(SECRET),
  },
  { name: "it cannot read secrets of the project", line: () => "cat .env", worked: (_ground, said) => said.includes(SECRET) },
  {
    name: "it cannot plant a git hook",
    line: () => "echo x > .git/hooks/pre-commit",
    ...wrote(({ root }) => path.join(root, ".git/hooks/pre-commit")),
  },
  {
    name: "it cannot make a repository where there is none",
    where: "bare",
    line: ({ home }) => `echo "gitdir: ${home}/.ssh" > .git`,
    ...wrote(({ bare }) => path.join(bare, ".git")),
  },
  {
    name: "it cannot make settings of Sylk where there are none",
    where: "bare",
    line: () => "mkdir -p .sylk && echo x > .sylk/config.yaml",
    worked: ({ bare }) => existsSync(path.join(bare, ".sylk/config.yaml")),
    undo: ({ bare }) => rmSync(path.join(bare, ".sylk"), { recursive: true, force: true }),
  },
  {
    name: "it cannot turn a work tree to another repository",
    where: "tree",
    unless: ({ tree }) => (tree === undefined ? "git is not there" : undefined),
    line: (ground) => `echo "$PWD" > '${admin(ground, "sylk-trial")}'; cat '${admin(ground, "commondir")}'`,
    ...wrote((ground) => admin(ground, "sylk-trial")),
  },
  {
    name: "it cannot reach this machine's servers",
    line: ({ port }) =>
      `'${process.execPath}' -e 'require("net").connect(${port}, "127.0.0.1").on("connect", () => { console.log("connected"); process.exit(0) }).on("error", () => { console.log("no connection"); process.exit(7) })'`,
    tried: (said) => said.includes("no connection"),
    worked: ({ wasReached }, said) => said.includes("connected\n") || wasReached(),
  },
  {
    name: "it sees only its own processes",
    line: () => "readlink /proc/self/ns/pid",
    unless: () => (process.platform === "linux" ? undefined : "only Linux can tell"),
    worked: (_ground, said) => said.includes(readlinkSync("/proc/self/ns/pid")),
  },
];

/** The same in both layers; tried in one. */
export const LIMIT_ACTS: readonly Act[] = [
  {
    name: "a file cannot grow without end",
    line: () => `head -c ${(TRIAL_LIMITS.fileMb + 1) * 1024 * 1024} /dev/zero > big.bin`,
    worked: ({ root }) => (statSync(path.join(root, "big.bin"), { throwIfNoEntry: false })?.size ?? 0) > TRIAL_LIMITS.fileMb * 1024 * 1024,
    undo: ({ root }) => rmSync(path.join(root, "big.bin"), { force: true }),
  },
  {
    name: "temporary files cannot fill the memory",
    line: () =>
      `f="\${TMPDIR:-/tmp}/sylk-trial-$$"; head -c ${(TRIAL_LIMITS.tempMb + 1) * 1024 * 1024} /dev/zero > "$f" && echo "all is written"; rm -f "$f"`,
    worked: (_ground, said) => said.includes("all is written"),
  },
  {
    name: "one process cannot take all memory",
    line: () =>
      `head -c ${(TRIAL_LIMITS.memoryMb + 100) * 1024 * 1024} /dev/zero | tail -c ${(TRIAL_LIMITS.memoryMb + 50) * 1024 * 1024} | wc -c`,
    worked: (_ground, said) => said.includes(String((TRIAL_LIMITS.memoryMb + 50) * 1024 * 1024)),
  },
  {
    name: "processes cannot multiply without end",
    line: () =>
      `i=0; while [ $i -lt ${TRIAL_LIMITS.processes + 20} ]; do sleep 30 >/dev/null 2>&1 & i=$((i+1)); done; echo "all have started"`,
    worked: (_ground, said) => said.includes("all have started"),
  },
];
