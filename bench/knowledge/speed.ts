/**
 * How long indexing and asking take, and for how long they keep the process that serves from doing anything
 * else. Questions are asked one per turn of the event loop, as a server would get them.
 */
import { statSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as yieldToLoop } from "node:timers/promises";
import { systemClock } from "../../src/kernel/index.ts";
import { openKnowledge } from "../../src/knowledge/open-knowledge.ts";
import type { Knowledge } from "../../src/knowledge/knowledge.ts";
import { inTempDir, median, timed } from "../measure.ts";
import type { BenchRow } from "../run.ts";
import { filePath, fileText, makeHistory, speedQueries, writeHistory, writeProject, type SpeedQuery } from "./synthetic-project.ts";

const SMALL_FILES = 3_000;
const LARGE_FILES = Number(process.env["SYLK_BENCH_FILES"] ?? 20_000);
const LARGE_COMMITS = 8_000;
const LARGE_HISTORY = 10_000;
const QUERIES = 700;

async function inProject<T>(
  files: number,
  commits: number,
  work: (knowledge: Knowledge, root: string, file: string) => Promise<T>,
): Promise<T> {
  return inTempDir(async (dir) => {
    const root = path.join(dir, "project");
    writeProject(root, files);
    writeHistory(root, commits, files);
    const file = path.join(dir, "knowledge.db");
    await using knowledge = openKnowledge({ root, file, clock: systemClock, redact: (text) => text });
    return await work(knowledge, root, file);
  });
}

function limit(name: string, value: number, unit: string, most: number, note?: string): BenchRow {
  return { name, value, unit, target: `<= ${most} ${unit}`, met: value <= most, note };
}

interface Block {
  ms: number;
  /** The most this thread's processor time between two turns of the loop: what is left when others' work is taken out. */
  cpu: string;
}

/** The longest time in which nothing else could happen while the work ran. */
async function longestBlock(work: () => Promise<unknown>): Promise<Block> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  let last = process.threadCpuUsage();
  let most = 0;
  const turn = setInterval(() => {
    const now = process.threadCpuUsage();
    most = Math.max(most, now.user + now.system - last.user - last.system);
    last = now;
  }, 5);
  loop.enable();
  await work();
  loop.disable();
  clearInterval(turn);
  return { ms: loop.max / 1e6, cpu: `${(most / 1_000).toFixed(1)} ms of the processor in one turn` };
}

/** One project of 3,000 files: from nothing, again, and after one change. */
export function indexSpeed(): Promise<{ rows: BenchRow[]; perFileMs: number }> {
  return inProject(SMALL_FILES, 1_000, async (knowledge, root, file) => {
    let scratch = 0;
    const block = await longestBlock(async () => (scratch = await timed(() => knowledge.index())));
    const memory = process.memoryUsage.rss();
    // The first look again reads the times of files that were written just before; the second is the usual one.
    await knowledge.index();
    const again = await timed(() => knowledge.index());
    const saved: number[] = [];
    const looked: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      const changed = filePath(i * 31);
      writeFileSync(path.join(root, changed), `${fileText(i * 31)}\nexport const extra${i} = ${i};\n`);
      saved.push(await timed(() => knowledge.index({ paths: [changed] })));
      writeFileSync(path.join(root, changed), `${fileText(i * 31)}\nexport const other${i} = ${i};\n`);
      looked.push(await timed(() => knowledge.index()));
    }
    const perThousand = SMALL_FILES / 1_000;
    return {
      perFileMs: scratch / SMALL_FILES,
      rows: [
        limit(`index of ${SMALL_FILES} files from scratch`, scratch / 1_000, "s", 60),
        limit("index again, nothing changed", again, "ms", 1_000),
        limit("index again, one file saved (median)", median(saved), "ms", 150),
        limit("index again, one file changed somewhere (median)", median(looked), "ms", 150),
        limit("longest event-loop block while indexing", block.ms, "ms", 50, block.cpu),
        { name: "disk per 1,000 files", value: statSync(file).size / 1e6 / perThousand, unit: "MB" },
        { name: "memory of the process after indexing, per 1,000 files", value: memory / 1e6 / perThousand, unit: "MB" },
      ],
    };
  });
}

interface Asked {
  kind: SpeedQuery["kind"];
  ms: number;
  /** What the processor spent, which others' work on the machine hardly changes. */
  cpuMs: number;
}

async function ask(knowledge: Knowledge, queries: readonly SpeedQuery[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const { kind, domain, text } of queries) {
    const before = process.cpuUsage();
    const start = performance.now();
    await knowledge.find({ text, domain, k: 10 });
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    asked.push({ kind, ms, cpuMs: (user + system) / 1_000 });
    await yieldToLoop();
  }
  return asked;
}

function share(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
}

/** 20,000 files and at least 100,000 nodes: growth, questions, and both at once. */
export function largeProject(smallPerFileMs: number): Promise<BenchRow[]> {
  return inProject(LARGE_FILES, LARGE_COMMITS, async (knowledge, root, file) => {
    const scratch = await timed(() => knowledge.index());
    await knowledge.addHistory("import:bench", makeHistory(LARGE_HISTORY));
    const queries = speedQueries(QUERIES, LARGE_FILES);
    const cold = await timed(() => ask(knowledge, queries.slice(0, 7)));
    let asked: Asked[] = [];
    const block = await longestBlock(async () => (asked = await ask(knowledge, queries)));
    const times = asked.map(({ ms }) => ms);
    const spent = asked.map(({ cpuMs }) => cpuMs);
    const kinds = [...Map.groupBy(asked, ({ kind }) => kind)]
      .map(([kind, list]) => `${kind} ${median(list.map(({ ms }) => ms)).toFixed(1)}`)
      .join(", ");
    const cpu = (part: number): string => `${share(spent, part).toFixed(1)} ms of the processor`;
    const status = knowledge.status();
    const nodes = status.files + status.symbols + status.commits + status.entries;
    writeProject(root, LARGE_FILES + 500, LARGE_FILES);
    const both = await longestBlock(() => Promise.all([knowledge.index(), ask(knowledge, queries.slice(0, 210))]));
    const growth = scratch / LARGE_FILES / smallPerFileMs;
    const perThousand = LARGE_FILES / 1_000;
    return [
      {
        name: `index of ${LARGE_FILES} files, per file, against ${SMALL_FILES}`,
        value: growth,
        unit: "x",
        target: "<= 1.5x (linear)",
        met: growth <= 1.5,
        note: `${(scratch / 1_000).toFixed(1)} s`,
      },
      limit(`query p50 at ${nodes} nodes`, median(times), "ms", 20, `${cpu(0.5)}; ${kinds}`),
      limit(`query p99 at ${nodes} nodes`, share(times, 0.99), "ms", 60, `${cpu(0.99)}; slowest ${share(times, 1).toFixed(1)} ms`),
      { name: "the first seven queries together", value: cold, unit: "ms" },
      limit("longest event-loop block while asking", block.ms, "ms", 50, block.cpu),
      limit("longest event-loop block while asking and indexing", both.ms, "ms", 50, both.cpu),
      { name: `disk per 1,000 files at ${LARGE_FILES}`, value: statSync(file).size / 1e6 / perThousand, unit: "MB" },
      { name: "memory of the process, per 1,000 files", value: process.memoryUsage.rss() / 1e6 / perThousand, unit: "MB" },
      { name: "others waiting for the processor (load average)", value: loadavg()[0] ?? 0, unit: "", note: `of ${availableParallelism()}` },
    ];
  });
}
