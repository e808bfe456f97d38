/**
 * What is found for messages of commits, questions in words, names and stack traces, beside plain BM25
 * over pieces of forty lines in the same run; and what each kind of evidence adds. Repositories are
 * brought by whoever measures: SYLK_BENCH_REPOS names a folder of them (or several, with colons).
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { createCodeRanker, type CodeRanker } from "../../src/knowledge/search/rank-code.ts";
import { questionVectors } from "../../src/knowledge/search/question-vectors.ts";
import { understandQuery } from "../../src/knowledge/search/understand-query.ts";
import { CODE_WEIGHTS, type CodeWeights } from "../../src/knowledge/search/weights.ts";
import { inTempDir } from "../measure.ts";
import type { BenchRow } from "../run.ts";
import { bm25 } from "./baselines.ts";
import { interval, meanRates, ratesOf, type Rates } from "./paired.ts";
import { KINDS, type CaseKind } from "./repository-cases.ts";
import { throughCommand } from "./through-command.ts";
import { walkRepository } from "./walk-repository.ts";

const MESSAGES = Number(process.env["SYLK_BENCH_COMMITS"] ?? 40);
const PARTS = Object.keys(CODE_WEIGHTS) as (keyof CodeWeights)[];

interface Measured {
  repository: string;
  kind: CaseKind;
  plain: Rates;
  ours: Rates;
  /** The same without one kind of evidence. */
  without: Record<keyof CodeWeights, Rates>;
}

function repositories(): string[] {
  const here = path.resolve(import.meta.dirname, "../..");
  const folders = (process.env["SYLK_BENCH_REPOS"] ?? "").split(":").filter((item) => item !== "");
  const found = folders.flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .map((name) => path.join(folder, name)),
  );
  return found.length === 0 ? [here] : found;
}

async function measure(repository: string): Promise<Measured[]> {
  const measured: Measured[] = [];
  let ranker: CodeRanker | undefined;
  await inTempDir((dir) =>
    walkRepository(repository, dir, MESSAGES, ({ db, passages, kind, text, wanted }) => {
      const answers = new Set(wanted);
      const query = understandQuery(text);
      const vectors = questionVectors(query.text);
      const search = (ranker ??= createCodeRanker(db));
      const ranked = (off?: keyof CodeWeights): Rates => {
        const { files } = search.rank(query, vectors, (weights) => (off === undefined ? weights : { ...weights, [off]: 0 }));
        return ratesOf(
          files.map((file) => file.path),
          answers,
        );
      };
      measured.push({
        repository: path.basename(repository),
        kind,
        plain: ratesOf(bm25(passages, text, 10), answers),
        ours: ranked(),
        without: Object.fromEntries(PARTS.map((part) => [part, ranked(part)])) as Measured["without"],
      });
    }),
  );
  return measured;
}

function ratioRows(name: string, cases: readonly Measured[], least?: Rates): BenchRow[] {
  const [ours, plain] = [meanRates(cases.map((one) => one.ours)), meanRates(cases.map((one) => one.plain))];
  return (["recall", "mrr"] as const).map((rate) => {
    const ratio = ours[rate] / plain[rate];
    const { low, high } = interval(cases.map((one) => one.ours[rate] - one.plain[rate]));
    const target = least === undefined ? {} : { target: `>= ${least[rate]}x`, met: ratio >= least[rate] };
    const note = `${cases.length} cases; ${ours[rate].toFixed(4)} against ${plain[rate].toFixed(4)}; difference ${low.toFixed(4)} to ${high.toFixed(4)}`;
    return { name: `${name}: ${rate === "recall" ? "recall@10" : "MRR"} against BM25`, value: ratio, unit: "x", ...target, note };
  });
}

export async function codeQuality(): Promise<BenchRow[]> {
  const all: Measured[] = [];
  const rows: BenchRow[] = [];
  for (const repository of repositories()) {
    all.push(...(await measure(repository)));
    if (process.env["SYLK_BENCH_COMMAND"] === "1") rows.push(...(await throughCommand(repository, MESSAGES)));
  }
  const floor = { recall: 0.98, mrr: 0.98 };
  const messages = all.filter((one) => one.kind.endsWith("message"));
  const byRepository = [...Map.groupBy(messages, (one) => one.repository)];
  const mean = (pick: (one: Measured) => Rates): Rates => meanRates(byRepository.map(([, cases]) => meanRates(cases.map(pick))));
  const [ours, plain] = [mean((one) => one.ours), mean((one) => one.plain)];
  for (const [rate, least] of [
    ["recall", 1.1],
    ["mrr", 1.15],
  ] as const) {
    const value = ours[rate] / plain[rate];
    const note = `${ours[rate].toFixed(4)} against ${plain[rate].toFixed(4)}`;
    rows.push({ name: `messages, mean of repositories: ${rate}`, value, unit: "x", target: `>= ${least}x`, met: value >= least, note });
  }
  for (const kind of KINDS) {
    const cases = all.filter((one) => one.kind === kind);
    if (cases.length > 0) rows.push(...ratioRows(kind, cases, floor));
  }
  for (const [repository, cases] of byRepository) rows.push(...ratioRows(`${repository}, messages`, cases, floor));
  for (const [name, cases] of [
    ["messages", messages],
    ["other", all.filter((one) => !one.kind.endsWith("message"))],
  ] as const)
    for (const part of PARTS)
      for (const rate of ["recall", "mrr"] as const) {
        const { mean: value, low, high } = interval(cases.map((one) => one.ours[rate] - one.without[part][rate]));
        rows.push({ name: `"${part}" adds to ${rate} of ${name}`, value, unit: "", note: `${low.toFixed(4)} to ${high.toFixed(4)}` });
      }
  return rows;
}
