/**
 * A page of a file as something to keep in view, under its path and lines. What does not fit is named, never silently
 * cut; the lines that were asked for are the lines that are shown; no line stands in two windows.
 */
import { countTokens } from "../../model/index.ts";
import type { ReadOutcome } from "../../workspace/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import { enclosingNames, startsDefinition } from "../context/outline.ts";
import type { ActionContext, ActionResult } from "./action.ts";
import type { MemoryEffect, MemoryItem } from "../task-facts.ts";

type TextRead = Extract<ReadOutcome, { kind: "text" }>;

const MAX_PAGE_LINES = 4_000;
/** A number, a bar and a line end: not even empty lines take fewer. */
const MIN_TOKENS_PER_LINE = 3;
const WHOLE_FILE = 1.5;
const MAX_CHARS_PER_TOKEN = 5;
/** Lines above the first hit of a search. */
const ABOVE_HIT = 20;
/** A page may end this much earlier, so that it ends between two definitions. */
const LEAST_PAGE = 0.6;
/** A window of so many lines, of which a part is asked for that is so many times smaller. */
const LARGE_WINDOW = 80;
const NARROW = 4;
/** Lines looked at for the names around a window's first line. */
const LOOKED_ABOVE = 400;

export interface FileItemRequest {
  path: string;
  from?: number | undefined;
  to?: number | undefined;
}

interface Range {
  from: number;
  to: number;
}

type Windowed = MemoryItem & { source: NonNullable<MemoryItem["source"]> };

/** What is in view of a file. */
export function windowsOf(path: string, { state }: ActionContext): Windowed[] {
  return state.memory.items.filter((item): item is Windowed => item.source?.path === path);
}

export async function readFileItem(request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  const from = Math.max(1, request.from ?? 1);
  const read = await readLines(request.path, { from, to: request.to ?? from + MAX_PAGE_LINES }, context);
  switch (read.kind) {
    case "text":
      return textItem(read, { ...request, from: request.from === undefined ? undefined : from }, context);
    case "binary":
      return { ok: false, outcome: "binary", summary: `${read.path} is binary (${read.bytes} bytes)` };
    case "folder":
      return {
        ok: true,
        outcome: "folder",
        summary: `${read.path} is a folder: ${read.entries.slice(0, 40).join(", ")}${read.entries.length > 40 ? `, and ${read.entries.length - 40} more` : ""}`,
        newsKey: `folder:${read.path}`,
      };
    case "not_found":
      return {
        ok: false,
        outcome: "not_found",
        summary: `${read.path} does not exist${read.similar.length > 0 ? `; similar: ${read.similar.slice(0, 5).join(", ")}` : ""}`,
      };
    case "outside":
      return { ok: false, outcome: "outside", summary: `${read.path} is outside the project: ${read.reason}` };
    case "refused":
      return { ok: false, outcome: "refused", summary: `not allowed: ${read.reason}` };
  }
}

function readLines(path: string, { from, to }: Range, context: ActionContext): Promise<ReadOutcome> {
  const most = Math.ceil((context.profile.page * WHOLE_FILE) / MIN_TOKENS_PER_LINE);
  const maxLines = Math.min(Math.max(1, to - from + 1), MAX_PAGE_LINES, most);
  return context.workspace.files.read({ path, fromLine: from, maxLines, signal: context.signal });
}

interface Page {
  read: TextRead;
  from: number;
  last: number;
  text: string;
}

/** As many of the lines as one page holds; without a wish for a last line it ends between two definitions. */
function pageOf(read: TextRead, context: ActionContext, wanted: number | undefined): Page {
  const from = read.lines[0]?.number ?? 1;
  const width = String(read.lines.at(-1)?.number ?? 0).length;
  const numbered = read.lines.map((line) => `${String(line.number).padStart(width)}│${shortLine(line.text)}`);
  // A little more than a page is shown whole: turning it would cost a step and push the first part out.
  const larger = context.profile.page * WHOLE_FILE;
  const isWhole = wanted !== undefined || (read.lines.length === read.totalLines && from === 1);
  const chars = numbered.reduce((sum, line) => sum + line.length + 1, 0);
  // Counting is what costs; what is far too long need not be counted.
  const fits = isWhole && chars <= larger * MAX_CHARS_PER_TOKEN && countTokens(numbered.join("\n"), larger) <= larger;
  let count = fits ? numbered.length : Math.max(1, fitLines(numbered, context.profile.page));
  if (count < numbered.length)
    for (let end = count; end >= count * LEAST_PAGE; end -= 1) {
      if (!startsDefinition(read.lines[end]?.text ?? "", read.lines[end - 1]?.text ?? "")) continue;
      count = end;
      break;
    }
  return { read, from, last: read.lines[count - 1]?.number ?? from, text: numbered.slice(0, count).join("\n") };
}

/** The names of what the first line stands in: they are above the window. */
async function namesAround({ read, from }: Page, context: ActionContext): Promise<string> {
  if (from === 1) return "";
  const start = Math.max(1, from - LOOKED_ABOVE);
  const above = await context.workspace.files.read({
    path: read.path,
    fromLine: start,
    maxLines: from - start + 1,
    signal: context.signal,
  });
  if (above.kind !== "text") return "";
  const names = enclosingNames(above.lines, from);
  return names.length === 0 ? "" : `, in ${names.join(" › ")}`;
}

async function itemOf(page: Page, step: number, context: ActionContext): Promise<Windowed> {
  const { read, from, last, text } = page;
  const more = last < read.totalLines ? `; next: ${last + 1}-${Math.min(read.totalLines, last + (last - from + 1))}` : "";
  const whole = from === 1 && last === read.totalLines;
  return {
    key: whole ? `file:${read.path}` : `file:${read.path}@${from}-${last}`,
    kind: "loaded_context",
    title: `${read.path} lines ${from}-${last} of ${read.totalLines}${await namesAround(page, context)}${more}`,
    content: await context.blobs.put(text),
    pinned: false,
    step,
    source: { path: read.path, hash: read.hash, from, to: last, total: read.totalLines },
  };
}

/** A stretch of a file as an item, for what was in view before; undefined when there is nothing there. */
async function windowItem(path: string, range: Range, step: number, context: ActionContext): Promise<Windowed | undefined> {
  const read = await readLines(path, range, context);
  return read.kind === "text" && read.lines.length > 0 ? itemOf(pageOf(read, context, range.to), step, context) : undefined;
}

/** A long file is opened where the newest search found something in it. */
function searchedFor(path: string, { state }: ActionContext): number | undefined {
  const searches = state.memory.items.filter((item) => item.hits?.some((hit) => hit.path === path) === true);
  return searches.toSorted((a, b) => b.step - a.step)[0]?.hits?.find((hit) => hit.path === path)?.line;
}

async function textItem(first: TextRead, request: FileItemRequest, context: ActionContext): Promise<ActionResult> {
  const { path } = first;
  if (first.lines.length === 0) {
    const why = first.totalLines === 0 ? "is empty" : `has only ${first.totalLines} lines`;
    return { ok: true, outcome: "read", summary: `${path} ${why}`, newsKey: `file:${path}:${first.hash}:${request.from ?? 1}` };
  }
  let page = pageOf(first, context, request.to);
  const hit = request.from === undefined && page.last < first.totalLines ? searchedFor(path, context) : undefined;
  if (hit !== undefined && hit > page.last - ABOVE_HIT) {
    const there = await readLines(path, { from: Math.max(1, hit - ABOVE_HIT), to: hit + MAX_PAGE_LINES }, context);
    if (there.kind === "text" && there.lines.length > 0) page = pageOf(there, context, undefined);
  }
  const { from, last } = page;
  const shown = { from, to: last };
  const done = (effects: MemoryEffect[], more = ""): ActionResult => ({
    ok: true,
    outcome: "read",
    summary: `read ${path} lines ${from}-${last} of ${first.totalLines}${hit === undefined ? "" : " (at the newest search hit)"}${more}`,
    effects,
    newsKey: `file:${path}:${first.hash}:${from}-${last}`,
  });
  const known = windowsOf(path, context);
  const holding = known.find(({ source }) => source.hash === first.hash && source.from <= from && source.to >= last);
  const narrow = holding !== undefined && isNarrow(request, shown, holding);
  if (holding !== undefined && !narrow)
    return done([{ op: "put", item: { ...holding, step: context.step } }], holding.source.from === from ? "" : ", within what is in view");
  const asked = await itemOf(page, context.step, context);
  if (narrow) return done(await besideAsked(path, holding, asked, context), ", of what is in view");
  return done(await settleWindows(path, [...known, asked], asked, shown, context));
}

/** Of a large window few lines are asked for: they are what is wanted now. */
function isNarrow({ from, to }: FileItemRequest, shown: Range, { source, pinned }: Windowed): boolean {
  const lines = source.to - source.from + 1;
  return from !== undefined && to !== undefined && !pinned && lines >= LARGE_WINDOW && lines >= NARROW * (shown.to - shown.from + 1);
}

/** The lines by themselves; what was around them stays where it was, as old as it was. */
async function besideAsked(path: string, old: Windowed, asked: Windowed, context: ActionContext): Promise<MemoryEffect[]> {
  const rest = [
    { from: old.source.from, to: asked.source.from - 1 },
    { from: asked.source.to + 1, to: old.source.to },
  ].filter(({ from, to }) => from <= to);
  const parts = await Promise.all(rest.map((range) => windowItem(path, range, old.step, context)));
  return [
    { op: "clear", key: old.key },
    ...parts.flatMap((item): MemoryEffect[] => (item === undefined ? [] : [{ op: "put", item }])),
    { op: "put", item: asked },
  ];
}

const touch = (a: Range, b: Range): boolean => a.from <= b.to + 1 && b.from <= a.to + 1;

/**
 * Windows that touch become one while they fit a page; else the older one gives up the lines that the newer one
 * shows. `asked` keeps all of its lines.
 */
async function settleWindows(
  path: string,
  windows: readonly Windowed[],
  asked: Windowed,
  shown: Range,
  context: ActionContext,
): Promise<MemoryEffect[]> {
  const effects: MemoryEffect[] = [];
  let now = asked;
  for (const old of windows.filter((one) => one !== asked && touch(one.source, shown))) {
    effects.push({ op: "clear", key: old.key });
    const union = { from: Math.min(now.source.from, old.source.from), to: Math.max(now.source.to, old.source.to) };
    if (union.from === now.source.from && union.to === now.source.to) {
      now = { ...now, pinned: now.pinned || old.pinned };
      continue;
    }
    const joined = await windowItem(path, union, context.step, context);
    if (joined?.source.from === union.from && joined.source.to === union.to) {
      now = { ...joined, pinned: now.pinned || old.pinned };
      continue;
    }
    for (const rest of [
      { from: old.source.from, to: shown.from - 1 },
      { from: shown.to + 1, to: old.source.to },
    ]) {
      const part = rest.to < rest.from ? undefined : await windowItem(path, rest, old.step, context);
      if (part !== undefined) effects.push({ op: "put", item: { ...part, pinned: old.pinned } });
    }
  }
  return [...effects, { op: "put", item: now }];
}

/** Views of a changed file as they stand now: moved with the lines above them, joined where they meet. */
export async function renewedWindows(
  path: string,
  moved: (range: Range) => Range | undefined,
  context: ActionContext,
): Promise<MemoryEffect[]> {
  const known = windowsOf(path, context);
  const effects: MemoryEffect[] = known.map(({ key }) => ({ op: "clear", key }));
  const ranges: (Range & { step: number; pinned: boolean })[] = [];
  for (const { source, step, pinned } of known.toSorted((a, b) => a.source.from - b.source.from)) {
    const whole = source.from === 1 && source.to === source.total;
    const range = whole ? { from: 1, to: MAX_PAGE_LINES } : moved(source);
    if (range === undefined) continue;
    const last = ranges.at(-1);
    if (last !== undefined && range.from <= last.to) {
      last.to = Math.max(last.to, range.to);
      last.step = Math.max(last.step, step);
      last.pinned ||= pinned;
    } else ranges.push({ ...range, step, pinned });
  }
  for (const { step, pinned, ...range } of ranges) {
    const item = await windowItem(path, range, step, context);
    if (item !== undefined) effects.push({ op: "put", item: { ...item, pinned } });
  }
  return effects;
}
