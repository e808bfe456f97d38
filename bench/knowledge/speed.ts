/**
 * How long indexing and asking take, and for how long they keep the process that serves from doing anything
 * else. Questions are asked one per turn of the event loop, as a server would get them.
 */
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../src/kernel/index.ts";
import { openKnowledge, type Knowledge } from "../../src/knowledge/index.ts";
import { inTempDir, median, timed } from "../measure.ts";
import type { BenchRow } from "../run.ts";
import { filePath, fileText, makeTurns, speedQueries, writeHistory, writeProject, type SpeedQuery } from "./synthetic-project.ts";

const SMALL_FILES = 3_000;
const LARGE_FILES = Number(process.env["SYLK_BENCH_FILES"] ?? 20_000);
const LARGE_COMMITS = 8_000;
const LARGE_TURNS = 10_000;
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

/** The longest time in which nothing else could happen while the work ran. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  await work();
  loop.disable();
  return loop.max / 1e6;
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
        limit("longest event-loop block while indexing", block, "ms", 50),
        { name: "disk per 1,000 files", value: statSync(file).size / 1e6 / perThousand, unit: "MB" },
        { name: "memory of the process after indexing, per 1,000 files", value: memory / 1e6 / perThousand, unit: "MB" },
      ],
    };
  });
}

async function ask(knowledge: Knowledge, queries: readonly SpeedQuery[]): Promise<Map<SpeedQuery["kind"], number[]>> {
  const times = new Map<SpeedQuery["kind"], number[]>();
  for (const { kind, domain, text } of queries) {
    const took = await timed(() => knowledge.search({ text, domain, k: 10 }));
    times.set(kind, [...(times.get(kind) ?? []), took]);
    await nextTurn();
  }
  return times;
}

const share = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

/** 20,000 files and at least 100,000 nodes: growth, questions, and both at once. */
export function largeProject(smallPerFileMs: number): Promise<BenchRow[]> {
  return inProject(LARGE_FILES, LARGE_COMMITS, async (knowledge, root, file) => {
    const scratch = await timed(() => knowledge.index());
    await knowledge.addTurns("import:bench", makeTurns(LARGE_TURNS));
    const queries = speedQueries(QUERIES, LARGE_FILES);
    const cold = await timed(() => ask(knowledge, queries.slice(0, 7)));
    let times = new Map<SpeedQuery["kind"], number[]>();
    const block = await longestBlock(async () => (times = await ask(knowledge, queries)));
    const all = [...times.values()].flat().toSorted((a, b) => a - b);
    const kinds = [...times].map(([kind, list]) => `${kind} ${median(list).toFixed(1)}`).join(", ");
    const status = knowledge.status();
    const nodes = status.files + status.symbols + status.commits + status.turns;
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
      limit(`query p50 at ${nodes} nodes`, median(all), "ms", 20, kinds),
      limit(`query p99 at ${nodes} nodes`, share(all, 0.99), "ms", 100, `slowest ${(all.at(-1) ?? 0).toFixed(1)} ms`),
      { name: "the first seven queries together", value: cold, unit: "ms" },
      limit("longest event-loop block while asking", block, "ms", 50),
      limit("longest event-loop block while asking and indexing", both, "ms", 50),
      { name: `disk per 1,000 files at ${LARGE_FILES}`, value: statSync(file).size / 1e6 / perThousand, unit: "MB" },
      { name: "memory of the process, per 1,000 files", value: process.memoryUsage.rss() / 1e6 / perThousand, unit: "MB" },
    ];
  });
}
