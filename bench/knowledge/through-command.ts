/**
 * The same cases through `sylk search --batch`, as a user would ask them, beside the ranker alone: what lies between
 * (reading the project in, opening it, showing hits) must not change what is found. SYLK_BENCH_COMMAND=1 turns it on.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { z } from "zod";
import { createCodeRanker, type CodeRanker } from "../../src/knowledge/search/rank-code.ts";
import { questionVectors } from "../../src/knowledge/search/question-vectors.ts";
import { understandQuery } from "../../src/knowledge/search/understand-query.ts";
import { inTempDir } from "../measure.ts";
import type { BenchRow } from "../run.ts";
import { meanRates, ratesOf, type Rates } from "./paired.ts";
import { walkRepository } from "./walk-repository.ts";

const MAIN = path.resolve(import.meta.dirname, "../../src/surface/cli/main.ts");
const K = 10;
/** Three digits of a rate. */
const SAME = 0.0005;
const answer = z.object({ results: z.array(z.object({ path: z.string() })) });

export async function throughCommand(repository: string, messages: number): Promise<BenchRow[]> {
  const measured: { ranker: Rates; command: Rates }[] = [];
  await inTempDir(async (dir) => {
    let ranker: CodeRanker | undefined;
    const home = path.join(dir, "home");
    const ask = (root: string, text: string): string[] => {
      const line = JSON.stringify({ id: 1, text, domain: "code", k: K });
      const out = execFileSync(process.execPath, [MAIN, "-C", root, "search", "--batch"], {
        input: line,
        env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home },
        stdio: ["pipe", "pipe", "ignore"],
      });
      return answer.parse(JSON.parse(out.toString())).results.map((hit) => hit.path);
    };
    await walkRepository(repository, dir, messages, ({ db, root, text, wanted }) => {
      const query = understandQuery(text);
      const { files } = (ranker ??= createCodeRanker(db)).rank(query, questionVectors(query.text));
      const answers = new Set(wanted);
      measured.push({
        ranker: ratesOf(
          files.map((file) => file.path),
          answers,
        ),
        command: ratesOf(ask(root, text), answers),
      });
    });
  });
  const [ranker, command] = [meanRates(measured.map((one) => one.ranker)), meanRates(measured.map((one) => one.command))];
  return (["recall", "mrr"] as const).map((rate) => {
    const value = Math.abs(command[rate] - ranker[rate]);
    return {
      name: `${path.basename(repository)} through \`sylk search --batch\`: ${rate === "recall" ? "recall@10" : "MRR"} away from the ranker's`,
      value,
      unit: "",
      target: `< ${SAME}`,
      met: value < SAME,
      note: `${measured.length} cases; ${command[rate].toFixed(4)} against ${ranker[rate].toFixed(4)}`,
    };
  });
}
