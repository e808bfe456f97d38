/**
 * Retrieval quality and speed of knowledge. Further repositories to measure on:
 * SYLK_BENCH_REPOS=/path/one:/path/two. SYLK_BENCH_FILES sets the size of the speed part (3000).
 */
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { systemClock } from "../src/kernel/index.ts";
import { openKnowledge } from "../src/knowledge/index.ts";
import { createHistoryRanker } from "../src/knowledge/search/rank-history.ts";
import { CODE_WEIGHTS, type CodeWeights } from "../src/knowledge/search/weights.ts";
import { openKnowledgeDatabase } from "../src/knowledge/store/open-database.ts";
import { createTurnWriter } from "../src/knowledge/store/turn-writer.ts";
import { bm25, passage, qualityOf, type Quality } from "./knowledge/baselines.ts";
import { commitCases, type CommitCase } from "./knowledge/commit-cases.ts";
import { makeConversation } from "./knowledge/conversations.ts";
import { fileText, filePath, queryText, writeProject } from "./knowledge/synthetic-project.ts";
import { inTempDir, median, timed } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const COMMITS = Number(process.env["SYLK_BENCH_COMMITS"] ?? 40);

async function codeQuality(): Promise<BenchRow[]> {
  const here = path.resolve(import.meta.dirname, "..");
  const repositories = [here, ...(process.env["SYLK_BENCH_REPOS"] ?? "").split(":").filter((item) => item !== "")];
  const rows: BenchRow[] = [];
  const all: CommitCase[] = [];
  const rates: { ours: Quality; plain: Quality }[] = [];
  for (const repository of repositories) {
    const cases = await inTempDir((dir) => commitCases(repository, dir, { count: COMMITS, span: COMMITS * 10, ablate: true }));
    const of = (pick: (one: CommitCase) => string[]): Quality => qualityOf(cases.map((one) => ({ wanted: one.wanted, got: pick(one) })));
    const [ours, plain, keyword] = [of((one) => one.ours), of((one) => one.plain), of((one) => one.keyword)];
    rates.push({ ours, plain });
    all.push(...cases);
    const name = repository === here ? "this repository" : path.basename(repository);
    const note = `${cases.length} commits; keyword count ${keyword.recall.toFixed(2)}/${keyword.mrr.toFixed(2)}, BM25 ${plain.recall.toFixed(2)}/${plain.mrr.toFixed(2)}`;
    rows.push({ name: `${name}: recall@10`, value: ours.recall, unit: "", note }, { name: `${name}: MRR`, value: ours.mrr, unit: "" });
  }
  const mean = (of: (rate: (typeof rates)[number]) => number): number => rates.reduce((sum, rate) => sum + of(rate), 0) / rates.length;
  const recall = mean((rate) => rate.ours.recall) / mean((rate) => rate.plain.recall);
  const mrr = mean((rate) => rate.ours.mrr) / mean((rate) => rate.plain.mrr);
  rows.push(
    { name: "recall@10 against BM25 over chunks", value: recall, unit: "x", target: ">= 1.15x", met: recall >= 1.15 },
    { name: "MRR against BM25 over chunks", value: mrr, unit: "x", target: ">= 1.25x", met: mrr >= 1.25 },
  );
  const whole = qualityOf(all.map((one) => ({ wanted: one.wanted, got: one.ours })));
  for (const part of Object.keys(CODE_WEIGHTS) as (keyof CodeWeights)[]) {
    const less = qualityOf(all.map((one) => ({ wanted: one.wanted, got: one.without[part] ?? [] })));
    rows.push({
      name: `recall@10 without "${part}"`,
      value: less.recall - whole.recall,
      unit: "",
      note: `MRR ${(less.mrr - whole.mrr).toFixed(3)}`,
    });
  }
  return rows;
}

function conversationQuality(): BenchRow[] {
  let ours = 0;
  let plain = 0;
  let count = 0;
  let turnCount = 0;
  for (let seed = 1; seed <= 12; seed += 1) {
    const { turns, questions } = makeConversation(seed * 7_919);
    using database = openKnowledgeDatabase(":memory:");
    createTurnWriter(database.db).write("import:bench", turns);
    const ranker = createHistoryRanker(database.db);
    const passages = turns.map((turn) => passage(turn.id, turn.text));
    turnCount += turns.length;
    for (const { text, evidence } of questions) {
      const share = (got: readonly string[]): number => evidence.filter((id) => got.includes(id)).length / evidence.length;
      ours += share(ranker.rank(text, 10).map(({ turn }) => turn.externalId ?? ""));
      plain += share(bm25(passages, text, 10));
      count += 1;
    }
  }
  const rate = ours / plain;
  const note = `${count} questions on ${turnCount} turns: ${(ours / count).toFixed(2)} against ${(plain / count).toFixed(2)}`;
  return [
    {
      name: "conversations: evidence recall@10 against BM25 per turn",
      value: rate,
      unit: "x",
      target: ">= 1.15x",
      met: rate >= 1.15,
      note,
    },
  ];
}

async function speed(): Promise<BenchRow[]> {
  const files = Number(process.env["SYLK_BENCH_FILES"] ?? 3_000);
  return inTempDir(async (dir) => {
    const root = path.join(dir, "project");
    writeProject(root, files);
    execFileSync("git", ["-C", root, "init", "-q"]);
    const file = path.join(dir, "knowledge.db");
    await using knowledge = openKnowledge({ root, file, clock: systemClock, redact: (text) => text });
    const loop = monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    const scratch = await timed(() => knowledge.index());
    loop.disable();
    // The first look again reads the times of files that were written just before; the second is the usual one.
    await knowledge.index();
    const again = await timed(() => knowledge.index());
    const ones: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      writeFileSync(path.join(root, filePath(i * 31)), `${fileText(i * 31)}\nexport const extra${i} = ${i};\n`);
      ones.push(await timed(() => knowledge.index({ paths: [filePath(i * 31)] })));
    }
    const times: number[] = [];
    for (let i = 0; i < 300; i += 1) {
      const start = performance.now();
      knowledge.search({ text: queryText(i), domain: "code", k: 10 });
      times.push(performance.now() - start);
    }
    const sorted = times.slice(20).toSorted((a, b) => a - b);
    const status = knowledge.status();
    const nodes = status.symbols + status.files;
    const size = statSync(file).size;
    writeProject(root, files * 2, files);
    const second = await timed(() => knowledge.index());
    const p50 = median(sorted);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] as number;
    const growth = second / scratch;
    const perThousand = files / 1_000;
    return [
      {
        name: `index of ${files} files from scratch`,
        value: scratch / 1_000,
        unit: "s",
        target: "<= 60 s",
        met: scratch <= 60_000 * Math.max(1, files / 3_000),
      },
      {
        name: "index again, nothing changed",
        value: again,
        unit: "ms",
        target: "<= 1000 ms",
        met: again <= 1_000 * Math.max(1, files / 3_000),
      },
      { name: "index again, one file changed (median)", value: median(ones), unit: "ms", target: "<= 150 ms", met: median(ones) <= 150 },
      { name: `query p50 at ${nodes} nodes`, value: p50, unit: "ms", target: "<= 20 ms", met: p50 <= 20 },
      { name: `query p99 at ${nodes} nodes`, value: p99, unit: "ms", target: "<= 100 ms", met: p99 <= 100 },
      { name: "longest event-loop delay while indexing", value: loop.max / 1e6, unit: "ms", target: "<= 50 ms", met: loop.max / 1e6 <= 50 },
      { name: "as many files again, against the first half", value: growth, unit: "x", target: "<= 1.5x (linear)", met: growth <= 1.5 },
      { name: "disk per 1,000 files", value: size / 1e6 / perThousand, unit: "MB" },
      { name: "memory of the process", value: process.memoryUsage.rss() / 1e6, unit: "MB" },
    ];
  });
}

export async function run(): Promise<BenchRow[]> {
  return [...conversationQuality(), ...(await speed()), ...(await codeQuality())];
}
