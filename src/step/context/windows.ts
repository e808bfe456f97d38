/**
 * What is in view, within its room. What the last answer asked for comes first and whole, then what is pinned, then
 * windows on files that were changed, then other windows by age, then lists and searches without what is outdated. What
 * does not fit is left out whole and named; only what was just asked for is cut instead, at its definitions.
 */
import { must } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";
import type { Definition } from "../../code/index.ts";
import type { Cut, MemoryItem } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { excerpt, focusOf } from "./excerpt.ts";
import type { FittedSection } from "./fragment.ts";
import { outline } from "./outline.ts";
import { quote, withoutHeadings } from "./quote.ts";

interface Range {
  from: number;
  to: number;
}

export interface WindowTexts {
  texts: ReadonlyMap<string, string>;
  /** Where the definitions of an item's text stand, by its reference. */
  definitions: ReadonlyMap<string, readonly Definition[]>;
  /** Lines of changed files that the diff shows. */
  inDiff: ReadonlyMap<string, readonly Range[]>;
  /** What the failing checks say, for the lines they name. */
  errors: string;
  /** All is done as far as the checks can tell: the diff is what is looked at now. */
  closing: boolean;
}

export interface FittedWindows {
  pinned: FittedSection;
  older: FittedSection;
  asked: FittedSection;
  /** Keys that had no room. */
  left: string[];
  /** Keys that are not needed where the work stands. */
  aside: string[];
  /** Of what the last answer asked for, what is not shown whole. */
  cutAsked: string[];
}

/** Fewer lines than this are not worth a mark in their place. */
const LEAST_ELIDED = 4;
/** A cut page is worth this many tokens, or only its name is. */
const LEAST_EXCERPT = 200;
const HEAD_TOKENS = 60;

/** The last answer brought it, or asked for it again. */
export function isAsked(item: MemoryItem, state: TaskState): boolean {
  return state.step > 0 && item.step === state.step;
}

function rankOf(item: MemoryItem, state: TaskState): number {
  if (isAsked(item, state)) return 5;
  if (item.pinned) return 4;
  if (item.source !== undefined) return state.changedFiles[item.source.path] === undefined ? 2 : 3;
  return 1;
}

/** Read and not changed: what is still to be done may be there. */
function isReadOnly({ source }: MemoryItem, { changedFiles }: TaskState): boolean {
  return source !== undefined && changedFiles[source.path] === undefined;
}

/** A line of a search that belongs to the file named above it. */
const OF_FILE = /^(?:[> ]?\d+│| {2})/u;
const HIT = /^>(?<line>\d+)│/u;

/** What a search found, without files that were changed since or whose hits are in view; undefined when nothing else is left. */
function besideWindows(item: MemoryItem, text: string, state: TaskState): string | undefined {
  if (item.hits === undefined) return text;
  const groups: string[][] = [];
  for (const line of text.split("\n")) {
    if (OF_FILE.test(line) && groups.length > 0) must(groups.at(-1)).push(line);
    else groups.push([line]);
  }
  const isInView = (path: string, line: number): boolean =>
    state.memory.items.some(({ source }) => source !== undefined && source.path === path && source.from <= line && line <= source.to);
  const isKnown = ([path = "", ...lines]: string[]): boolean => {
    if ((state.changedFiles[path]?.step ?? 0) > item.step) return true;
    const hits = lines.flatMap((line) => HIT.exec(line)?.groups?.["line"] ?? []);
    return hits.length > 0 && hits.every((line) => isInView(path, Number(line)));
  };
  const [gone, kept] = [groups.filter(isKnown), groups.filter((group) => !isKnown(group))];
  if (gone.length === 0) return text;
  if (!kept.some(([, ...lines]) => lines.length > 0)) return undefined;
  return [...kept.flat(), `without what was changed since or is in view: ${[...new Set(gone.map(([path]) => path))].join(", ")}`].join(
    "\n",
  );
}

/** Without the lines that stand in the diff; undefined when nothing else is left. */
function besideDiff(text: string, { from }: Range, shown: readonly Range[]): string | undefined {
  const lines = text.split("\n");
  const inside = lines.map((_line, i) => shown.some((range) => range.from <= from + i && from + i <= range.to));
  if (inside.every((one) => one)) return undefined;
  const out: string[] = [];
  for (let i = 0; i < lines.length;) {
    let end = i;
    while (end < lines.length && inside[end] === true) end += 1;
    if (end - i >= LEAST_ELIDED) out.push(`… lines ${from + i}-${from + end - 1} stand in the diff …`);
    else out.push(...lines.slice(i, Math.max(end, i + 1)));
    i = Math.max(end, i + 1);
  }
  return out.join("\n");
}

interface Shown {
  item: MemoryItem;
  text: string;
  tokens: number;
}

const EMPTY = { texts: [], tokens: 0, cuts: [] };

function render(item: MemoryItem, body: string): string {
  return withoutHeadings(`## ${item.key}${item.pinned ? " (pinned)" : ""}\n${item.title.replaceAll(/\s*\n\s*/g, " ")}\n${quote(body)}`);
}

function withTokens(text: string): Omit<Shown, "item"> {
  return { text, tokens: countTokens(text) + 1 };
}

/** What is in view is mostly what was in view in the step before. */
const rendered = new Map<string, Omit<Shown, "item">>();
const REMEMBERED = 64;

function renderWhole(item: MemoryItem, whole: string): Omit<Shown, "item"> {
  const key = [item.content, item.pinned, item.key, item.title].join("\n");
  const found = rendered.get(key) ?? withTokens(render(item, whole));
  rendered.delete(key);
  rendered.set(key, found);
  if (rendered.size > REMEMBERED) rendered.delete(must(rendered.keys().next().value));
  return found;
}

export function fitWindows(state: TaskState, given: WindowTexts, room: number): FittedWindows {
  const shown = new Map<string, Shown>();
  const cuts: Cut[] = [];
  const [left, cutAsked, aside]: [string[], string[], string[]] = [[], [], []];
  let lacksFile = false;
  let free = room;
  const take = (item: MemoryItem, text: string, tokens: number): void => {
    shown.set(item.key, { item, text, tokens });
    free -= tokens;
  };
  const ordered = state.memory.items.toSorted((a, b) => rankOf(b, state) - rankOf(a, state) || b.step - a.step);
  for (const item of ordered) {
    const whole = given.texts.get(item.content) ?? "";
    const asked = isAsked(item, state);
    const rank = rankOf(item, state);
    // No list is worth its place while a file has no room.
    if (rank === 1 && lacksFile) {
      left.push(item.key);
      continue;
    }
    if (given.closing && !asked && !item.pinned && !isReadOnly(item, state)) {
      aside.push(item.key);
      continue;
    }
    const elided = asked || item.pinned || item.source === undefined ? [] : (given.inDiff.get(item.source.path) ?? []);
    const body =
      asked || item.pinned ? whole : item.source === undefined ? besideWindows(item, whole, state) : besideDiff(whole, item.source, elided);
    if (body === undefined) continue;
    const { text, tokens } = body === whole ? renderWhole(item, whole) : withTokens(render(item, body));
    if (tokens <= free) {
      take(item, text, tokens);
      continue;
    }
    lacksFile ||= item.source !== undefined;
    const short = asked ? cutTo(item, whole, state, given, free - HEAD_TOKENS) : undefined;
    if (asked) cutAsked.push(item.key);
    else left.push(item.key);
    const { text: cut, tokens: after } = short === undefined ? { text: "", tokens: 0 } : withTokens(render(item, short));
    cuts.push({
      section: "in_view",
      item: item.key,
      rule: short === undefined ? "left out" : "definitions around the focus",
      before: tokens,
      after,
    });
    if (short !== undefined && after <= free) take(item, cut, after);
  }
  const section = (name: string, of: (item: MemoryItem) => boolean): FittedSection => {
    const all = state.memory.items.flatMap((item) => (of(item) ? (shown.get(item.key) ?? []) : []));
    // Lists and results come and go; before them stands what stays, so that the input begins as the step before.
    const chosen = all.toSorted((a, b) => Number(a.item.source === undefined) - Number(b.item.source === undefined));
    return { ...EMPTY, name, texts: chosen.map((one) => one.text), tokens: chosen.reduce((sum, one) => sum + one.tokens, 0) };
  };
  const isLast = (item: MemoryItem): boolean => isAsked(item, state) && !item.pinned;
  return {
    pinned: section("pinned", (item) => item.pinned),
    older: { ...section("in_view", (item) => !item.pinned && !isLast(item)), cuts },
    asked: section("asked_for", isLast),
    left,
    aside,
    cutAsked,
  };
}

/** Whole definitions of a page that does not fit, and the first lines of the others; undefined when there is no room for that. */
function cutTo(item: MemoryItem, text: string, state: TaskState, given: WindowTexts, room: number): string | undefined {
  if (room < LEAST_EXCERPT) return undefined;
  const known = given.definitions.get(item.content) ?? [];
  const focus =
    item.source === undefined || known.length === 0 ? [] : focusOf(item.source, text, { errors: given.errors, goal: state.created.goal });
  return excerpt(text, known, focus, room) ?? outline(text, room);
}
