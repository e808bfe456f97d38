/** Memory: ground truth of a large repository, and the phase ring. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openApp } from "../test/support/lab.ts";
import { systemClock } from "../src/kernel/index.ts";
import { emptyRing, PhaseRing } from "../src/memory/phase-ring.ts";
import { inTempDir, median, timed } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const FILES = 5_000;
const never = new AbortController().signal;

function ring(): BenchRow[] {
  const data = { text: "x".repeat(1_000) };
  const one = new PhaseRing(emptyRing(7));
  const times = { push: [] as number[], get: [] as number[], rollback: [] as number[] };
  const clocked = (into: number[], work: () => unknown): void => {
    const start = performance.now();
    work();
    into.push(performance.now() - start);
  };
  for (let i = 0; i < 5_000; i += 1) {
    clocked(times.push, () => one.push(i % 7, data, i));
    clocked(times.get, () => one.get(i % 7));
    if (i % 7 === 6) clocked(times.rollback, () => one.rollbackTo(6));
  }
  const bytes = JSON.stringify(one.state).length;
  const row = (name: string, values: number[], limit: number): BenchRow => {
    const value = median(values);
    return { name: `ring: ${name}, 1 KB of data, median`, value, unit: "ms", target: `< ${limit} ms`, met: value < limit };
  };
  return [
    row("push", times.push, 1),
    row("get", times.get, 1),
    row("rollback", times.rollback, 2),
    { name: "ring: 16 slots of 1 KB as text", value: bytes / 1024, unit: "KB", target: "about 16 KB", met: bytes < 24_000 },
  ];
}

export async function run(): Promise<BenchRow[]> {
  const rows = await inTempDir(async (dir) => {
    const project = path.join(dir, "project");
    for (let i = 0; i < FILES; i += 1) {
      const folder = path.join(project, "src", `area${i % 100}`, `part${i % 7}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `m${i}${i % 5 === 0 ? ".test" : ""}.ts`), `export const value${i} = ${i};\n`);
    }
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.email=a@example.com", "-c", "user.name=a", ...args], { cwd: project, stdio: "ignore" });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "all");
    const env = { PATH: process.env["PATH"] ?? "", HOME: dir, SYLK_HOME: path.join(dir, "home") };
    const app = await openApp({ cwd: project, env, clock: systemClock });
    const refresh = (incremental: boolean) =>
      app.memory.refresh({ agent: "inspector", incremental, dryRun: false, archive: false, onProgress: () => undefined }, never);
    const full = await timed(() => refresh(false));
    const partial: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 10; i += 1)
        writeFileSync(path.join(project, "src", `area${i}`, `part${i % 7}`, `new${round}-${i}.ts`), "export {};\n");
      partial.push(await timed(() => refresh(true)));
    }
    const wishes = ["review SQL migrations", "write release notes", "check labels", "translate error messages", "deploy staging servers"];
    const options = { targets: ["claude", "gemini"], template: "base", model: undefined, global: false, dryRun: false };
    const approve = { approve: true };
    const cycles: number[] = [];
    for (const wish of wishes) cycles.push(await timed(() => app.skills.create(wish, options, approve, never)));
    await app.close();
    const cycle = median(cycles);
    const some = Math.min(...partial);
    return [
      { name: `full refresh, ${FILES.toLocaleString("en")} files`, value: full, unit: "ms", target: "<= 5,000 ms", met: full <= 5_000 },
      { name: "incremental refresh, 10 changed files, best of 5", value: some, unit: "ms", target: "<= 500 ms", met: some <= 500 },
      { name: "skill from a sentence, two targets, no model, median of 5", value: cycle, unit: "ms", target: "< 300 ms", met: cycle < 300 },
    ];
  });
  return [...rows, ...ring()];
}
