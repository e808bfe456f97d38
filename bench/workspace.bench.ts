/** Files, search, processes, work trees and merging against the bare tools, in one run. */
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import { mapLimit, systemClock } from "../src/kernel/index.ts";
import { createSandbox, keptRepository, openWorkspace, type Workspace } from "../src/workspace/index.ts";
import { createPathBoundary } from "../src/workspace/files/path-boundary.ts";
import { mergeText } from "../src/code/merge/merge-text.ts";
import { defaultSandboxPolicy } from "../test/support/sandbox-policy.ts";
import { treeOf } from "../src/workspace/process/process-tree.ts";
import { mergeLines } from "../test/support/merge-lines.ts";
import { MERGE_SCENARIOS } from "../test/support/merge-scenarios.ts";
import { inTempDir, median, timed } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const exec = promisify(execFile);
const ROUNDS = 15;
const REPO_FILES = 3_000;
const TREES = 50;
const PATHS = 100_000;

const open = (root: string, sandboxed = false): Workspace =>
  openWorkspace({
    root,
    gate: { decide: () => Promise.resolve({ kind: "allow", rule: "bench" }) },
    redact: (text) => text,
    clock: systemClock,
    sandbox: sandboxed ? createSandbox({ policy: defaultSandboxPolicy, home: "/nonexistent", env: {}, clock: systemClock }) : undefined,
  });

/** Two ways of doing the same, taken in turns so that a busy moment hits both. */
async function versus(ours: () => unknown, bare: () => unknown, rounds = ROUNDS): Promise<{ ours: number; bare: number; ratio: number }> {
  const mine: number[] = [];
  const other: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    other.push(await timed(bare));
    mine.push(await timed(ours));
  }
  return { ours: median(mine), bare: median(other), ratio: median(mine) / median(other) };
}

const row = (name: string, result: { ours: number; bare: number; ratio: number }, what: string, limit?: number): BenchRow => ({
  name,
  value: result.ratio,
  unit: "x",
  target: limit === undefined ? undefined : `<= ${limit}x`,
  met: limit === undefined ? undefined : result.ratio <= limit,
  note: `${result.ours.toFixed(2)} ms, ${what} ${result.bare.toFixed(2)} ms`,
});

function makeRepo(root: string): void {
  for (let i = 0; i < REPO_FILES; i += 1) {
    const dir = path.join(root, `pkg${i % 30}`, `mod${i % 7}`);
    mkdirSync(dir, { recursive: true });
    const lines = Array.from({ length: 60 }, (_, n) =>
      n % 20 === 7 && i % 10 === 0 ? `  needle_${n}(${i});` : `export const value_${i}_${n} = ${i * n};`,
    );
    writeFileSync(path.join(dir, `file${i}.ts`), `${lines.join("\n")}\n`);
  }
}

async function files(dir: string): Promise<BenchRow[]> {
  const root = path.join(dir, "files");
  mkdirSync(root);
  const text = `${Array.from({ length: 1_000 }, (_, i) => `line ${i} of an ordinary source file`).join("\n")}\n`;
  const file = path.join(root, "a.ts");
  writeFileSync(file, text);
  const workspace = open(root);
  let n = 0;
  const read = await versus(
    () => workspace.files.read({ path: "a.ts" }),
    () => readFile(file, "utf8"),
    60,
  );
  const edit = await versus(
    () => {
      n += 1;
      return workspace.files.apply([
        {
          kind: "edit",
          path: "a.ts",
          edits: [{ find: n % 2 === 1 ? "line 500 of" : "LINE 500 of", replace: n % 2 === 1 ? "LINE 500 of" : "line 500 of" }],
        },
      ]);
    },
    async () => writeFile(file, await readFile(file), { flush: true }),
    60,
  );
  return [
    row("read 1,000 lines, numbered and hashed", read, "bare read"),
    row("one exact edit of that file, checked and atomic", edit, "read + flushed write"),
  ];
}

async function search(root: string): Promise<BenchRow[]> {
  const workspace = open(root);
  const bare = (pattern: string): Promise<void> =>
    new Promise((resolve) => {
      const child = spawn(rgPath, ["--line-number", "--hidden", pattern, "./"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
      child.stdout.resume();
      child.once("close", () => resolve());
    });
  const few = await versus(
    () => workspace.search.grep({ pattern: "needle_27\\(10" }),
    () => bare("needle_27\\(10"),
    25,
  );
  const many = await versus(
    () => workspace.search.grep({ pattern: "value_\\d+_3 " }),
    () => bare("value_\\d+_3 "),
    25,
  );
  return [
    row("search, few matches in 3,000 files", few, "bare ripgrep", 1.2),
    row("search, 3,000 matches, 200 listed with totals", many, "bare ripgrep", 1.2),
  ];
}

async function processes(dir: string): Promise<BenchRow[]> {
  const root = path.join(dir, "processes");
  mkdirSync(root);
  const workspace = open(root);
  const sandboxed = open(root, true);
  await sandboxed.processes.run({ command: ["true"] });
  const bare = (): Promise<void> =>
    new Promise((resolve) => {
      spawn("true", { stdio: ["ignore", "pipe", "pipe"] }).once("close", () => resolve());
    });
  const run = await versus(() => workspace.processes.run({ command: ["true"] }), bare, 40);
  const boxed = await versus(() => sandboxed.processes.run({ command: ["true"] }), bare, 40);
  const against = await versus(
    () => sandboxed.processes.run({ command: ["true"] }),
    () => workspace.processes.run({ command: ["true"] }),
    40,
  );
  writeFileSync(
    path.join(root, "stubborn.cjs"),
    `for (const s of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(s, () => {}); const d = Number(process.argv[2]);
     if (d > 0) require("node:child_process").spawn(process.execPath, [__filename, String(d - 1)], { stdio: "inherit", detached: d === 2 }); else console.log("up"); setInterval(() => {}, 1000);`,
  );
  const cancel = new AbortController();
  let mark = "";
  let stopping = 0;
  await workspace.processes.run({
    command: `echo $SYLK_INVOCATION; exec "${process.execPath}" stubborn.cjs 4`,
    signal: cancel.signal,
    onOutput: ({ text }) => {
      if (text !== "up") mark = text;
      else {
        stopping = performance.now();
        cancel.abort();
      }
    },
  });
  const seconds = (performance.now() - stopping) / 1_000;
  const orphans = (await treeOf(-1, mark)).length;
  return [
    row("start and end of a command", run, "bare spawn"),
    row("the same inside the sandbox", boxed, "bare spawn"),
    row("a sandboxed `true`", against, "unsandboxed", 4),
    {
      name: "a tree of depth 4 that ignores SIGTERM is gone after",
      value: seconds,
      unit: "s",
      target: "<= 9 s",
      met: seconds <= 9 && orphans === 0,
      note: `${orphans} orphans`,
    },
  ];
}

/** In memory where there is room: a shared disk has good and bad minutes that would drown what is measured. */
function quietFolder(fallback: string): string {
  const shm = "/dev/shm";
  const room = existsSync(shm) ? statfsSync(shm) : undefined;
  return room !== undefined && room.bavail * room.bsize > 4 * 1024 ** 3 ? mkdtempSync(path.join(shm, "sylk-bench-")) : fallback;
}

async function workTrees(disk: string): Promise<BenchRow[]> {
  const dir = quietFolder(disk);
  const root = path.join(dir, "repo");
  if (dir !== disk) makeRepo(root);
  try {
    return await compareWorkTrees(dir, root);
  } finally {
    if (dir !== disk) rmSync(dir, { recursive: true, force: true });
  }
}

async function compareWorkTrees(dir: string, root: string): Promise<BenchRow[]> {
  const git = (...args: string[]): Promise<unknown> => exec("git", ["-c", "user.name=B", "-c", "user.email=b@b", ...args], { cwd: root });
  mkdirSync(path.join(root, "node_modules/dep"), { recursive: true });
  writeFileSync(path.join(root, "node_modules/dep/index.js"), "x".repeat(1_000_000));
  writeFileSync(path.join(root, ".gitignore"), "node_modules/\n");
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-qm", "first");
  const numbers = Array.from({ length: TREES }, (_, i) => i);
  const used = async (folder: string): Promise<number> => Number((await exec("du", ["-sm", folder])).stdout.split("\t")[0]);
  // Git trips over work trees that are being made at the same moment; the bare way has to try again.
  let repeated = 0;
  const add = async (target: string, i: number): Promise<unknown> => {
    try {
      return await git("worktree", "add", "-q", "-f", "-B", `bare/${path.basename(target)}-${i}`, path.join(target, String(i)));
    } catch (error) {
      repeated += 1;
      if (repeated > 10 * TREES) throw error;
      return add(target, i);
    }
  };
  const bare = (round: number): Promise<unknown> => Promise.all(numbers.map((i) => add(path.join(dir, `bare${round}`), i)));
  const ours = async (round: number): Promise<void> => {
    const repository = await keptRepository({ root, stateDir: path.join(dir, `ours${round}`), clock: systemClock })();
    const { commit } = await repository.snapshot({ message: "base" });
    await Promise.all(numbers.map((i) => repository.createWorkTree({ id: `w${round}-${i}`, base: commit })));
  };
  // The best of three turns each, order changing.
  const times: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  const disk: { bare: number; ours: number } = { bare: 0, ours: 0 };
  for (let round = 0; round < 3; round += 1) {
    const turns = { bare: () => bare(round), ours: () => ours(round) };
    for (const which of round === 1 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      times[which].push(await timed(turns[which]));
      disk[which] = await used(path.join(dir, `${which}${round}`));
      await exec("rm", ["-rf", path.join(dir, `${which}${round}`)]);
      await git("worktree", "prune");
    }
  }
  const [ourMs, bareMs] = [Math.min(...times.ours), Math.min(...times.bare)];
  const ratio = ourMs / bareMs;
  return [
    {
      name: `${TREES} work trees of ${REPO_FILES} files in parallel`,
      value: ratio,
      unit: "x",
      target: "<= 2x",
      met: ratio <= 2,
      note: `${(ourMs / 1_000).toFixed(1)} s, bare git worktree add ${(bareMs / 1_000).toFixed(1)} s, ${repeated} of them repeated`,
    },
    {
      name: "disk used by them",
      value: disk.ours,
      unit: "MB",
      note: `bare ${disk.bare} MB; the 1 MB of dependencies is linked, not copied`,
    },
  ];
}

async function merging(): Promise<BenchRow[]> {
  let clean = 0;
  let wrong = 0;
  let gitClean = 0;
  const times: number[] = [];
  for (const { file, base, ours, theirs, merged } of MERGE_SCENARIOS) {
    const start = performance.now();
    const result = await mergeText({ path: file, base, ours, theirs }, mergeLines);
    times.push(performance.now() - start);
    if (result.kind === "merged") {
      clean += 1;
      if (result.text !== merged) wrong += 1;
    }
    if ((await mergeLines(base, ours, theirs))?.hunks.length === 0) gitClean += 1;
  }
  return [
    {
      name: `merge: clean of ${MERGE_SCENARIOS.length} two-sided edits`,
      value: clean / gitClean,
      unit: "x",
      target: ">= 2x git",
      met: clean >= 2 * gitClean,
      note: `${clean} clean, git merge-file ${gitClean}`,
    },
    { name: "merge: wrong results", value: wrong, unit: "", target: "0", met: wrong === 0 },
    { name: "merge: one file", value: median(times), unit: "ms" },
  ];
}

/** Random paths against what the system itself says about them. */
async function pathChecks(dir: string): Promise<BenchRow[]> {
  const root = path.join(realpathSync(dir), "app");
  for (const sub of ["app/src/deep", "app-evil", "outside/dir"]) mkdirSync(path.join(dir, sub), { recursive: true });
  for (const [target, name] of [
    ["../outside", "out"],
    ["..", "up"],
    ["/", "slash"],
    ["src", "inner"],
    ["up/outside", "chain"],
    ["../../app-evil", "src/evil"],
    ["nowhere", "dangling"],
  ] as const)
    symlinkSync(target, path.join(root, name));
  const boundary = createPathBoundary({ root });
  const parts = [
    "..",
    ".",
    "src",
    "deep",
    "out",
    "up",
    "slash",
    "inner",
    "chain",
    "evil",
    "dangling",
    "app",
    "app-evil",
    "outside",
    "dir",
    "new",
    "",
    "a b",
    "..\\",
    "%2e%2e",
    "...",
    "\u2025",
  ];
  const heads = ["", "/", "./", "../", `${root}/`, `${root}-evil/`, `${realpathSync(dir)}/`];
  let seed = 42;
  const pick = <T>(list: readonly T[]): T => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return list[(seed >>> 8) % list.length] as T;
  };
  const inputs = Array.from(
    { length: PATHS },
    () => pick(heads) + Array.from({ length: pick([0, 1, 2, 3, 4, 5, 6, 7]) }, () => pick(parts)).join("/"),
  );
  let escapes = 0;
  let inside = 0;
  const ms = await timed(() =>
    mapLimit(inputs, 16, async (input) => {
      const found = await boundary.resolve(input);
      if (found.kind === "outside") return;
      inside += 1;
      let at = found.absolute;
      while (!existsSync(at)) at = path.dirname(at);
      const real = realpathSync.native(at);
      if (real !== at || !(real === root || real.startsWith(`${root}/`))) escapes += 1;
    }),
  );
  return [
    {
      name: `path checks: escapes in ${PATHS.toLocaleString("en")} generated paths`,
      value: escapes,
      unit: "",
      target: "0",
      met: escapes === 0,
      note: `${inside.toLocaleString("en")} inside, ${Math.round((PATHS / ms) * 1_000).toLocaleString("en")} per second`,
    },
  ];
}

export async function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const root = path.join(dir, "repo");
    makeRepo(root);
    return [
      ...(await files(dir)),
      ...(await search(root)),
      ...(await processes(dir)),
      ...(await workTrees(dir)),
      ...(await merging()),
      ...(await pathChecks(dir)),
    ];
  });
}
