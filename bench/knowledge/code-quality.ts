/** "Commit message → files it changed" on this repository and others, against the baselines; and what each part of the ranking adds. */
import path from "node:path";
import { CODE_WEIGHTS, type CodeWeights } from "../../src/knowledge/search/weights.ts";
import { inTempDir } from "../measure.ts";
import type { BenchRow } from "../run.ts";
import { qualityOf, type Quality } from "./baselines.ts";
import { commitCases, type CommitCase } from "./commit-cases.ts";

const COMMITS = Number(process.env["SYLK_BENCH_COMMITS"] ?? 40);

export async function codeQuality(): Promise<BenchRow[]> {
  const here = path.resolve(import.meta.dirname, "../..");
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
