/** Gathers, per file, how strongly each kind of evidence speaks for it. No weighing here. */
import type { DatabaseSync } from "node:sqlite";
import { nearnessOf } from "../embed/word-vectors.ts";
import { createFileRows } from "./file-rows.ts";
import { createFullText } from "./full-text.ts";
import { createNearSigns } from "./near-signs.ts";
import type { CodeQuery, PathMention } from "./understand-query.ts";
import { CODE_SEARCH, type CodeWeights } from "./weights.ts";
import { createWordSearch, type WordHit } from "./word-search.ts";

export type Evidence = Record<keyof CodeWeights, number>;

export interface FileEvidence {
  key: number;
  path: string;
  kind: string;
  evidence: Evidence;
  /** Best pieces, best first. */
  chunks: { key: number; score: number }[];
  /** Commits that speak for it, best first. */
  commits: { key: number; score: number }[];
}

/** What a question is compared by, beside its words: vectors of the shipped table, or nearness of files measured elsewhere. */
export interface QuestionVectors {
  piece: Int8Array | undefined;
  saying: Int8Array | undefined;
  files?: ReadonlyMap<number, number> | undefined;
}

const NONE: Evidence = {
  text: 0,
  texts: 0,
  near: 0,
  commits: 0,
  symbols: 0,
  path: 0,
  lively: 0,
  together: 0,
  graph: 0,
  named: 0,
  defines: 0,
  unlikely: 0,
};

type Scores = Map<number, number>;
export type Found = Map<number, FileEvidence>;

export function createCodeEvidence(db: DatabaseSync) {
  const rows = createFileRows(db);
  const pieces = createWordSearch(db, "chunks");
  const messages = createWordSearch(db, "commits");
  const names = createFullText(db, { table: "file_fts", vocabulary: "files", weights: [1, 1], column: "symbols" });
  const paths = createFullText(db, { table: "file_fts", vocabulary: "files", weights: [1, 1], column: "path" });
  const signs = createNearSigns(db);
  const q = {
    commitFiles: db.prepare(
      'SELECT cf.commit_key AS "commit", f.key, c.files FROM json_each(?) j JOIN commits c ON c.key = j.value JOIN commit_files cf ON cf.commit_key = c.key JOIN files f ON f.path = cf.path',
    ),
    lively: db.prepare("SELECT key FROM files WHERE changes > 0 ORDER BY changes DESC LIMIT ?"),
    named: db.prepare(
      "SELECT f.key, f.path FROM nodes n JOIN files f ON f.key = n.key WHERE n.name = ? COLLATE NOCASE AND n.node_type = 'file' LIMIT 500",
    ),
    symbol: db.prepare(
      "SELECT DISTINCT file FROM (SELECT owner AS file FROM nodes WHERE name = ? COLLATE NOCASE AND domain = 'code' AND owner IS NOT NULL LIMIT 300) LIMIT 30",
    ),
    together:
      db.prepare(`SELECT f.key, sum(r.w) AS w FROM (SELECT c.key, 1.0 / c.files AS w FROM commit_files cf JOIN commits c ON c.key = cf.commit_key
      WHERE cf.path = ? AND c.files BETWEEN 2 AND 30 ORDER BY cf.commit_key DESC LIMIT 60) r JOIN commit_files o ON o.commit_key = r.key JOIN files f ON f.path = o.path
      WHERE o.path <> ? GROUP BY f.key ORDER BY w DESC LIMIT 12`),
    near: db.prepare(`SELECT target AS key, edge_type AS type FROM edges WHERE source = ? AND edge_type IN ('imports', 'tests')
      UNION ALL SELECT source, edge_type FROM edges WHERE target = ? AND edge_type IN ('imports', 'tests') LIMIT 40`),
  };
  let lively: { version: number; keys: number[] } | undefined;
  const liveliest = (version: number): number[] => {
    if (lively?.version !== version)
      lively = { version, keys: (q.lively.all(CODE_SEARCH.lively) as { key: number }[]).map(({ key }) => key) };
    return lively.keys;
  };
  const entryIn = (found: Found, key: number): FileEvidence | undefined => {
    let one = found.get(key);
    if (one !== undefined) return one;
    const file = rows.get(key);
    if (file === undefined) return undefined;
    one = { key, path: file.path, kind: file.kind, evidence: { ...NONE }, chunks: [], commits: [] };
    found.set(key, one);
    return one;
  };
  const spread = (found: Found, name: keyof Evidence, scores: Scores, whole: number): void => {
    if (whole <= 0) return;
    rows.load(scores.keys());
    for (const [key, score] of scores) {
      const file = entryIn(found, key);
      if (file !== undefined) file.evidence[name] = score / whole;
    }
  };
  const most = (scores: Scores): number => {
    let best = 0;
    for (const score of scores.values()) best = Math.max(best, score);
    return best;
  };

  /** Files a path may mean, with how surely: written whole, ending so, or the end of a path from another machine. */
  const mentioned = ({ path }: PathMention): { key: number; share: number }[] => {
    const known = q.named.all(path.slice(path.lastIndexOf("/") + 1)) as { key: number; path: string }[];
    const whole = known.filter((row) => row.path === path);
    const ending = whole.length > 0 ? whole : known.filter((row) => row.path.endsWith(`/${path}`));
    if (ending.length > 0) return ending.slice(0, 12).map(({ key }) => ({ key, share: 1 / ending.length }));
    const inside = known.filter((row) => path.endsWith(`/${row.path}`)).sort((a, b) => b.path.length - a.path.length)[0];
    return inside === undefined ? [] : [{ key: inside.key, share: inside.path.includes("/") ? 1 : 0.5 }];
  };

  /** Pieces by all words of the question, and those near it; a file counts with its best, and a little with the others. */
  const gatherPieces = (found: Found, query: CodeQuery, vectors: QuestionVectors): void => {
    const hits = pieces.find(query.words, CODE_SEARCH.pieces);
    const { piece } = vectors;
    if (piece !== undefined) {
      const seen = new Set(hits.map(({ key }) => key));
      hits.push(...pieces.weigh(query.words, signs.pieces(piece, CODE_SEARCH.nearPieces).filter((key) => !seen.has(key))));
    }
    rows.load(hits.map(({ owner }) => owner));
    const [best, sum, near]: [Scores, Scores, Scores] = [new Map(), new Map(), new Map()];
    const ranked: (WordHit & { whole: number })[] = hits.map((hit) => {
      const nearness = piece === undefined || hit.vector === undefined ? 0 : nearnessOf(piece, hit.vector);
      if (nearness > (near.get(hit.owner) ?? 0)) near.set(hit.owner, nearness);
      return { ...hit, whole: nearness };
    });
    const top = hits.reduce((high, { score }) => Math.max(high, score), 1e-9);
    for (const hit of ranked) hit.whole = hit.score / top + CODE_SEARCH.nearInFile * hit.whole;
    ranked.sort((a, b) => b.score - a.score);
    for (const hit of ranked) {
      const file = entryIn(found, hit.owner);
      if (file === undefined) continue;
      file.chunks.push({ key: hit.key, score: hit.whole });
      if (!best.has(hit.owner)) best.set(hit.owner, hit.score);
      sum.set(hit.owner, (sum.get(hit.owner) ?? 0) + hit.score / file.chunks.length ** 1.5);
    }
    for (const file of found.values()) file.chunks.sort((a, b) => b.score - a.score);
    spread(found, "text", best, most(best));
    spread(found, "texts", sum, most(sum));
    if (vectors.files !== undefined) spread(found, "near", new Map(vectors.files), most(new Map(vectors.files)));
    else spread(found, "near", near, 1);
  };

  /** Earlier commits that said something alike pass it on to the files they changed. */
  const gatherCommits = (found: Found, query: CodeQuery, { saying }: QuestionVectors): void => {
    const hits = messages.find(query.words, CODE_SEARCH.commits);
    if (saying !== undefined) {
      const seen = new Set(hits.map(({ key }) => key));
      hits.push(...messages.weigh(query.words, signs.sayings("commit", saying, CODE_SEARCH.nearCommits).filter((key) => !seen.has(key))));
    }
    const topWords = hits.reduce((high, { score }) => Math.max(high, score), 1e-9);
    const alike = hits
      .map(({ key, score, vector }) => {
        const nearness = saying === undefined || vector === undefined ? 0 : Math.max(0, nearnessOf(saying, vector));
        return { key, score: nearness * CODE_SEARCH.commitNear + (1 - CODE_SEARCH.commitNear) * (score / topWords) };
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, CODE_SEARCH.alikeCommits);
    const scores = new Map(alike.map(({ key, score }) => [key, score]));
    const top = Math.max(1e-9, alike[0]?.score ?? 0);
    const passed: Scores = new Map();
    const changed = q.commitFiles.all(JSON.stringify([...scores.keys()])) as { commit: number; key: number; files: number }[];
    rows.load(changed.map(({ key }) => key));
    for (const { commit, key, files } of changed) {
      const share = ((scores.get(commit) ?? 0) / top) ** CODE_SEARCH.commitSharpness / Math.sqrt(Math.max(1, files));
      passed.set(key, (passed.get(key) ?? 0) + share);
      entryIn(found, key)?.commits.push({ key: commit, score: share });
    }
    spread(found, "commits", passed, most(passed));
  };

  const gatherNames = (found: Found, query: CodeQuery): void => {
    const head = [...query.words.keys()].filter((term) => (query.words.get(term) ?? 0) >= 1);
    for (const [name, text] of [
      ["symbols", names],
      ["path", paths],
    ] as const) {
      const scores = text.find(head, CODE_SEARCH.names);
      spread(found, name, scores, most(scores));
    }
    for (const mention of query.paths)
      for (const { key, share } of mentioned(mention)) {
        const file = entryIn(found, key);
        if (file !== undefined) file.evidence.named = Math.max(file.evidence.named, share);
      }
    for (const name of query.identifiers) {
      const files = q.symbol.all(name) as { file: number }[];
      for (const row of files) {
        const file = entryIn(found, row.file);
        if (file !== undefined) file.evidence.defines = Math.min(1, file.evidence.defines + 1 / files.length);
      }
    }
  };

  return {
    gather(query: CodeQuery, vectors: QuestionVectors): Found {
      const version = rows.refresh();
      const found: Found = new Map();
      gatherPieces(found, query, vectors);
      gatherCommits(found, query, vectors);
      gatherNames(found, query);
      for (const key of liveliest(version)) entryIn(found, key);
      let top = 0;
      for (const file of found.values()) {
        file.evidence.lively = Math.log1p((rows.get(file.key)?.changes ?? 0) * 4);
        top = Math.max(top, file.evidence.lively);
        file.evidence.unlikely = /^(?:generated|data|binary|hidden)$/u.test(file.kind) ? 1 : 0;
      }
      if (top > 0) for (const file of found.values()) file.evidence.lively /= top;
      return found;
    },

    /** What the best files bring along: files that change with them, and their neighbours by import and test. */
    spreadFrom(found: Found, seeds: readonly { file: FileEvidence; score: number }[]): void {
      const best = seeds[0]?.score ?? 0;
      if (best <= 0) return;
      const add = (name: "together" | "graph", key: number, amount: number): void => {
        const file = entryIn(found, key);
        if (file !== undefined) file.evidence[name] += amount;
      };
      for (const { file, score } of seeds) {
        const strength = score / best;
        const mates = q.together.all(file.path, file.path) as { key: number; w: number }[];
        const all = mates.reduce((sum, mate) => sum + mate.w, 0);
        for (const mate of mates) add("together", mate.key, (strength * mate.w) / Math.max(0.5, all));
        const near = q.near.all(file.key, file.key) as { key: number; type: string }[];
        for (const one of near) add("graph", one.key, (strength * (one.type === "tests" ? 2 : 1)) / Math.sqrt(1 + near.length));
      }
      for (const name of ["together", "graph"] as const) {
        let top = 0;
        for (const file of found.values()) top = Math.max(top, file.evidence[name]);
        if (top > 0) for (const file of found.values()) file.evidence[name] /= top;
      }
    },
  };
}
