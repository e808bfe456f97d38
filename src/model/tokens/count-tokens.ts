/**
 * Real token counts (o200k). The vocabulary is loaded on first use. Counts are kept per string in a bounded cache,
 * and long input is cut into pieces because merging is quadratic on text without white space.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sha256, must } from "../../kernel/index.ts";
import { createTokenCounter } from "./byte-pairs.ts";
import type { ModelMessage, ModelRequest, ToolSpec } from "../types.ts";

type Encode = (text: string) => number;

const PIECE_CHARS = 4096;
/** Texts share passages: a page is fitted, put under a heading, cut. Passages are counted once. */
const PASSAGE_LINES = 8;
/** A run this long without white space makes merging quadratic; shorter pieces keep it flat. */
const RUN_CHARS = 512;
const CACHE_ENTRIES = 4096;
/** Short strings are their own key; hashing them would cost more than it saves. */
const PLAIN_KEY_CHARS = 128;
/** Role markers and separators around each message in chat formats. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_REQUEST = 3;
const TOKENS_PER_TOOL = 8;

const cache = new Map<string, number>();
let encode: Encode | undefined;

function tokenizer(): Encode {
  encode ??= createTokenCounter(readFileSync(createRequire(import.meta.url).resolve("gpt-tokenizer/data/o200k_base.tiktoken")));
  return encode;
}

/** Cut points sit after white space where there is any, and never inside a surrogate pair. */
function* pieces(text: string): Generator<string> {
  let from = 0;
  while (text.length - from > PIECE_CHARS) {
    let to = from + PIECE_CHARS;
    const window = text.slice(to - RUN_CHARS, to);
    const space = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" "));
    if (space >= 0) to = to - RUN_CHARS + space;
    if (to > from + 1 && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}

/**
 * Passages end where the vocabulary's splitting ends anyway: after a line feed that a line with something on it
 * follows. Which of those places depends only on the line that follows, so equal stretches of two texts
 * fall into equal passages wherever they stand.
 */
function* passages(text: string): Generator<string> {
  let from = 0;
  for (let at = text.indexOf("\n") + 1; at > 0 && at < text.length;) {
    const end = text.indexOf("\n", at);
    const to = end === -1 ? text.length : end;
    if (isCut(text, at, to)) {
      yield text.slice(from, at);
      from = at;
    }
    at = end + 1;
  }
  yield text.slice(from);
}

/** Characters at both ends of a line that say whether a passage ends before it. */
const END_CHARS = 8;

/** A line that begins with a slash or a carriage return may still belong to the piece before it. */
function isCut(text: string, from: number, to: number): boolean {
  const first = text.charCodeAt(from);
  if (first === 47 || first === 13) return false;
  let sum = to - from;
  for (let i = from; i < Math.min(to, from + END_CHARS); i += 1) sum += text.charCodeAt(i);
  for (let i = Math.max(from, to - END_CHARS); i < to; i += 1) sum += text.charCodeAt(i);
  return sum % PASSAGE_LINES === 0 && !isBlank(text, from, to);
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i += 1) {
    const code = text.charCodeAt(i);
    if (code > 32 && code < 127) return false;
  }
  return true;
}

function countFresh(text: string, enough: number): number {
  const count = tokenizer();
  if (text.length <= RUN_CHARS) return count(text);
  let total = 0;
  for (const passage of passages(text)) {
    total += passage.length === text.length ? countPassage(passage, count) : countTokens(passage);
    if (total > enough) break;
  }
  return total;
}

function countPassage(text: string, count: Encode): number {
  let total = 0;
  for (const piece of pieces(text)) total += longestRun(piece) >= RUN_CHARS ? countDense(piece, count) : count(piece);
  return total;
}

/** Longest stretch without white space, looked for only where one could be. */
function longestRun(piece: string): number {
  for (let at = RUN_CHARS - 1; at < piece.length;) {
    // Every stretch of that length covers one of these places; step back to the white space before it.
    let from = at;
    while (from >= 0 && at - from < RUN_CHARS && piece.charCodeAt(from) > 32) from -= 1;
    if (at - from >= RUN_CHARS) return RUN_CHARS;
    at = from + RUN_CHARS;
    if (from < 0) break;
  }
  return 0;
}

function countDense(piece: string, count: Encode): number {
  let total = 0;
  for (let from = 0; from < piece.length; from += RUN_CHARS) total += count(piece.slice(from, from + RUN_CHARS));
  return total;
}

/**
 * Tokens of a text in the o200k vocabulary: exact for current OpenAI models, an estimate for others. Who only wants to
 * know whether there are more than `enough` is told as soon as there are.
 */
export function countTokens(text: string, enough = Number.POSITIVE_INFINITY): number {
  if (text === "") return 0;
  const key = text.length <= PLAIN_KEY_CHARS ? text : sha256(text);
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const total = countFresh(text, enough);
  if (total > enough) return total;
  cache.set(key, total);
  if (cache.size > CACHE_ENTRIES) cache.delete(must(cache.keys().next().value));
  return total;
}

function countTool(tool: ToolSpec): number {
  return TOKENS_PER_TOOL + countTokens(tool.name) + countTokens(tool.description) + countTokens(JSON.stringify(tool.inputSchema));
}

export function conversationOf(request: Pick<ModelRequest, "system" | "user" | "messages">): ModelMessage[] {
  const rest = request.messages ?? [{ role: "user" as const, content: request.user }];
  return request.system === "" ? [...rest] : [{ role: "system", content: request.system }, ...rest];
}

/** Input tokens of a whole request: messages, their framing, tool schemas and a response schema. */
export function countRequestTokens(request: Pick<ModelRequest, "system" | "user" | "messages" | "tools" | "responseSchema">): number {
  let total = TOKENS_PER_REQUEST;
  for (const message of conversationOf(request)) total += TOKENS_PER_MESSAGE + countTokens(message.content);
  for (const tool of request.tools) total += countTool(tool);
  if (request.responseSchema !== undefined) total += countTokens(JSON.stringify(request.responseSchema));
  return total;
}
