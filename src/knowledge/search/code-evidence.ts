/** Gathers, per file, how strongly each kind of evidence speaks for it. No weighing here. */
import type { DatabaseSync } from "node:sqlite";
import { nearnessOf } from "../text/word-vectors.ts";
import { createFileRows } from "./file-rows.ts";
import { createMentions } from "./find-mentioned.ts";
import { createNearSigns } from "./near-signs.ts";
import { createPathWords } from "./path-words.ts";
import type { CodeQuery } from "./understand-query.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { CODE_SEARCH, type CodeWeights } from "./weights.ts";
import { createWordSearch } from "./word-search.ts";

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
  near: 0,
  commits: 0,
  path: 0,
  lively: 0,
  named: 0,
  defines: 0,
  aside: 0,
};

type Scores = Map<number, number>;
export type Found = Map<number, FileEvidence>;

export function createCodeEvidence(db: DatabaseSync) {
  const words = vocabularyOf(db);
  const rows = createFileRows(db);
  const pieces = createWordSearch(db, "chunks");
  const messages = createWordSearch(db, "commits");
  const paths = createPathWords(db);
  const signs = createNearSigns(db);
  const mentions = createMentions(db);
  const q = {
    commitFiles: db.prepare(
      'SELECT cf.commit_key AS "commit", f.key, c.files FROM json_each(?) j JOIN commits c ON c.key = j.value JOIN commit_files cf ON cf.commit_key = c.key JOIN files f ON f.path = cf.path',
    ),
    lively: db.prepare("SELECT key FROM files WHERE changes > 0 ORDER BY changes DESC LIMIT ?"),
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

  /** Pieces by all words of the question, and those near it; a file counts with its best, and a little with the others. */
  const gatherPieces = (found: Found, query: CodeQuery, vectors: QuestionVectors): void => {
    const all = words.entries("chunks");
    const weighed = all > CODE_SEARCH.large.pieces ? CODE_SEARCH.large.weighed : CODE_SEARCH.pieces.weighed;
    const hits = pieces.find(query.words, { ...CODE_SEARCH.pieces, weighed });
    const { piece } = vectors;
    if (piece !== undefined) {
      const seen = new Set(hits.map(({ key }) => key));
      const affordable = Math.floor(CODE_SEARCH.nearWork / Math.max(1, all));
      const count = Math.min(CODE_SEARCH.nearPieces, Math.max(CODE_SEARCH.fewestNear, affordable));
      hits.push(
        ...pieces.weigh(
          query.words,
          signs.pieces(piece, count).filter((key) => !seen.has(key)),
        ),
      );
    }
    rows.load(hits.map(({ owner }) => owner));
    const [best, near]: [Scores, Scores] = [new Map(), new Map()];
    const ranked = hits.map(({ key, owner, score, vector }) => {
      const nearness = piece === undefined || vector === undefined ? 0 : nearnessOf(piece, vector);
      if (nearness > (near.get(owner) ?? 0)) near.set(owner, nearness);
      return { key, owner, score, whole: nearness };
    });
    const top = hits.reduce((high, { score }) => Math.max(high, score), 1e-9);
    for (const hit of ranked) hit.whole = hit.score / top + CODE_SEARCH.nearInFile * hit.whole;
    ranked.sort((a, b) => b.score - a.score);
    for (const hit of ranked) {
      const file = entryIn(found, hit.owner);
      if (file === undefined) continue;
      file.chunks.push({ key: hit.key, score: hit.whole });
      if (!best.has(hit.owner)) best.set(hit.owner, hit.score);
    }
    for (const file of found.values()) file.chunks.sort((a, b) => b.score - a.score);
    // Of what the whole question tells; not of the best file, which may be a poor one.
    spread(found, "text", best, pieces.worth(query.words));
    if (vectors.files !== undefined) spread(found, "near", new Map(vectors.files), most(new Map(vectors.files)));
    else spread(found, "near", near, 1);
  };

  /** Earlier commits that said something alike pass it on to the files they changed. */
  const gatherCommits = (found: Found, query: CodeQuery, { saying }: QuestionVectors): void => {
    const hits = messages.find(query.words, CODE_SEARCH.commits);
    if (saying !== undefined) {
      const seen = new Set(hits.map(({ key }) => key));
      hits.push(
        ...messages.weigh(
          query.words,
          signs.sayings("commit", saying, CODE_SEARCH.nearCommits).filter((key) => !seen.has(key)),
        ),
      );
    }
    const worth = messages.worth(query.words) * CODE_SEARCH.wholeMessage;
    const alike = hits
      .map(({ key, score, vector }) => {
        const nearness = saying === undefined || vector === undefined ? 0 : Math.max(0, nearnessOf(saying, vector));
        const words = worth > 0 ? Math.min(1, score / worth) : 0;
        return { key, score: ((nearness + words) / 2) ** CODE_SEARCH.commitSharpness };
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, CODE_SEARCH.alikeCommits);
    const scores = new Map(alike.map(({ key, score }) => [key, score]));
    const passed: Scores = new Map();
    const changed = q.commitFiles.all(JSON.stringify([...scores.keys()])) as { commit: number; key: number; files: number }[];
    rows.load(changed.map(({ key }) => key));
    for (const { commit, key, files } of changed) {
      const share = (scores.get(commit) ?? 0) / Math.sqrt(Math.max(1, files));
      passed.set(key, (passed.get(key) ?? 0) + share);
      entryIn(found, key)?.commits.push({ key: commit, score: share });
    }
    // The best counts whole only if it is alike enough.
    spread(found, "commits", passed, Math.max(CODE_SEARCH.alikeEnough, most(passed)));
  };

  /** What the question names: words of paths, paths outright, and names of definitions. */
  const gatherNames = (found: Found, query: CodeQuery): void => {
    const scores = paths.find(query.head, CODE_SEARCH.names);
    spread(found, "path", scores, most(scores));
    for (const [name, shares] of [
      ["named", mentions.files(query.paths)],
      ["defines", mentions.definers(query.identifiers)],
    ] as const) {
      for (const [key, share] of shares) {
        const file = entryIn(found, key);
        if (file !== undefined) file.evidence[name] = share;
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
        file.evidence.aside = asideOf(file.kind, rows.get(file.key)?.test === 1);
      }
      if (top > 0) for (const file of found.values()) file.evidence.lively /= top;
      return found;
    },
  };
}

/** Definitions and uses first, then tests, then documents, then what nobody writes by hand. */
function asideOf(kind: string, test: boolean): number {
  if (/^(?:generated|data|binary|hidden)$/u.test(kind)) return 1;
  return kind === "doc" || kind === "external" ? 0.8 : test ? 0.5 : kind === "code" ? 0 : 0.3;
}
