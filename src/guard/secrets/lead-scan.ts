/**
 * Most text holds nothing that could begin a secret, and finding that out for all expressions in one pass is far
 * cheaper than trying each of them at every place. What an expression must begin with is read from its source; one
 * whose beginning cannot be read is always tried.
 */

const ZERO_WIDTH = /^\((?:\?=|\?!|\?<=|\?<!)/;
const GROUP = /^\((?:\?:|\?<[A-Za-z]\w*>)?/;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
const LITERAL = /^(?:\\([^A-Za-z0-9])|([^\\^$.*+?()[\]{}|]))/;
/** More beginnings than this, or shorter ones, would not tell much. */
const MAX_LEADS = 40;
const LEAST_CHARS = 2;

/** What may stand at a place of an expression; `open`: what follows it is not known. */
interface Beginning {
  texts: string[];
  open: boolean;
}

/** The end of the group that opens at `from`. */
function groupEnd(source: string, from: number): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at];
    if (char === "\\") at += 1;
    else if (char === "[") at = classEnd(source, at);
    else if (char === "(") depth += 1;
    else if (char === ")" && --depth === 0) return at;
  }
  return source.length;
}

function classEnd(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
  return at;
}

function alternatives(source: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (char === "\\") at += 1;
    else if (char === "[") at = classEnd(source, at);
    else if (char === "(") at = groupEnd(source, at);
    else if (char === "|") {
      found.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, source.slice(from)];
}

function anyOf(source: string): Beginning {
  const all = alternatives(source).map(oneOf);
  return { texts: all.flatMap(({ texts }) => texts), open: all.some(({ open }) => open) };
}

/** How often what stands before it comes: `open` when not exactly once, `absent` when perhaps not at all. */
function timesAt(source: string, at: number): { length: number; open: boolean; absent: boolean } {
  const found = QUANTIFIER.exec(source.slice(at))?.[0] ?? "";
  return { length: found.length, open: found !== "", absent: /^(?:[*?]|\{0)/.test(found) };
}

function oneOf(source: string): Beginning {
  let texts = [""];
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    if (rest.startsWith("\\b") || rest.startsWith("^")) {
      at += rest.startsWith("^") ? 1 : 2;
      continue;
    }
    if (ZERO_WIDTH.test(rest)) {
      at = groupEnd(source, at) + 1;
      continue;
    }
    const [opening] = GROUP.exec(rest) ?? [];
    const literal = opening === undefined ? LITERAL.exec(rest) : null;
    if (opening === undefined && literal === null) return { texts, open: true };
    const end = opening === undefined ? at + (literal?.[0].length ?? 0) : groupEnd(source, at) + 1;
    const times = timesAt(source, end);
    if (times.absent) return { texts, open: true };
    const next: Beginning =
      opening === undefined
        ? { texts: [(literal?.[1] ?? literal?.[2] ?? "").toLowerCase()], open: false }
        : anyOf(source.slice(at + opening.length, end - 1));
    texts = texts.flatMap((text) => next.texts.map((more) => text + more));
    if (next.open || times.open || texts.length > MAX_LEADS) return { texts, open: true };
    at = end + times.length;
  }
  return { texts, open: false };
}

/** Lower-case texts one of which begins every match; undefined where that cannot be said. */
function leadsOf({ source, flags }: RegExp): readonly string[] | undefined {
  // There the letters that match are not only those that look alike.
  if (flags.includes("v") || (flags.includes("u") && flags.includes("i"))) return undefined;
  const { texts } = anyOf(source);
  const leads = [...new Set(texts)];
  return leads.length <= MAX_LEADS && leads.every((lead) => lead.length >= LEAST_CHARS && isAscii(lead)) ? leads : undefined;
}

const ASCII = 128;
const LOWER = Uint8Array.from({ length: ASCII }, (_none, code) => String.fromCharCode(code).toLowerCase().charCodeAt(0));

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

const known = new Map<string, readonly string[] | undefined>();
/** Leads by their first two characters. */
const byPair = new Map<number, string[]>();
const isPair = new Uint8Array(ASCII * ASCII);

function pairOf(first: number, second: number): number {
  return first * ASCII + second;
}

function learn(key: string, pattern: RegExp): void {
  const leads = leadsOf(pattern);
  known.set(key, leads);
  for (const lead of leads ?? []) {
    const pair = pairOf(lead.charCodeAt(0), lead.charCodeAt(1));
    isPair[pair] = 1;
    byPair.set(pair, [...new Set([...(byPair.get(pair) ?? []), lead])]);
  }
}

function standsAt(text: string, from: number, lead: string): boolean {
  for (let i = 2; i < lead.length; i += 1) if (LOWER[text.charCodeAt(from + i)] !== lead.charCodeAt(i)) return false;
  return true;
}

/** The leads of all expressions known so far that stand in the text. */
function leadsIn(text: string): Set<string> {
  const found = new Set<string>();
  let first = ASCII;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const second = code < ASCII ? (LOWER[code] ?? code) : ASCII;
    if (first < ASCII && second < ASCII && isPair[pairOf(first, second)] === 1)
      for (const lead of byPair.get(pairOf(first, second)) ?? []) if (standsAt(text, at - 1, lead) && !found.has(lead)) found.add(lead);
    first = second;
  }
  return found;
}

/** Says of an expression whether trying it on this text can find anything. */
export function leadScan(text: string): (pattern: RegExp) => boolean {
  const found = leadsIn(text);
  return (pattern) => {
    const key = `${pattern.flags}/${pattern.source}`;
    // What is met for the first time was not looked for.
    if (!known.has(key)) {
      learn(key, pattern);
      return true;
    }
    return known.get(key)?.some((lead) => found.has(lead)) ?? true;
  };
}
