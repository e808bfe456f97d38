/** Looking for things: one domain, all of them, or as much as a token budget allows. */
import { z } from "zod";
import type { SearchDomain, SearchHit, SearchRequest } from "../../../knowledge/index.ts";
import { SylkError } from "../../../kernel/index.ts";
import { countTokens } from "../../../model/index.ts";
import type { ProjectKnowledge } from "../../../knowledge/index.ts";
import { defineSkill, freshen, type Skill, type SkillResponse, type SkillResult } from "./skill.ts";

const DOMAINS = { code: "code", history: "history", academic: "docs" } as const;
type DomainName = keyof typeof DOMAINS;

function resultOf(hit: SearchHit): SkillResult {
  return {
    id: hit.node,
    score: Math.round(hit.score * 1_000) / 1_000,
    snippet: `${hit.title}${hit.time === undefined ? "" : ` (${hit.time.slice(0, 10)})`}`,
    path: hit.path,
    line_start: hit.lines?.from,
    trust: hit.trust,
    warning: hit.warning,
  };
}

export interface Wanted {
  query: string;
  limit: number;
  domain: SearchDomain;
  pathGlob?: string | undefined;
  rerank?: boolean | undefined;
  keep?: ((hit: SearchHit) => boolean) | undefined;
  signal: AbortSignal;
}

/** More are looked at than wanted where some will be left out. */
export async function searchOne(knowledge: ProjectKnowledge, wanted: Wanted): Promise<SearchHit[]> {
  const { query, limit, domain, pathGlob, rerank, keep, signal } = wanted;
  const request: SearchRequest = {
    text: query,
    domain,
    k: keep === undefined ? limit : Math.min(200, limit * 5),
    pathGlob,
    rerank,
    signal,
  };
  const { hits } = await knowledge.search(request);
  return hits.filter(keep ?? (() => true)).slice(0, limit);
}

/** SRC-006: where else the topic is, so that nobody has to probe. */
async function elsewhere(knowledge: ProjectKnowledge, query: string, searched: SearchDomain, signal: AbortSignal): Promise<string[]> {
  const out: string[] = [];
  for (const [name, domain] of Object.entries(DOMAINS))
    if (domain !== searched && (await knowledge.search({ text: query, domain, k: 1, signal })).hits.length > 0) out.push(name);
  return out;
}

export async function answerSearch(knowledge: ProjectKnowledge, wanted: Wanted): Promise<SkillResponse> {
  const indexing = await freshen(knowledge, wanted.signal);
  const hits = await searchOne(knowledge, wanted);
  const others = await elsewhere(knowledge, wanted.query, wanted.domain, wanted.signal);
  if (hits.length > 0) return { status: "ok", results: hits.map(resultOf), also_exists_in: others, ...indexing };
  return {
    status: "no_matches",
    results: [],
    also_exists_in: others,
    hint: others.length === 0 ? "no domain knows it; try other words" : `try ${others.map((name) => `search_${name}`).join(" or ")}`,
    ...indexing,
  };
}

/** KNO-037: a time that cannot be read is said, never left out. */
export function sinceOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new SylkError({
    code: "USAGE_BAD_TIME",
    tier: "user_fixable",
    message: `since cannot be "${text}"`,
    fix: "a time such as 2026-01-31T00:00:00Z",
  });
}

const query = z.string().min(1);
const limit = z.int().min(1).max(50).default(10);
/** A model puts the best in order. */
export const rerank = z.boolean().optional();
const GOALS = { quick: 3, moderate: 8, thorough: 15 };
const DROP = 0.6;

export function createSearchSkills(knowledge: ProjectKnowledge): Skill[] {
  return [
    defineSkill({
      name: "search_code",
      summary: "Find files and symbols by words, names, paths or an error message.",
      tier: 1,
      priority: 100,
      keywords: /find|search|locate|where|code/iu,
      schema: z.object({ query, limit, symbol_type: z.string().optional(), file_pattern: z.string().optional(), rerank }),
      about: (args) => args.query,
      async run(args, { signal }) {
        const { query: text, limit: most, symbol_type: type, file_pattern: pathGlob, rerank: ordered } = args;
        const found = await answerSearch(knowledge, { query: text, limit: most, domain: "code", pathGlob, rerank: ordered, signal });
        return type === undefined || type === "any" ? found : ofType(knowledge, found, type, text, most);
      },
    }),
    defineSkill({
      name: "search_academic",
      summary: "Find sections of documents.",
      tier: 1,
      priority: 95,
      keywords: /docs|document|paper/iu,
      schema: z.object({ query, limit, rerank }),
      about: (args) => args.query,
      run: (args, { signal }) => answerSearch(knowledge, { ...args, domain: "docs", signal }),
    }),
    defineSkill({
      name: "search_all",
      summary: "Find in code, history and documents at once.",
      tier: 2,
      priority: 88,
      keywords: /everything|anywhere|all domains|overview|across/iu,
      schema: z.object({
        query,
        domains: z.array(z.enum(["code", "history", "academic"])).optional(),
        limit_per_domain: z.int().min(1).max(20).default(5),
      }),
      about: (args) => args.query,
      run: (args, { signal }) => searchAll(knowledge, args, signal),
    }),
    defineSkill({
      name: "smart_search",
      summary: "Find as much as fits a token budget, everywhere.",
      tier: 2,
      priority: 84,
      keywords: /thorough|budget|gather|collect/iu,
      schema: z.object({
        query,
        token_budget: z.int().min(100).max(20_000).default(1_000),
        thoroughness: z.enum(["quick", "moderate", "thorough"]).default("moderate"),
      }),
      about: (args) => args.query,
      run: (args, { signal }) => smartSearch(knowledge, args, signal),
    }),
  ];
}

/** A file is found as a whole; of its symbols of this type, those that bear a word asked for, else those in the place found. */
function ofType(knowledge: ProjectKnowledge, found: SkillResponse, type: string, text: string, most: number): SkillResponse {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const results = found.results.flatMap((result) => {
    const { symbols } = knowledge.graph().symbolsOf(result.path ?? "", type);
    const named = symbols.filter((symbol) => words.some((word) => symbol.name.toLowerCase().includes(word)));
    const here = symbols.filter((symbol) => symbol.id === result.id);
    return (named.length > 0 ? named : here).map((symbol) => ({
      ...result,
      id: symbol.id,
      snippet: `${symbol.type} ${symbol.signature ?? symbol.name}`,
      line_start: symbol.line,
    }));
  });
  return results.length > 0 ? { ...found, results: results.slice(0, most) } : { ...found, status: "no_matches", results };
}

/** SRC-005: one domain's trouble is that domain's alone. */
async function searchAll(
  knowledge: ProjectKnowledge,
  args: { query: string; domains?: DomainName[] | undefined; limit_per_domain: number },
  signal: AbortSignal,
): Promise<SkillResponse> {
  const indexing = await freshen(knowledge, signal);
  const found: SkillResult[] = [];
  const notes: string[] = [];
  for (const name of args.domains ?? (Object.keys(DOMAINS) as DomainName[])) {
    try {
      const hits = await searchOne(knowledge, { query: args.query, limit: args.limit_per_domain, domain: DOMAINS[name], signal });
      if (hits.length === 0) notes.push(`${name}: no matches`);
      found.push(...hits.map(resultOf));
    } catch (error) {
      signal.throwIfAborted();
      notes.push(`${name}: error, ${(error as Error).message}`);
    }
  }
  return { status: found.length === 0 ? "no_matches" : "ok", results: found, suggestions: notes, ...indexing };
}

/** SRC-007: one ranked list, walked once; what does not fit is passed over. */
async function smartSearch(
  knowledge: ProjectKnowledge,
  args: { query: string; token_budget: number; thoroughness: keyof typeof GOALS },
  signal: AbortSignal,
): Promise<SkillResponse> {
  const indexing = await freshen(knowledge, signal);
  const hits = await searchOne(knowledge, { query: args.query, limit: GOALS.thorough * 2, domain: "all", signal });
  const best = hits[0]?.score ?? 0;
  const results: SkillResult[] = [];
  let used = 0;
  for (const hit of hits) {
    if (results.length >= GOALS[args.thoroughness] || hit.score < best * DROP) break;
    const result = resultOf(hit);
    const cost = countTokens(JSON.stringify(result));
    if (used + cost > args.token_budget) continue;
    used += cost;
    results.push(result);
  }
  return { status: results.length === 0 ? "no_matches" : "ok", results, tokens_used: used, budget: args.token_budget, ...indexing };
}
