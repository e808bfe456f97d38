/** Gathers, per file, how strongly each kind of evidence speaks for it. No weighing here. */
import type { DatabaseSync } from "node:sqlite";
import type { CodeQuery } from "./understand-query.ts";
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
  body: 0,
  symbols: 0,
  path: 0,
  commits: 0,
  alike: 0,
  lift: 0,
  lively: 0,
  together: 0,
  graph: 0,
  vector: 0,
  named: 0,
  defines: 0,
  unlikely: 0,
};

const quote = (term: string): string => `"${term.replaceAll('"', '""')}"`;
const anyOf = (terms: readonly string[]): string => terms.map(quote).join(" OR ");

interface FileRow {
  path: string;
  kind: string;
  changes: number;
}

const MAX_KEPT = 200_000;

type Scores = Map<number, number>;

export function createCodeEvidence(db: DatabaseSync) {
  const q = {
    files: db.prepare("SELECT rowid AS key, -bm25(file_fts, 1, 1, 1) AS score FROM file_fts WHERE file_fts MATCH ? ORDER BY rank LIMIT ?"),
    chunks: db.prepare(
      "SELECT rowid AS key, -bm25(chunk_fts, 2.5, 1) AS score FROM chunk_fts WHERE chunk_fts MATCH ? AND rank MATCH 'bm25(2.5, 1)' ORDER BY rank LIMIT ?",
    ),
    chunkFile: db.prepare("SELECT file FROM chunks WHERE key = ?"),
    commits: db.prepare(
      "SELECT rowid AS key, -bm25(commit_fts, 2, 1) AS score FROM commit_fts WHERE commit_fts MATCH ? AND rank MATCH 'bm25(2, 1)' ORDER BY rank LIMIT ?",
    ),
    commitFiles: db.prepare(
      "SELECT f.key, c.files FROM commit_files cf JOIN commits c ON c.key = cf.commit_key JOIN files f ON f.path = cf.path WHERE cf.commit_key = ?",
    ),
    lively: db.prepare("SELECT key, changes FROM files WHERE changes > 0 ORDER BY changes DESC LIMIT 60"),
    file: db.prepare("SELECT path, kind, changes FROM files WHERE key = ?"),
    pathEnd: db.prepare("SELECT key, path FROM files WHERE path = ? OR path LIKE ? ESCAPE '!' LIMIT 12"),
    symbol: db.prepare(
      "SELECT owner AS file, count(*) AS n FROM nodes WHERE name = ? COLLATE NOCASE AND domain = 'code' AND owner IS NOT NULL GROUP BY owner LIMIT 30",
    ),
    version: db.prepare("SELECT data_version AS others, total_changes() AS own FROM pragma_data_version"),
    df: db.prepare("SELECT doc FROM chunk_terms WHERE term = ?"),
    chunkCount: db.prepare("SELECT count(*) AS n FROM chunks"),
    together:
      db.prepare(`SELECT f.key, sum(r.w) AS w FROM (SELECT c.key, 1.0 / c.files AS w FROM commit_files cf JOIN commits c ON c.key = cf.commit_key
      WHERE cf.path = ? AND c.files BETWEEN 2 AND 30 ORDER BY c.at DESC LIMIT 60) r JOIN commit_files o ON o.commit_key = r.key JOIN files f ON f.path = o.path
      WHERE o.path <> ? GROUP BY f.key ORDER BY w DESC LIMIT 12`),
    near: db.prepare(`SELECT target AS key, edge_type AS type FROM edges WHERE source = ? AND edge_type IN ('imports', 'tests')
      UNION ALL SELECT source, edge_type FROM edges WHERE target = ? AND edge_type IN ('imports', 'tests') LIMIT 40`),
    distance: db.prepare("SELECT vec_distance_cosine(embedding, ?) AS distance FROM vectors WHERE key = ?"),
    nearest: db.prepare("SELECT key FROM vectors WHERE domain = 'code' AND coarse MATCH vec_quantize_binary(?) AND k = ?"),
  };

  // Rows asked for again and again, kept until another connection changes the database.
  const files = new Map<number, FileRow | undefined>();
  const owners = new Map<number, number | undefined>();
  let version: string | undefined;
  const forgetWhenChanged = (): void => {
    const row = q.version.get() as { others: number; own: number };
    const now = `${row.others}:${row.own}`;
    if (now === version && files.size < MAX_KEPT && owners.size < MAX_KEPT) return;
    version = now;
    files.clear();
    owners.clear();
  };
  const fileRow = (key: number): FileRow | undefined => {
    if (!files.has(key)) files.set(key, q.file.get(key) as FileRow | undefined);
    return files.get(key);
  };
  const ownerOf = (chunk: number): number | undefined => {
    if (!owners.has(chunk)) owners.set(chunk, (q.chunkFile.get(chunk) as { file: number } | undefined)?.file);
    return owners.get(chunk);
  };

  /** Rare terms first; words that are everywhere are left out as long as enough others remain. */
  const telling = (terms: readonly string[]): string[] => {
    const total = (q.chunkCount.get() as { n: number }).n;
    const counted = terms.map((term) => ({ term, df: (q.df.get(term) as { doc: number } | undefined)?.doc ?? 0 }));
    const rare = counted.filter(({ df }) => df <= Math.max(20, total * CODE_SEARCH.commonShare));
    const kept =
      rare.length >= CODE_SEARCH.keepTerms || rare.length === terms.length
        ? rare
        : counted.toSorted((a, b) => a.df - b.df).slice(0, CODE_SEARCH.keepTerms);
    return kept.map(({ term }) => term);
  };

  const both = (query: CodeQuery, run: (terms: readonly string[]) => { key: number; score: number }[]): Scores => {
    const scores: Scores = new Map();
    for (const [terms, weight] of [
      [query.head, 1],
      [query.rest, CODE_SEARCH.restWeight],
    ] as const) {
      if (terms.length === 0) continue;
      for (const { key, score } of run(terms)) scores.set(key, (scores.get(key) ?? 0) + weight * score);
    }
    return scores;
  };

  const fileScores = (query: CodeQuery, column: string): Scores =>
    both(query, (terms) => q.files.all(`{${column}} : (${anyOf(terms)})`, CODE_SEARCH.fileHits) as { key: number; score: number }[]);

  return {
    telling,
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
        for (const [key, score] of scores) {
          const file = entry(key);
          if (file !== undefined) file.evidence[name] = score / best;
        }
      };
      const slim: CodeQuery = { ...query, head: telling(query.head), rest: telling(query.rest) };

      const chunkScores = both(slim, (terms) => q.chunks.all(anyOf(terms), CODE_SEARCH.chunkHits) as { key: number; score: number }[]);
      const bestChunk: Scores = new Map();
      const sumChunks: Scores = new Map();
      for (const [key, score] of [...chunkScores].sort((a, b) => b[1] - a[1])) {
        const file = ownerOf(key);
        const one = file === undefined ? undefined : entry(file);
        if (one === undefined || file === undefined) continue;
        one.chunks.push({ key, score });
        if (!bestChunk.has(file)) bestChunk.set(file, score);
        sumChunks.set(file, (sumChunks.get(file) ?? 0) + score / one.chunks.length ** 1.5);
      }
      spread("chunk", bestChunk);
      spread("chunks", sumChunks);
      spread("body", fileScores(slim, "body"));
      spread("symbols", fileScores(query, "symbols"));
      spread("path", fileScores(query, "path"));

      const commitScores = both(query, (terms) => q.commits.all(anyOf(terms), CODE_SEARCH.commitHits) as { key: number; score: number }[]);
      const bestCommit = Math.max(1e-9, ...commitScores.values());
      const fromCommits: Scores = new Map();
      const alike: Scores = new Map();
      for (const [commit, score] of commitScores) {
        const strength = (score / bestCommit) ** CODE_SEARCH.commitSharpness;
        for (const { key, files } of q.commitFiles.all(commit) as { key: number; files: number }[]) {
          const share = strength / Math.max(1, files) ** CODE_SEARCH.commitSpread;
          fromCommits.set(key, (fromCommits.get(key) ?? 0) + share);
          alike.set(key, (alike.get(key) ?? 0) + share * strength ** 2);
          entry(key)?.commits.push({ key: commit, score: share });
        }
      }
      spread("commits", fromCommits);
      spread("alike", alike);
      spread("lift", new Map([...fromCommits].map(([key, score]) => [key, score / Math.sqrt(0.5 + (fileRow(key)?.changes ?? 0))])));

      for (const { key } of q.lively.all() as { key: number }[]) entry(key);

      for (const { path } of query.paths) {
        const tail = path.replaceAll(/[!%_]/gu, "!$&");
        const hits = q.pathEnd.all(path, `%/${tail}`) as { key: number; path: string }[];
        for (const hit of hits) {
          const file = entry(hit.key);
          if (file !== undefined)
            file.evidence.named = Math.max(file.evidence.named, hit.path === path || hits.length === 1 ? 1 : 1 / hits.length);
        }
      }
      for (const name of query.identifiers) {
        const rows = q.symbol.all(name) as { file: number }[];
        for (const row of rows) {
          const file = entry(row.file);
          if (file !== undefined) file.evidence.defines = Math.min(1, file.evidence.defines + 1 / rows.length);
        }
      }
      if (vector instanceof Map) spread("vector", vector);
      else if (vector instanceof Float32Array) {
        const scores: Scores = new Map();
        const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
        const rows = q.nearest.all(bytes, BigInt(CODE_SEARCH.vectorHits)) as { key: number }[];
        for (const { key } of rows) {
          const { distance } = q.distance.get(bytes, BigInt(key)) as { distance: number };
          const file = ownerOf(key);
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
