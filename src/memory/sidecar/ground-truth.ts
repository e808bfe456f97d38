/**
 * Verified facts about the project as text and as entries (GTR-001). As with decisions, every entry
 * keeps the text it was read from: what is not touched is printed byte for byte, also when malformed.
 */
import { must, wording } from "../../kernel/index.ts";

const CATEGORIES = ["file-inventory", "structural-pattern", "variable-inventory", "cross-reference"] as const;
export type Category = (typeof CATEGORIES)[number];

export interface Fact {
  category: Category;
  statement: string;
  /** Path or glob it was read from; with the category it names the fact. */
  source: string;
}

export interface TruthEntry extends Fact {
  verified: string;
  count: number;
  removed: string | undefined;
  raw: string;
  /** Why it could not be read, if so. */
  malformed: string | undefined;
}

export interface GroundTruth {
  preamble: string;
  entries: TruthEntry[];
}

const START = /^\*\*\[([a-z-]+)\]\*\* (.*)$/;
const SOURCE = /^Source: `([^`\n]+)` \| Verified: (\d{4}-\d\d-\d\d) \| Count: (\d+)$/m;
const REMOVED = /^Removed: detected (\d{4}-\d\d-\d\d)$/m;

function parseEntry(raw: string): TruthEntry {
  const [first = ""] = raw.split("\n");
  const start = START.exec(first.replace(/\r$/, ""));
  const source = SOURCE.exec(raw.replaceAll("\r", ""));
  const category = CATEGORIES.find((known) => known === start?.[1]);
  return {
    category: category ?? "file-inventory",
    statement: (start?.[2] ?? "").trim(),
    source: source?.[1] ?? "",
    verified: source?.[2] ?? "",
    count: Number(source?.[3] ?? 0),
    removed: REMOVED.exec(raw)?.[1],
    raw,
    malformed: category === undefined ? `unknown category ${start?.[1]}` : source === null ? "its source line cannot be read" : undefined,
  };
}

export function parseTruth(text: string): GroundTruth {
  const starts: number[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    if (START.test(line.replace(/\r$/, ""))) starts.push(at);
    at += line.length + 1;
  }
  return {
    preamble: text.slice(0, starts[0] ?? text.length),
    entries: starts.map((start, i) => parseEntry(text.slice(start, starts[i + 1] ?? text.length))),
  };
}

export function printTruth(truth: GroundTruth): string {
  return truth.preamble + truth.entries.map((entry) => entry.raw).join("");
}

const plainLine = (text: string): string => wording.oneLine(text).replaceAll("`", "'");

export function renderEntry(fact: Fact, verified: string, count: number, notes: readonly string[] = []): string {
  const source = `Source: \`${plainLine(fact.source)}\` | Verified: ${verified} | Count: ${count}`;
  return `${[`**[${fact.category}]** ${plainLine(fact.statement)}`, source, ...notes].join("\n")}\n\n`;
}

export function entryOf(fact: Fact, verified: string, count: number, notes: readonly string[] = []): TruthEntry {
  return parseEntry(renderEntry(fact, verified, count, notes));
}

export interface LastRefresh {
  at: string;
  mode: string;
  commit: string;
}

const REFRESHED = /^Last refresh: (\S+)(?: \((\w+)\))?(?: at commit ([0-9a-f]{7,64}))?$/m;

export function lastRefresh(preamble: string): LastRefresh | undefined {
  const match = REFRESHED.exec(preamble);
  if (match === null || match[1] === "never") return undefined;
  return { at: must(match[1]), mode: match[2] ?? "", commit: match[3] ?? "" };
}

/** The header of a sidecar that was never refreshed. */
export const truthHeader = (agent: string): string => `# Ground truth of ${agent}\n\nLast refresh: never\n\n`;

export function withRefresh(preamble: string, agent: string, refresh: LastRefresh): string {
  const line = `Last refresh: ${refresh.at} (${refresh.mode})${refresh.commit === "" ? "" : ` at commit ${refresh.commit}`}`;
  const base = REFRESHED.test(preamble)
    ? preamble
    : `${preamble}${preamble === "" || preamble.endsWith("\n\n") ? "" : "\n\n"}${truthHeader(agent)}`;
  return base.replace(REFRESHED, line);
}
