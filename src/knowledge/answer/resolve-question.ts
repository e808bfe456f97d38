/**
 * One question, three layers (SRC-020…024): an answer given before whose grounds still hold; else what the
 * graph holds, when that is an answer; else a model, when it may be asked. Whatever layer answers, the
 * sources come with it, and what could not be done is said.
 */
import type { DatabaseSync } from "node:sqlite";
import { wording } from "../../kernel/index.ts";
import type { IntentCache } from "../cache/intent-cache.ts";
import { intentOf } from "../cache/intent-of.ts";
import { openGraph } from "../graph/open-graph.ts";
import { conflictLine } from "../truth/find-conflicts.ts";
import type { FoundConflict } from "../store/conflict-writer.ts";
import { readProvenance, sourceLine } from "../truth/provenance.ts";
import { verifyEntry } from "../truth/verify-entry.ts";
import type { Context } from "./build-context.ts";
import type { RetrievalLimits } from "./gather-evidence.ts";
import type { KnowledgeModels } from "../models.ts";
import { parseAnswer, type Segment } from "./parse-answer.ts";

/** A model is asked never, only where the graph does not suffice, or for everything that is not cached. */
export type ModelUse = "never" | "when_unsure" | "always";

export interface Question {
  text: string;
  domain?: "code" | "history" | "docs" | "all" | undefined;
  k?: number | undefined;
  maxTokens?: number | undefined;
  model: ModelUse;
  /** What to do with the sources beyond answering, e.g. compare. */
  task?: string | undefined;
  /** Look again with a model's better words; once when absent. */
  looks?: RetrievalLimits | undefined;
  signal: AbortSignal;
}

export interface AnswerSource {
  n: number;
  id: string;
  path: string | undefined;
  line: number | undefined;
  trust: number;
  quality: number;
  /** One line that shows it. */
  shown: string;
  /** What it says: the best one whole, the others by their beginning. */
  excerpt: string;
}

export interface Answer {
  layer: "cache" | "graph" | "model" | "none";
  text: string;
  sources: AnswerSource[];
  /** Numbers the text cites. */
  cited: number[];
  /** Stretches of the text with the source each rests on. */
  segments: Segment[];
  inferences: string[];
  conflicts: FoundConflict[];
  warnings: string[];
  /** Of the model, for this answer. */
  tokens: number;
}

const SUFFICIENT = { quality: 0.8, trust: 80, items: 2, similarity: 0.5 };
/** Whatever else it speaks of, no place answers it. */
const WANTS_REASONS = /^\s*(?:how (?:does|do|is|are)|why|explain)\b/iu;
const SURE_ENOUGH = 0.8;
const EXCERPT = { lines: 2, chars: 120 };
/** The best passage is given whole, unless it is a chapter. */
const PASSAGE = { lines: 40, chars: 200 };

export interface ResolveParts {
  db: DatabaseSync;
  models: KnowledgeModels | undefined;
  cache: IntentCache<Answer>;
  nowMs: number;
  context: (question: Question) => Promise<{ context: Context; files: ReadonlyMap<string, string> }>;
  hashOf: (path: string) => string | undefined;
}

function passageOf(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, PASSAGE.lines).map((line) => wording.shorten(line.trimEnd(), PASSAGE.chars));
  return [...shown, ...(lines.length > shown.length ? [`… ${lines.length - shown.length} more lines`] : [])].join("\n");
}

/** The first lines that say something, from where the name stands; a line that is only the name says nothing. */
function excerptOf(text: string, name: string): string {
  const lines = text.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line) && line.trim() !== name.trim());
  const from = Math.max(
    0,
    lines.findIndex((line) => line.includes(name)),
  );
  return lines
    .slice(from, from + EXCERPT.lines)
    .map((line) => wording.shorten(line.trimEnd(), EXCERPT.chars))
    .join("\n");
}

/** SRC-023: a place is an answer by itself; what wants an explanation is not. */
function suffices(question: Question, context: Context): boolean {
  if (context.items.length === 0 || question.task !== undefined) return false;
  const intent = intentOf(question.text);
  if (intent === "locate") return true;
  if (intent === "explain" || intent === "pattern" || intent === "research" || WANTS_REASONS.test(question.text)) return false;
  const good = context.items.filter(
    (one) => one.quality > SUFFICIENT.quality && one.trust >= SUFFICIENT.trust && one.similarity >= SUFFICIENT.similarity,
  );
  return good.length >= SUFFICIENT.items && !context.conflicts.some((one) => one.severity !== "info");
}

/** What else decides an answer, besides the words of the question. */
function scopeOf(models: KnowledgeModels | undefined, { domain = "all", k, maxTokens, model, looks, task }: Question): string {
  return JSON.stringify([
    [domain, k, maxTokens, task],
    [models?.embedder()?.model, model, model === "never" ? undefined : models?.answerer()?.model],
    looks === undefined ? undefined : [looks, models?.evaluator()?.model],
  ]);
}

export async function resolveQuestion(parts: ResolveParts, question: Question): Promise<Answer> {
  const graph = openGraph(parts.db);
  const scope = scopeOf(parts.models, question);
  const kept = parts.cache.get(question.text, scope, parts.hashOf);
  // SRC-021: what an answer rests on must still be there and be the newest of its kind.
  const holds = kept?.sources.every((source) => {
    const node = graph.get(source.id);
    return node !== undefined && node.supersededBy === undefined;
  });
  if (kept !== undefined && holds === true) return { ...kept, layer: "cache", tokens: 0 };

  const { context, files } = await parts.context(question);
  const answer: Answer = {
    layer: context.items.length === 0 ? "none" : "graph",
    text: "",
    sources: context.items.map((one, i) => ({
      n: i + 1,
      id: one.node.id,
      path: one.node.path,
      line: one.node.line,
      trust: one.trust,
      quality: one.quality,
      shown: sourceLine(i + 1, one.node, readProvenance(parts.db, one.node.id), parts.nowMs),
      excerpt: i === 0 ? passageOf(one.text) : excerptOf(one.text, one.node.name),
    })),
    cited: [],
    segments: [],
    inferences: [],
    conflicts: context.conflicts,
    warnings: [...context.warnings],
    tokens: 0,
  };
  answer.text = answer.sources.map((source) => source.shown).join("\n");
  answer.cited = answer.sources.map((source) => source.n);
  const enough = suffices(question, context);
  if (context.items.length > 0 && (question.model === "always" || (question.model === "when_unsure" && !enough))) {
    const made = await synthesise(parts, question, context, answer);
    if (made !== undefined && isCacheable(parts.db, made)) parts.cache.put(question.text, scope, made, files);
    if (made !== undefined) return made;
  } else if (enough && !context.conflicts.some((one) => one.severity !== "info")) {
    parts.cache.put(question.text, scope, answer, files);
  }
  return answer;
}

async function synthesise(parts: ResolveParts, question: Question, context: Context, found: Answer): Promise<Answer | undefined> {
  const model = parts.models?.answerer();
  if (model === undefined) {
    found.warnings.push("no model is configured to answer with; these are the sources alone");
    return undefined;
  }
  const conflicts = context.conflicts.map((one) => `${CONFLICT_NAMES[one.type]}: ${conflictLine(one)}`).join("\n");
  const result = await model.answer({ question: question.text, sources: context.text, conflicts, task: question.task }, question.signal);
  if (result.kind === "failed") {
    found.warnings.push(`the model failed: ${result.reason}; these are the sources alone`);
    return undefined;
  }
  const parsed = parseAnswer(result.text, found.sources.length);
  return {
    ...found,
    layer: "model",
    text: result.text,
    cited: parsed.cited,
    segments: parsed.segments,
    inferences: parsed.inferences,
    warnings: [...found.warnings, ...parsed.warnings, ...(parsed.cited.length === 0 ? ["the answer cites no source"] : [])],
    tokens: result.tokens,
  };
}

const CONFLICT_NAMES: Readonly<Record<FoundConflict["type"], string>> = {
  temporal: "Temporal",
  source_mismatch: "Source Mismatch",
  semantic: "Semantic Contradiction",
};

/** SRC-022. */
function isCacheable(db: DatabaseSync, answer: Answer): boolean {
  const verdict = verifyEntry(db, { content: answer.text, files: [] });
  return (
    answer.cited.length > 0 &&
    answer.inferences.length === 0 &&
    !answer.conflicts.some((one) => one.severity !== "info") &&
    verdict.contradictions.length === 0 &&
    verdict.confidence >= SURE_ENOUGH
  );
}
