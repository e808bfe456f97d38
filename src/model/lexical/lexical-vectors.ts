/**
 * Vectors that need nothing: words and character trigrams of a text, identifiers split into their
 * parts, hashed into a fixed number of dimensions with a sign, weighted by the log of their count, and
 * brought to length one. Texts that share rare words and word parts are near each other.
 */
export const LEXICAL_DIMENSIONS = 384;

const WORD_WEIGHT = 1;
const TRIGRAM_WEIGHT = 0.35;
const BIGRAM_WEIGHT = 0.5;
const MAX_CHARS = 32_768;
const STOP_WORDS = new Set("a an and are as at be by for from has in is it its of on or that the this to was were will with".split(" "));

/** FNV-1a over UTF-16 units, finished with an avalanche so that low bits are usable. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

/** `parseHTTPRequest_v2` → parse, http, request, v2. */
function splitIdentifier(word: string): string[] {
  return word
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_$-]+/)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase());
}

function* features(text: string): Generator<[feature: string, weight: number]> {
  let previous: string | undefined;
  for (const [word] of text.slice(0, MAX_CHARS).matchAll(/[\p{L}\p{N}_$]+/gu)) {
    const parts = splitIdentifier(word);
    if (parts.length > 1) yield [`w:${word.toLowerCase()}`, WORD_WEIGHT];
    for (const part of parts) {
      if (STOP_WORDS.has(part)) continue;
      yield [`w:${part}`, WORD_WEIGHT];
      if (previous !== undefined) yield [`b:${previous} ${part}`, BIGRAM_WEIGHT];
      previous = part;
      const padded = `^${part}$`;
      for (let i = 0; i + 3 <= padded.length; i += 1) yield [`t:${padded.slice(i, i + 3)}`, TRIGRAM_WEIGHT];
    }
  }
}

export function lexicalVector(text: string): Float32Array {
  const counts = new Map<string, { count: number; weight: number }>();
  for (const [feature, weight] of features(text)) {
    const seen = counts.get(feature);
    if (seen === undefined) counts.set(feature, { count: 1, weight });
    else seen.count += 1;
  }
  const vector = new Float32Array(LEXICAL_DIMENSIONS);
  for (const [feature, { count, weight }] of counts) {
    const at = hashOf(feature, 0) % LEXICAL_DIMENSIONS;
    const sign = (hashOf(feature, 0x9e3779b9) & 1) === 0 ? 1 : -1;
    vector[at] = (vector[at] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  let norm = 0;
  for (const value of vector) norm += value * value;
  const length = Math.sqrt(norm);
  if (length > 0) for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}
