/** One question to the whole index, by its domain, on one connection. */
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Near } from "../embed/find-near.ts";
import { openCrossDomain } from "../graph/cross-domain.ts";
import type { SearchHit, SearchRequest } from "../types.ts";
import { DEFAULT_K } from "./create-finder.ts";
import { createCodeSearch } from "./search-code.ts";
import { createHistorySearch } from "./search-history.ts";

const MAX_K = 200;
/** Beside what was said, a file counts so much that only its neighbours and its liveliness speak for. */
const UNSPOKEN_SHARE = 0.3;
/** Beside other hits, what Sylk's own tasks noted: one request notes its words with every task of it. */
const NOTED_SHARE = 0.3;
/** Less than this would be shown as nothing. */
const LEAST_SCORE = 0.005;

export type IndexQuestion = Omit<SearchRequest, "signal" | "rerank">;
export type SearchIndex = (request: IndexQuestion, nowMs: number, near?: Near) => SearchHit[];

export function createSearchIndex(db: DatabaseSync): SearchIndex {
  const code = createCodeSearch(db);
  const history = createHistorySearch(db);
  const searchAll: SearchIndex = (request, nowMs, near) => {
    const k = Math.max(1, Math.min(MAX_K, request.k ?? DEFAULT_K));
    const domain = request.domain ?? "all";
    // As in .gitignore: a pattern without a slash speaks of names, wherever they are.
    const glob = request.pathGlob?.includes("/") === false ? `**/${request.pathGlob}` : request.pathGlob;
    const matches = (file: string): boolean => glob === undefined || path.matchesGlob(file, glob);
    if (domain === "code")
      return code.find(request.text, k, (file) => file.kind !== "external" && matches(file.path), { near: near?.files });
    if (domain === "docs")
      return code.find(request.text, k, (file) => (file.kind === "doc" || file.kind === "external") && matches(file.path), {
        near: near?.files,
      });
    // What happened counts for a place when it happened there, or is linked to something there (VGD-051).
    const there = (hit: SearchHit): boolean =>
      request.pathGlob === undefined ||
      (hit.path !== "" && matches(hit.path)) ||
      openCrossDomain(db)
        .codeForHistory(hit.node)
        .some(({ node }) => node.path !== undefined && matches(node.path));
    const past = history
      .find(request.text, request.pathGlob === undefined ? k : MAX_K, nowMs, near?.entries)
      .filter(there)
      .slice(0, k);
    if (domain === "history") return past;
    const now = code.find(request.text, k, (file) => matches(file.path), { near: near?.files, unspoken: UNSPOKEN_SHARE });
    return withRoom([...now, ...past].filter(isShown), k);
  };

  return (request, nowMs, near) => searchAll(request, nowMs, near).filter(isShown);
}

const isShown = ({ score }: SearchHit): boolean => score >= LEAST_SCORE;
const isNoted = ({ node }: SearchHit): boolean => node.startsWith("journal:");

/** The best `k`; notes of tasks take no place from others beyond their share. */
function withRoom(hits: readonly SearchHit[], k: number): SearchHit[] {
  const others = hits.filter((hit) => !isNoted(hit)).length;
  const room = Math.max(Math.ceil(k * NOTED_SHARE), k - others);
  const best = hits.toSorted((x, y) => y.score - x.score);
  const tooMany = new Set(best.filter(isNoted).slice(room));
  return best.filter((hit) => !tooMany.has(hit)).slice(0, k);
}
