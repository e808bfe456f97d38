/**
 * The one tokenizer of the index and of queries: what is written by it can be found by it. Identifiers
 * give their whole and their parts, words their stem, scripts without spaces their pairs of characters.
 */
import { stem } from "./stem.ts";

const WORD = /[\p{L}\p{N}_$]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const MAX_TOKEN = 64;
/** Long runs without a meaning: hashes, base64. */
const NOISE = /^(?=.*\d)[\da-z]{24,}$/u;
const BEYOND_ASCII = /[^\p{ASCII}]/u;

/** `parseHTTPRequest_v2` → parse, http, request, v2. */
function splitIdentifier(word: string): string[] {
  if (/^[a-z]+$/u.test(word)) return [word];
  return word
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/(\p{L}{2,})(\d+)/gu, "$1 $2")
    .split(/[\s_$]+/u)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
}

const cache = new Map<string, readonly string[]>();
const CACHE_SIZE = 60_000;

function tokensOfWord(word: string): readonly string[] {
  let found = cache.get(word);
  if (found !== undefined) return found;
  if (BEYOND_ASCII.test(word) && UNSPACED.test(word)) {
    const chars = Array.from(word);
    found = chars.length === 1 ? [word] : chars.slice(1).map((char, i) => `${chars[i] as string}${char}`);
  } else {
    const parts = splitIdentifier(word).map((part) => stem(plain(part)));
    const whole = plain(word.toLowerCase().replaceAll(/[_$]+/gu, ""));
    found = (parts.length > 1 ? [whole, ...parts] : parts).filter((t) => t !== "" && t.length <= MAX_TOKEN && !NOISE.test(t));
  }
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(word, found);
  return found;
}

function plain(text: string): string {
  return BEYOND_ASCII.test(text) ? text.normalize("NFKD").replaceAll(/\p{M}+/gu, "") : text;
}

export function tokenize(text: string): string[] {
  const out: string[] = [];
  for (const [word] of text.matchAll(WORD)) for (const token of tokensOfWord(word)) out.push(token);
  return out;
}

/** Tokens as a text that the full-text index splits at spaces only. */
export function indexText(text: string): string {
  return tokenize(text).join(" ");
}

/** What a commit message looks like rather than says: releases are alike though no two versions are. */
export function shapeTerms(text: string): string[] {
  return /(?:^|[\s@v])\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?(?=$|[\s,;:)])/u.test(text) ? ["versionnumber"] : [];
}
