/**
 * Where the o200k vocabulary cuts a text before it looks at bytes. The rule is a regular expression; most of any text
 * is plain letters, digits, marks and white space, for which walking over kinds of characters gives the same answer
 * in a fraction of the time. Whatever else stands there is left to the expression itself.
 */
import { must } from "../../kernel/index.ts";

const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?";
const RULE = new RegExp(
  [
    `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${CONTRACTION}`,
    `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${CONTRACTION}`,
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
    "\\s*[\\r\\n]+",
    "\\s+(?!\\S)",
    "\\s+",
  ].join("|"),
  "uy",
);

const UPPER = 1;
const LOWER = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE_END = 5;
const OTHER = 6;
/** Letters without case, marks, halves of pairs: the expression decides. */
const RARE = 7;
/** Beyond the last character. */
const NOTHING = 0;

const KINDS = new Uint8Array(0x1_00_00);

function kindOf(code: number): number {
  const char = String.fromCharCode(code);
  if (/[\r\n]/.test(char)) return LINE_END;
  if (/\s/.test(char)) return SPACE;
  if (/\p{Lu}/u.test(char)) return UPPER;
  if (/\p{Ll}/u.test(char)) return LOWER;
  if (/[\p{L}\p{M}\p{Cs}]/u.test(char)) return RARE;
  return /\p{N}/u.test(char) ? DIGIT : OTHER;
}

function kindAt(text: string, at: number): number {
  if (at >= text.length) return NOTHING;
  const code = text.charCodeAt(at);
  const known = must(KINDS[code]);
  return known === 0 ? (KINDS[code] = kindOf(code)) : known;
}

function byRule(text: string, from: number): number {
  RULE.lastIndex = from;
  RULE.test(text);
  return RULE.lastIndex;
}

const APOSTROPHE = 39;
const BLANK = 32;
const SLASH = 47;

/** `'s`, `'ll` and their like belong to the word before them. */
function afterContraction(text: string, at: number): number {
  if (text.charCodeAt(at) !== APOSTROPHE) return at;
  const [first, second] = [text.charAt(at + 1).toLowerCase(), text.charAt(at + 2).toLowerCase()];
  const pair = first + second;
  if (pair === "re" || pair === "ve" || pair === "ll") return at + 3;
  return first !== "" && "stmd".includes(first) ? at + 2 : at;
}

/** Capitals, then small letters. */
function wordEnd(text: string, start: number, from: number): number {
  let at = start;
  while (kindAt(text, at) === UPPER) at += 1;
  while (kindAt(text, at) === LOWER) at += 1;
  return kindAt(text, at) === RARE ? byRule(text, from) : afterContraction(text, at);
}

function marksEnd(text: string, start: number, from: number): number {
  let at = start;
  while (kindAt(text, at) === OTHER) at += 1;
  if (kindAt(text, at) === RARE) return byRule(text, from);
  while (kindAt(text, at) === LINE_END || text.charCodeAt(at) === SLASH) at += 1;
  return at;
}

/** Up to the last line end; else all but the last, which goes with what follows. */
function spaceEnd(text: string, from: number): number {
  let at = from;
  let lineEnd = from;
  for (let kind = kindAt(text, at); kind === SPACE || kind === LINE_END; kind = kindAt(text, at)) {
    at += 1;
    if (kind === LINE_END) lineEnd = at;
  }
  if (lineEnd > from) return lineEnd;
  return at < text.length && at - from > 1 ? at - 1 : at;
}

function digitsEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < from + 3 && kindAt(text, at) === DIGIT) at += 1;
  return at < from + 3 && kindAt(text, at) === RARE ? byRule(text, from) : at;
}

/** The end of the piece that begins at `from`, which is inside the text. */
export function pieceEnd(text: string, from: number): number {
  const kind = kindAt(text, from);
  if (kind === LOWER || kind === UPPER) return wordEnd(text, from, from);
  if (kind === DIGIT) return digitsEnd(text, from);
  if (kind === LINE_END) return spaceEnd(text, from);
  if (kind === RARE) return byRule(text, from);
  const next = kindAt(text, from + 1);
  if (next === LOWER || next === UPPER) return wordEnd(text, from + 1, from);
  if (next === RARE) return byRule(text, from);
  if (kind === OTHER) return marksEnd(text, from, from);
  return next === OTHER && text.charCodeAt(from) === BLANK ? marksEnd(text, from + 1, from) : spaceEnd(text, from);
}
