/**
 * Replaces secrets by a marker before text reaches a model, a log, the journal or another agent.
 * Redacting twice changes nothing, the name of what was redacted stays readable, and what is left has
 * as many lines as what was given, so a line keeps its number.
 */
import { must, sha256 } from "../../kernel/index.ts";
import { leadScan } from "./lead-scan.ts";
import { findWithLibrary, type LibraryFinding } from "./library-rules.ts";
import { SECRET_PATTERNS, SEVERITIES, type SecretPattern, type Severity } from "./patterns.ts";

const REDACTED = "[REDACTED]";

export interface SecretFinding {
  /** Stable name of the format, e.g. `github_pat`. */
  pattern: string;
  severity: Severity;
  /** False when only a key's name hints at a secret. */
  certain: boolean;
  /** Place of the value in the text that was given. */
  start: number;
  end: number;
}

export interface Redaction {
  text: string;
  findings: SecretFinding[];
}

export interface Redactor {
  redact(text: string): Redaction;
  /** Finds without changing. */
  find(text: string): SecretFinding[];
  /** From now on this exact value is redacted wherever it stands, also base64- or URL-encoded. */
  addKnownValue(value: string): void;
  /** The values added so far, for a redactor of another thread. */
  knownValues(): string[];
  /** Redactions so far, by pattern name (SEC-018). */
  counts(): Readonly<Record<string, number>>;
}

export interface RedactorOptions {
  patterns?: readonly SecretPattern[];
  /** Values that must never appear, whatever they look like. */
  knownValues?: readonly string[];
}

/** Shorter values would redact ordinary words. */
const MIN_KNOWN_LENGTH = 8;
/** New findings can appear next to a marker; text settles after very few rounds. */
const MAX_ROUNDS = 5;
/** Longer than any pattern that can reach across a marker. */
const NEAR = 1_000;
/** Rules, folders, names and files come again and again; what was clean stays clean until a new value is known. */
const SHORT = 256;
const REMEMBERED_CLEAN = 2_048;
/** Of what follows a value, as much as the name of a host may be long. */
const AFTER = 260;
/** Rules of the library that speak of addresses with a password in them. */
const OF_ADDRESSES = new Set(["basicauth", "database_connection_string"]);

function encodings(value: string): string[] {
  const base64 = Buffer.from(value).toString("base64");
  return [value, base64, base64.replace(/=+$/, ""), Buffer.from(value).toString("base64url"), encodeURIComponent(value)];
}

function findKnown(text: string, known: ReadonlySet<string>): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (const value of known) {
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      found.push({ pattern: "known_value", severity: "critical", certain: true, start: at, end: at + value.length });
    }
  }
  return found;
}

interface Place {
  start: number;
  end: number;
}

/** `harmless`: what has a format that is nothing but a secret, and is none at a second look. */
function findByPattern(
  text: string,
  patterns: readonly SecretPattern[],
  mayMatch: (pattern: RegExp) => boolean,
): { found: SecretFinding[]; harmless: Place[] } {
  const found: SecretFinding[] = [];
  const harmless: Place[] = [];
  for (const { name, severity, certain, pattern, accept } of patterns) {
    if (!mayMatch(pattern)) continue;
    for (const match of text.matchAll(pattern)) {
      const before = must(match[1]);
      const value = must(match[2]);
      const start = match.index + before.length;
      const end = start + value.length;
      if (accept !== undefined && !accept(value, text.slice(Math.max(0, match.index - 40), start), text.slice(end, end + AFTER))) {
        if (certain) harmless.push({ start: match.index, end });
        continue;
      }
      found.push({ pattern: name, severity, certain, start, end });
    }
  }
  return { found, harmless };
}

/** Sorted and without overlaps; where two overlap they become one under the more certain name. */
function settle(found: SecretFinding[]): SecretFinding[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const out: SecretFinding[] = [];
  for (const item of found) {
    const last = out.at(-1);
    if (last === undefined || item.start >= last.end) {
      out.push({ ...item });
      continue;
    }
    last.end = Math.max(last.end, item.end);
    if (SEVERITIES.indexOf(item.severity) > SEVERITIES.indexOf(last.severity)) last.severity = item.severity;
    if (item.certain && !last.certain) [last.certain, last.pattern] = [true, item.pattern];
  }
  return out;
}

/** Whether any of the sorted, disjoint `places` meets `other`. */
function overlaps(places: readonly SecretFinding[], other: Place): boolean {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (must(places[middle]).end <= other.start) low = middle + 1;
    else high = middle;
  }
  const next = places[low];
  return next !== undefined && next.start < other.end;
}

/** One line of a secret: its indentation and a carriage return stay, an empty line stays empty. */
function withoutWords(line: string): string {
  const words = line.trim();
  if (words === "") return line;
  const at = line.indexOf(words);
  return line.slice(0, at) + REDACTED + line.slice(at + words.length);
}

function replace(text: string, found: readonly SecretFinding[]): { text: string; markers: number[] } {
  let next = "";
  let at = 0;
  const markers: number[] = [];
  for (const { start, end } of found) {
    next += text.slice(at, start);
    for (const [i, line] of text.slice(start, end).split("\n").entries()) {
      if (i > 0) next += "\n";
      markers.push(next.length);
      next += withoutWords(line);
    }
    at = end;
  }
  return { text: next + text.slice(at), markers };
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const patterns = options.patterns ?? SECRET_PATTERNS;
  const values = new Set<string>();
  const known = new Set<string>();
  const clean = new Set<string>();
  const counters: Record<string, number> = {};
  const addKnownValue = (value: string): void => {
    if (value.length < MIN_KNOWN_LENGTH || value.includes(REDACTED)) return;
    values.add(value);
    for (const form of encodings(value)) known.add(form);
    clean.clear();
  };
  for (const value of options.knownValues ?? []) addKnownValue(value);

  const find = (text: string): SecretFinding[] => {
    if (text.length < MIN_KNOWN_LENGTH) return [];
    const key = text.length <= SHORT ? text : sha256(text);
    if (clean.has(key)) return [];
    const mayMatch = leadScan(text);
    const { found: own, harmless } = findByPattern(text, patterns, mayMatch);
    const isHarmless = ({ name, start, end }: LibraryFinding): boolean =>
      OF_ADDRESSES.has(name) && harmless.some((place) => place.start < end && start < place.end);
    const certain = settle(own.filter((o) => o.certain));
    // The library marks a whole URL or line where our pattern knows which part of it is the secret.
    const library = findWithLibrary(text, mayMatch)
      .filter((f) => !text.slice(f.start, f.end).includes(REDACTED) && !overlaps(certain, f) && !isHarmless(f))
      .map((f): SecretFinding => ({ pattern: f.name, severity: "high", certain: true, start: f.start, end: f.end }));
    const found = settle([...findKnown(text, known), ...own, ...library]);
    if (found.length === 0) {
      clean.add(key);
      if (clean.size > REMEMBERED_CLEAN) clean.delete(must(clean.values().next().value));
    }
    return found;
  };

  /** What a marker's new neighbourhood gave rise to; text further away is as it was. */
  const findNear = (text: string, markers: readonly number[]): SecretFinding[] => {
    const found: SecretFinding[] = [];
    for (let i = 0; i < markers.length;) {
      const from = Math.max(0, must(markers[i]) - NEAR);
      let to = must(markers[i]) + NEAR;
      for (i += 1; i < markers.length && must(markers[i]) - NEAR <= to; i += 1) to = must(markers[i]) + NEAR;
      const part = text.slice(from, to);
      for (const f of find(part)) found.push({ ...f, start: f.start + from, end: f.end + from });
    }
    return settle(found);
  };

  return {
    find,
    addKnownValue,
    knownValues: () => [...values],
    counts: () => ({ ...counters }),
    redact(text) {
      const first = find(text);
      let result = text;
      for (let round = 0, found = first; found.length > 0 && round < MAX_ROUNDS; round += 1) {
        const replaced = replace(result, found);
        result = replaced.text;
        for (const { pattern } of found) counters[pattern] = (counters[pattern] ?? 0) + 1;
        found = findNear(result, replaced.markers);
      }
      return { text: result, findings: first };
    },
  };
}
