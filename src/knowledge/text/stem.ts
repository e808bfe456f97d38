/** A light English stemmer: plural, past, progressive, adverb and the commonest noun endings. Same on both sides, so it may be rough. */
const VOWEL = /[aeiouy]/u;

function undouble(word: string): string {
  return /([bdfgmnprt])\1$/u.test(word) ? word.slice(0, -1) : word;
}

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("xes") || word.endsWith("ches") || word.endsWith("shes")) return word.slice(0, -2);
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (word.endsWith("s") && !/(?:ss|us|is)$/u.test(word)) return word.slice(0, -1);
  return word;
}

function tense(word: string): string {
  if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith("ing") && word.length > 5 && VOWEL.test(word.slice(0, -3))) return undouble(word.slice(0, -3));
  if (word.endsWith("ed") && word.length > 4 && !word.endsWith("eed") && VOWEL.test(word.slice(0, -2))) return undouble(word.slice(0, -2));
  return word;
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ization$/u, "iz"],
  [/isation$/u, "iz"],
  [/ational$/u, "at"],
  [/(?<=.{3})ations?$/u, "at"],
  [/(?<=.{3})ator$/u, "at"],
  [/(?<=.{4})ment$/u, ""],
  [/(?<=.{4})ness$/u, ""],
  [/(?<=.{3})ively$/u, "iv"],
  [/(?<=.{3})fully$/u, "ful"],
  [/(?<=.{4})ly$/u, ""],
  [/(?<=.{3})ions?$/u, ""],
  [/(?<=.{4})er$/u, ""],
  [/(?<=.{4})or$/u, ""],
];

export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/u.test(word)) return word;
  let result = tense(plural(word));
  for (const [pattern, to] of ENDINGS) {
    if (!pattern.test(result)) continue;
    result = result.replace(pattern, to);
    break;
  }
  if (result.length > 3 && result.endsWith("e")) result = result.slice(0, -1);
  if (result.length > 3 && result.endsWith("y")) result = `${result.slice(0, -1)}i`;
  return result;
}
