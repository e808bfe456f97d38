/**
 * "Commit message → files it changed", asked at the parent commit: the work tree is set to the parent,
 * indexed, and asked. Neither the commit nor anything after it is below HEAD then, so nothing of it is known.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../src/kernel/index.ts";
import { indexProject } from "../../src/knowledge/ingest/index-project.ts";
import { createCodeRanker } from "../../src/knowledge/search/rank-code.ts";
import { understandQuery } from "../../src/knowledge/search/understand-query.ts";
import { CODE_WEIGHTS, type CodeWeights } from "../../src/knowledge/search/weights.ts";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { lexicalVector } from "../../src/model/lexical/index.ts";
import { bm25, chunkPassages, keywordCount, type Passage } from "./baselines.ts";

export interface CommitCase {
  wanted: ReadonlySet<string>;
  keyword: string[];
  plain: string[];
  ours: string[];
  /** The same without one kind of evidence. */
  without: Partial<Record<keyof CodeWeights, string[]>>;
}

const K = 10;
const MAX_WANTED = 30;

function passagesOf(root: string, files: readonly string[], cache: Map<string, Passage[]>): Passage[] {
  return files.flatMap((file) => {
    const facts = statSync(path.join(root, file));
    const key = `${file}:${facts.mtimeMs}:${facts.size}`;
    let found = cache.get(key);
    if (found === undefined) {
      const bytes = facts.size > 1e6 ? Buffer.from([0]) : readFileSync(path.join(root, file));
      found = bytes.subarray(0, 8_000).includes(0) ? [] : chunkPassages(file, bytes.toString("utf8"));
      cache.set(key, found);
    }
    return found;
  });
}

export async function commitCases(
  source: string,
  dir: string,
  options: { count: number; span: number; ablate: boolean },
): Promise<CommitCase[]> {
  const root = path.join(dir, "tree");
  execFileSync("git", ["clone", "-q", "--shared", source, root], { stdio: "ignore" });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", root, ...args], { maxBuffer: 1e9, stdio: ["ignore", "pipe", "ignore"] }).toString();
  const all = git("log", "--no-merges", "--format=%H", `-${options.span}`).trim().split("\n").slice(0, -5);
  const step = Math.max(1, Math.floor(all.length / options.count));
  const picked = all
    .filter((_, i) => i % step === 0)
    .slice(0, options.count)
    .reverse();
  using database = openKnowledgeDatabase(path.join(dir, "knowledge.db"));
  const ranker = createCodeRanker(database.db);
  const cache = new Map<string, Passage[]>();
  const cases: CommitCase[] = [];
  for (const commit of picked) {
    git("checkout", "-qf", `${commit}^`);
    const message = git("log", "-1", "--format=%B", commit);
    await indexProject({ root, threads: 1, secrets: [] }, { db: database.db, clock: systemClock, onProgress: () => undefined });
    const files = (database.db.prepare("SELECT path FROM files").all() as { path: string }[]).map((row) => row.path);
    const known = new Set(files);
    const changed = git("diff-tree", "--no-commit-id", "--no-renames", "--name-status", "-r", commit).trim().split("\n");
    const wanted = new Set(changed.flatMap((line) => (/^[MD]\t/u.test(line) && known.has(line.slice(2)) ? [line.slice(2)] : [])));
    if (wanted.size === 0 || wanted.size > MAX_WANTED) continue;
    const query = understandQuery(message);
    const top = (weights: CodeWeights): string[] =>
      ranker
        .rank(query, lexicalVector(query.text), weights)
        .slice(0, K)
        .map((file) => file.path);
    const passages = passagesOf(root, files, cache);
    const without: CommitCase["without"] = {};
    if (options.ablate)
      for (const part of Object.keys(CODE_WEIGHTS) as (keyof CodeWeights)[]) without[part] = top({ ...CODE_WEIGHTS, [part]: 0 });
    cases.push({
      wanted,
      keyword: keywordCount(passages, message, K),
      plain: bm25(passages, message, K),
      ours: top(CODE_WEIGHTS),
      without,
    });
  }
  return cases;
}
