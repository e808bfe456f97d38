/** Gathers, per file, how strongly each kind of evidence speaks for it. No weighing here. */
import type { DatabaseSync } from "node:sqlite";
import { createFullText } from "./full-text.ts";
import type { CodeQuery, PathMention } from "./understand-query.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { CODE_SEARCH, type CodeWeights } from "./weights.ts";

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

const NONE: Evidence = {
  chunk: 0,
  chunks: 0,
  symbols: 0,
  path: 0,
  commits: 0,
  lively: 0,
  together: 0,
  graph: 0,
  vector: 0,
  named: 0,
  defines: 0,
  unlikely: 0,
};

interface FileRow {
  path: string;
  kind: string;
  changes: number;
}

const MAX_KEPT = 200_000;

type Scores = Map<number, number>;

export function createCodeEvidence(db: DatabaseSync) {
  const words = vocabularyOf(db);
  const texts = {
    chunks: createFullText(db, { table: "chunk_fts", vocabulary: "chunks", weights: [2.5, 1] }),
    symbols: createFullText(db, { table: "file_fts", vocabulary: "files", weights: [1, 1], column: "symbols" }),
    path: createFullText(db, { table: "file_fts", vocabulary: "files", weights: [1, 1], column: "path" }),
    commits: createFullText(db, { table: "commit_fts", vocabulary: "commits", weights: [2, 1] }),
  };
  const q = {
    owners: db.prepare("SELECT c.key, c.file FROM json_each(?) j JOIN chunks c ON c.key = j.value"),
    commitFiles: db.prepare(
      'SELECT cf.commit_key AS "commit", f.key, c.files FROM json_each(?) j JOIN commits c ON c.key = j.value JOIN commit_files cf ON cf.commit_key = c.key JOIN files f ON f.path = cf.path',
    ),
    lively: db.prepare("SELECT key FROM files WHERE changes > 0 ORDER BY changes DESC LIMIT ?"),
    files: db.prepare("SELECT f.key, f.path, f.kind, f.changes FROM json_each(?) j JOIN files f ON f.key = j.value"),
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
    distance: db.prepare("SELECT vec_distance_cosine(embedding, ?) AS distance FROM vectors WHERE key = ?"),
    nearest: db.prepare("SELECT key FROM vectors WHERE domain = 'code' AND coarse MATCH vec_quantize_binary(?) AND k = ?"),
  };

  // Rows asked for again and again, kept until the database changes.
  const files = new Map<number, FileRow | undefined>();
  const owners = new Map<number, number>();
  let lively: number[] | undefined;
  let version: number | undefined;
  const forgetWhenChanged = (): void => {
    const now = words.refresh();
    if (now === version && files.size < MAX_KEPT && owners.size < MAX_KEPT) return;
    version = now;
    files.clear();
    owners.clear();
    lively = undefined;
  };
  /** Reads what is not yet known of them, all at once. */
  const loadFiles = (keys: Iterable<number>): void => {
    const missing = [...new Set(keys)].filter((key) => !files.has(key));
    if (missing.length === 0) return;
    for (const key of missing) files.set(key, undefined);
    for (const { key, ...row } of q.files.all(JSON.stringify(missing)) as unknown as (FileRow & { key: number })[]) files.set(key, row);
  };
  const loadOwners = (chunks: Iterable<number>): void => {
    const missing = [...chunks].filter((key) => !owners.has(key));
    if (missing.length > 0)
      for (const { key, file } of q.owners.all(JSON.stringify(missing)) as { key: number; file: number }[]) owners.set(key, file);
  };
  const fileRow = (key: number): FileRow | undefined => {
    if (!files.has(key)) loadFiles([key]);
    return files.get(key);
  };

  const both = (query: CodeQuery, text: keyof typeof texts): Scores => {
    const { limit, head, rest } = CODE_SEARCH.bounds[text];
    const scores: Scores = new Map(texts[text].find(query.head, { limit, entries: head }));
    for (const [key, score] of texts[text].find(query.rest, { limit, entries: rest }))
      scores.set(key, (scores.get(key) ?? 0) + CODE_SEARCH.restWeight * score);
    return new Map([...scores].sort((a, b) => b[1] - a[1]).slice(0, limit));
  };

  /** Vectors of spelling find what words do not; in a large project they are asked only when a word is unknown and no path is named. */
  const isWorthNearing = (query: CodeQuery): boolean =>
    words.entries("chunks") <= CODE_SEARCH.alwaysNear ||
    (query.paths.length === 0 && query.head.some((term) => words.entriesWith("chunks", term) === 0));

  /** Files a path may mean, with how surely: written whole, ending so, or the end of a path from another machine. */
  const mentioned = ({ path }: PathMention): { key: number; share: number }[] => {
    const rows = q.named.all(path.slice(path.lastIndexOf("/") + 1)) as { key: number; path: string }[];
    const whole = rows.filter((row) => row.path === path);
    const ending = whole.length > 0 ? whole : rows.filter((row) => row.path.endsWith(`/${path}`));
    if (ending.length > 0) return ending.slice(0, 12).map(({ key }) => ({ key, share: 1 / ending.length }));
    const inside = rows.filter((row) => path.endsWith(`/${row.path}`)).sort((a, b) => b.path.length - a.path.length)[0];
    return inside === undefined ? [] : [{ key: inside.key, share: inside.path.includes("/") ? 1 : 0.5 }];
  };

  return {
    gather(query: CodeQuery, vector: Float32Array | ReadonlyMap<number, number> | undefined): Map<number, FileEvidence> {
      forgetWhenChanged();
      const found = new Map<number, FileEvidence>();
      const entry = (key: number): FileEvidence | undefined => {
        let one = found.get(key);
        if (one !== undefined) return one;
        const file = fileRow(key);
        if (file === undefined) return undefined;
        one = { key, path: file.path, kind: file.kind, evidence: { ...NONE }, chunks: [], commits: [] };
        found.set(key, one);
        return one;
      };
      const spread = (name: keyof Evidence, scores: Scores): void => {
        const best = Math.max(0, ...scores.values());
        if (best <= 0) return;
        loadFiles(scores.keys());
        for (const [key, score] of scores) {
          const file = entry(key);
          if (file !== undefined) file.evidence[name] = score / best;
        }
      };
      const chunkScores = both(query, "chunks");
      loadOwners(chunkScores.keys());
      loadFiles([...chunkScores.keys()].flatMap((key) => owners.get(key) ?? []));
      const bestChunk: Scores = new Map();
      const sumChunks: Scores = new Map();
      for (const [key, score] of chunkScores) {
        const file = owners.get(key);
        const one = file === undefined ? undefined : entry(file);
        if (one === undefined || file === undefined) continue;
        one.chunks.push({ key, score });
        if (!bestChunk.has(file)) bestChunk.set(file, score);
        sumChunks.set(file, (sumChunks.get(file) ?? 0) + score / one.chunks.length ** 1.5);
      }
      spread("chunk", bestChunk);
      spread("chunks", sumChunks);
      spread("symbols", both(query, "symbols"));
      spread("path", both(query, "path"));

      const commitScores = both(query, "commits");
      const bestCommit = Math.max(1e-9, ...commitScores.values());
      const fromCommits: Scores = new Map();
      const changed = q.commitFiles.all(JSON.stringify([...commitScores.keys()])) as { commit: number; key: number; files: number }[];
      loadFiles(changed.map(({ key }) => key));
      for (const { commit, key, files } of changed) {
        const strength = ((commitScores.get(commit) ?? 0) / bestCommit) ** CODE_SEARCH.commitSharpness;
        const share = strength / Math.max(1, files) ** CODE_SEARCH.commitSpread;
        fromCommits.set(key, (fromCommits.get(key) ?? 0) + share);
        entry(key)?.commits.push({ key: commit, score: share });
      }
      spread("commits", fromCommits);

      lively ??= (q.lively.all(CODE_SEARCH.lively) as { key: number }[]).map(({ key }) => key);
      for (const key of lively) entry(key);

      for (const mention of query.paths)
        for (const { key, share } of mentioned(mention)) {
          const file = entry(key);
          if (file !== undefined) file.evidence.named = Math.max(file.evidence.named, share);
        }
      for (const name of query.identifiers) {
        const rows = q.symbol.all(name) as { file: number }[];
        for (const row of rows) {
          const file = entry(row.file);
          if (file !== undefined) file.evidence.defines = Math.min(1, file.evidence.defines + 1 / rows.length);
        }
      }
      if (vector instanceof Map) spread("vector", vector);
      else if (vector instanceof Float32Array && isWorthNearing(query)) {
        const scores: Scores = new Map();
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
        const rows = q.nearest.all(bytes, BigInt(CODE_SEARCH.vectorHits)) as { key: number }[];
        loadOwners(rows.map(({ key }) => key));
        for (const { key } of rows) {
          const { distance } = q.distance.get(bytes, BigInt(key)) as { distance: number };
          const file = owners.get(key);
          if (file !== undefined) scores.set(file, Math.max(scores.get(file) ?? 0, 1 - distance));
        }
        spread("vector", scores);
      }
      let liveliest = 0;
      for (const file of found.values()) {
        file.evidence.lively = Math.log1p((fileRow(file.key)?.changes ?? 0) * 4);
        liveliest = Math.max(liveliest, file.evidence.lively);
        file.evidence.unlikely = /^(?:generated|data|binary|hidden)$/u.test(file.kind) ? 1 : 0;
      }
      if (liveliest > 0) for (const file of found.values()) file.evidence.lively /= liveliest;
      return found;
    },
    /** What the best files bring along: files that change with them, and their neighbours by import and test. */
    spreadFrom(found: Map<number, FileEvidence>, seeds: readonly { file: FileEvidence; score: number }[]): void {
      const best = seeds[0]?.score ?? 0;
      if (best <= 0) return;
      const entry = (key: number): FileEvidence | undefined => {
        const known = found.get(key);
        if (known !== undefined) return known;
        const row = fileRow(key);
        if (row === undefined) return undefined;
        const one: FileEvidence = { key, path: row.path, kind: row.kind, evidence: { ...NONE }, chunks: [], commits: [] };
        found.set(key, one);
        return one;
      };
      const add = (name: "together" | "graph", key: number, amount: number): void => {
        const file = entry(key);
        if (file !== undefined) file.evidence[name] += amount;
      };
      for (const { file, score } of seeds) {
        const strength = score / best;
        const mates = q.together.all(file.path, file.path) as { key: number; w: number }[];
        const most = mates.reduce((sum, mate) => sum + mate.w, 0);
        for (const mate of mates) add("together", mate.key, (strength * mate.w) / Math.max(0.5, most));
        const near = q.near.all(file.key, file.key) as { key: number; type: string }[];
        for (const one of near) add("graph", one.key, (strength * (one.type === "tests" ? 2 : 1)) / Math.sqrt(1 + near.length));
      }
      for (const name of ["together", "graph"] as const) {
        const top = Math.max(...[...found.values()].map((file) => file.evidence[name]));
        if (top > 0) for (const file of found.values()) file.evidence[name] /= top;
      }
    },
  };
}
