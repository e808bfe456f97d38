/** Ranked files as hits: the best piece of each, and why it is there. */
import type { DatabaseSync } from "node:sqlite";
import type { Near } from "../embed/find-near.ts";
import { tokenize } from "../text/tokenize.ts";
import type { SearchHit } from "../types.ts";
import type { Evidence } from "./code-evidence.ts";
import { createNameFinder, type NameHit } from "./find-names.ts";
import { createKnownShare } from "./known-share.ts";
import { questionVectors } from "./question-vectors.ts";
import { createCodeRanker, isSpokenOf, type RankedFile } from "./rank-code.ts";
import { understandQuery } from "./understand-query.ts";
import type { CodeWeights } from "./weights.ts";

const SAYINGS: Readonly<Record<keyof CodeWeights, string>> = {
  text: "text",
  near: "similar",
  path: "path",
  commits: "earlier changes described alike",
  lively: "changes often",
  named: "named outright",
  defines: "defines a name asked for",
  aside: "test, document or data",
};

function reasons(evidence: Evidence, weights: CodeWeights): string[] {
  return (Object.keys(SAYINGS) as (keyof CodeWeights)[])
    .map((name) => ({ name, part: weights[name] * evidence[name] }))
    .filter(({ part }) => Math.abs(part) > 0.02)
    .sort((a, b) => Math.abs(b.part) - Math.abs(a.part))
    .map(({ name, part }) => `${SAYINGS[name]} ${part.toFixed(2)}`);
}

export interface CodeSearch {
  /**
   * `near`: files by the vectors of a provider's model, instead of the built-in ones. `unspoken`: what a file
   * of which no word or name of the question speaks counts, where other kinds of hits stand beside it.
   */
  find(
    text: string,
    k: number,
    keep: (file: { path: string; kind: string }) => boolean,
    options?: { near?: Near["files"] | undefined; unspoken?: number },
  ): SearchHit[];
}

interface Place {
  id: string;
  name: string;
  line: number;
  endLine: number;
}

export function createCodeSearch(db: DatabaseSync): CodeSearch {
  const ranker = createCodeRanker(db);
  const share = createKnownShare(db, "code");
  const names = createNameFinder(db);
  const chunk = db.prepare(
    "SELECT c.line_start AS line, c.line_end AS endLine, c.name, n.id FROM chunks c LEFT JOIN nodes n ON n.key = c.node WHERE c.key = ?",
  );
  const first = db.prepare("SELECT key FROM chunks WHERE file = ? ORDER BY key LIMIT 1");
  const around = db.prepare(
    "SELECT id, name, line_start AS line, line_end AS endLine FROM nodes WHERE path = ? AND node_type <> 'file' AND line_start <= ? AND line_end >= ? ORDER BY line_start DESC LIMIT 1",
  );
  const defined = db.prepare(
    "SELECT id, name, line_start AS line, line_end AS endLine FROM nodes WHERE path = ? AND name = ? COLLATE NOCASE AND node_type <> 'file' ORDER BY node_type IN ('variable', 'constant'), line_start LIMIT 1",
  );
  const commit = db.prepare("SELECT name FROM nodes WHERE key = ?");

  const definition = (file: RankedFile, names: readonly string[]): Place | undefined => {
    if (file.evidence.defines === 0) return undefined;
    for (const name of names) {
      const found = defined.get(file.path, name) as Place | undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const toHit = (
    file: RankedFile,
    { line, names }: { line: number | undefined; names: readonly string[] },
    weights: CodeWeights,
    score: number,
  ): SearchHit => {
    const key = file.chunks[0]?.key ?? (first.get(file.key) as { key: number } | undefined)?.key;
    const piece = key === undefined ? undefined : (chunk.get(key) as (Omit<Place, "id"> & { id: string | null }) | undefined);
    const named = line === undefined ? definition(file, names) : (around.get(file.path, line, line) as Place | undefined);
    // The piece may hold more than the definition: what leads to it, or what stands beside it.
    const place = named !== undefined && named.id === piece?.id ? piece : (named ?? piece);
    const why = reasons(file.evidence, weights);
    const said = file.commits.toSorted((a, b) => b.score - a.score)[0];
    const subject = said === undefined ? undefined : (commit.get(said.key) as { name: string } | undefined)?.name;
    if (subject !== undefined && file.evidence.commits > 0.3) why.push(`e.g. "${subject.slice(0, 80)}"`);
    return {
      domain: file.kind === "doc" || file.kind === "external" ? "docs" : "code",
      path: file.path,
      node: place?.id ?? file.path,
      externalId: undefined,
      score,
      lines: place === undefined ? undefined : { from: place.line, to: place.endLine },
      title: place?.name ?? "",
      why,
      author: undefined,
      time: undefined,
      trust: 100,
      warning: undefined,
    };
  };

  /** Words as written of which the index knows no trace as a whole. */
  const unknownWords = (text: string): string[] =>
    (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).filter((word) => {
      const [whole] = tokenize(word);
      return whole !== undefined && !share.knows(whole);
    });

  return {
    find(text, k, keep, { near, unspoken = 1 } = {}) {
      const query = understandQuery(text);
      const lines = new Map(query.paths.filter(({ line }) => line !== undefined).map(({ path, line }) => [path, line]));
      const lineOf = (path: string): number | undefined =>
        [...lines].find(([named]) => path === named || path.endsWith(`/${named}`) || named.endsWith(`/${path}`))?.[1];
      const files = near === undefined ? undefined : new Map([...near].map(([file, one]) => [file, one.nearness]));
      const { files: all, weights } = ranker.rank(query, { ...questionVectors(query.text), files }, (fitting) =>
        near === undefined ? fitting : { ...fitting, near: MEANING_WEIGHT },
      );
      const ranked = all.filter((file) => file.score > 0 && isWorthShowing(file.evidence) && keep(file));
      const top = ranked[0];
      for (const file of ranked) {
        const piece = near?.get(file.key);
        if (file.chunks.length === 0 && piece !== undefined) file.chunks.push({ key: piece.chunk, score: piece.nearness });
      }
      const known = share.of(query.head.length > 0 ? query.head : [...query.words.keys()]);
      const sure = (top?.evidence.named ?? 0) > 0 ? 1 : Math.max(known, near?.get(top?.key ?? -1)?.nearness ?? 0);
      const hits = (files: readonly RankedFile[]): SearchHit[] =>
        files.slice(0, k).map((file) => {
          const share = isSpokenOf(file.evidence) || near?.has(file.key) === true ? 1 : unspoken;
          return toHit(
            file,
            { line: lineOf(file.path), names: query.isName ? query.identifiers : [] },
            weights,
            (share * sure * file.score) / (top as RankedFile).score,
          );
        });
      const similar = sure >= SURE ? [] : names.find(unknownWords(query.text)).filter(keep);
      if (similar.length === 0) return hits(ranked);
      const spoken = hits(ranked.filter((file) => isSpokenOf(file.evidence)));
      const seen = new Set(spoken.map((hit) => hit.path));
      const ceiling = spoken.at(-1)?.score ?? NAME_CEILING;
      return [...spoken, ...similar.filter((name) => !seen.has(name.path)).map((name) => nameHit(name, ceiling))].slice(0, k);
    },
  };
}

/** Vectors of a model that knows meanings count more than those that only know spellings. */
const MEANING_WEIGHT = 0.9;

/** Nearer than most pieces are to most questions. */
const NEAR_ENOUGH = 0.2;

const isWorthShowing = (evidence: Evidence): boolean => isSpokenOf(evidence) || evidence.near >= NEAR_ENOUGH || evidence.lively > 0;

/** So much of a question known, nobody looks for names that are only spelt alike. */
const SURE = 0.9;
/** The best a hit by spelling alone can be. */
const NAME_CEILING = 0.6;

function nameHit(name: NameHit, ceiling: number): SearchHit {
  return {
    domain: name.kind === "doc" || name.kind === "external" ? "docs" : "code",
    path: name.path,
    node: name.id,
    externalId: undefined,
    score: Math.min(ceiling, NAME_CEILING) * name.likeness,
    lines: name.lines,
    title: name.name,
    why: [name.likeness === 1 ? "name contains a word asked for" : `name spelt alike ${name.likeness.toFixed(2)}`],
    author: undefined,
    time: undefined,
    trust: 100,
    warning: undefined,
  };
}
