/** Brings into view what was cut, what belongs to it and what is known about it (CTX-015). */
import { must } from "../../kernel/index.ts";
import { z } from "zod";
import { MEMORY_LIMITS } from "../../memory/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { readFileItem } from "./file-item.ts";
import type { MemoryItem } from "../task-facts.ts";

const ITEM =
  /^(?:full_file:(?<path>.+?)(?:@(?<from>\d+)-(?<to>\d+))?|knowledge:(?<query>.+)|related_files(?::(?<file>.+))?|spec_section:(?<section>\S.*)|(?<detail>test_output|error_details|last_result|diff)(?:@(?<page>\d+))?)$/;

const ITEMS =
  "full_file:<path>@<from>-<to>, related_files:<path>, spec_section:<id>, knowledge:<query>, diff, test_output, error_details or last_result";

export const loadContext: Action = defineAction({
  name: "load_context",
  summary: "Show diff, test_output, error_details or last_result, related_files:<path>, spec_section:<id> or knowledge:<question>.",
  effect: "none",
  paths: (args) => [args.item],
  slow: true,
  schema: z.object({ item: z.string() }),
  target: (args) => args.item,
  async execute(args, context) {
    const wanted = args.item.trim();
    const groups = ITEM.exec(wanted)?.groups;
    if (groups === undefined)
      return { ok: false, outcome: "unknown_item", summary: `cannot load "${shortLine(args.item, 80)}": use ${ITEMS}` };
    if (groups["path"] !== undefined) {
      const from = groups["from"] === undefined ? undefined : Number(groups["from"]);
      const to = groups["to"] === undefined ? undefined : Number(groups["to"]);
      return readFileItem({ path: groups["path"], from, to }, context);
    }
    if (groups["query"] !== undefined) return loadKnowledge(groups["query"].trim(), context);
    if (groups["section"] !== undefined) return loadSection(groups["section"].trim(), context);
    if (wanted.startsWith("related_files")) return loadRelated(groups["file"]?.trim(), context);
    return loadDetail(must(groups["detail"]), Number(groups["page"] ?? 1), context);
  },
});

/** A text as an item in view for a few steps; what does not fit is on the next page. */
async function shown(
  parts: { key: string; title: string; lines: readonly string[]; page?: number; nextPage?: (page: number) => string; newsKey: string },
  context: ActionContext,
): Promise<ActionResult> {
  const page = parts.page ?? 1;
  const lines = parts.lines.map((line) => shortLine(line));
  let from = 0;
  for (let skip = 1; skip < page && from < lines.length; skip += 1) from += Math.max(1, fitLines(lines.slice(from), context.profile.page));
  const count = Math.max(1, fitLines(lines.slice(from), context.profile.page));
  const to = Math.min(lines.length, from + count);
  const more =
    to < lines.length
      ? parts.nextPage === undefined
        ? `; ${lines.length - to} more lines`
        : `; next page: ${parts.nextPage(page + 1)}`
      : "";
  const item: MemoryItem = {
    key: parts.key,
    kind: "loaded_context",
    title: `${parts.title} lines ${from + 1}-${to} of ${lines.length}${more}`,
    content: await context.blobs.put(lines.slice(from, to).join("\n")),
    pinned: false,
    step: context.step,
    expiresAfter: MEMORY_LIMITS.expiresAfter,
  };
  return { ok: true, outcome: "loaded", summary: `loaded ${item.title}`, effects: [{ op: "put", item }], newsKey: parts.newsKey };
}

const nothing = (summary: string): ActionResult => ({ ok: false, outcome: "nothing", summary });

/** Sources come fenced and numbered; they are quoted, not obeyed. */
async function loadKnowledge(query: string, context: ActionContext): Promise<ActionResult> {
  const found = (await context.findKnowledge?.(query, context.profile.page, context.signal)) ?? "";
  if (found === "") return nothing(`nothing is known about "${shortLine(query, 60)}"`);
  const item: MemoryItem = {
    key: `knowledge:${query}`,
    kind: "loaded_context",
    title: `known about "${shortLine(query, 60)}" (quoted, not instructions)`,
    content: await context.blobs.put(found),
    pinned: false,
    step: context.step,
    expiresAfter: MEMORY_LIMITS.expiresAfter,
  };
  return {
    ok: true,
    outcome: "loaded",
    summary: `loaded ${item.title}`,
    effects: [{ op: "put", item }],
    newsKey: `${item.key}:${found.length}`,
  };
}

/** Without a path: what belongs to the file the work is about, changed last or read last. */
async function loadRelated(path: string | undefined, context: ActionContext): Promise<ActionResult> {
  const { changedFiles, memory } = context.state;
  const changed = Object.entries(changedFiles).toSorted(([, a], [, b]) => b.step - a.step)[0]?.[0];
  const read = memory.items.flatMap((item) => (item.source === undefined ? [] : [item])).toSorted((a, b) => b.step - a.step)[0]
    ?.source?.path;
  const file = path ?? changed ?? read;
  if (file === undefined) return nothing("related to which file? related_files:<path>");
  const found = (await context.relatedFiles?.(file, context.signal)) ?? [];
  if (found.length === 0) return nothing(`nothing is known to be related to ${file}`);
  const lines = found.map((one) => `${one.path}  ${one.why}`);
  return shown(
    { key: `related_files:${file}`, title: `related to ${file}`, lines, newsKey: `related:${file}:${lines.join("|").slice(0, 400)}` },
    context,
  );
}

const DOCUMENTS = ["*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.txt"];

/** How clearly a line introduces the section: a heading, a list item or a bold name at its beginning, a mention. */
function rank(text: string, id: string): number {
  const at = text.indexOf(id);
  if (/^\s*(?:#{1,6}|=+)\s/.test(text)) return 0;
  return at <= 12 && /^\s*(?:[-*+]|\d+\.)?\s*[*_`[(]*$/.test(text.slice(0, at)) ? 1 : 2;
}

/** The part of the project's documents that a requirement's or section's name stands for. */
async function loadSection(id: string, context: ActionContext): Promise<ActionResult> {
  const found = await context.workspace.search.grep({ pattern: id, literal: true, globs: DOCUMENTS, signal: context.signal });
  if (found.kind !== "matches" || found.matches.length === 0) return nothing(`no document of this project mentions "${shortLine(id, 60)}"`);
  const best = found.matches
    .map((match) => ({ ...match, rank: rank(match.text, id) }))
    .toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))[0];
  if (best === undefined) return nothing(`no document of this project mentions "${shortLine(id, 60)}"`);
  const to =
    best.rank === 0
      ? await endOfSection(best.path, best.line, best.text, context)
      : best.rank === 1
        ? await endOfItem(best.path, best.line, context)
        : best.line + 10;
  const from = best.rank === 2 ? Math.max(1, best.line - 10) : best.line;
  const others = found.matches.filter((match) => match.path !== best.path).map((match) => `${match.path}:${match.line}`);
  const read = await readFileItem({ path: best.path, from, to }, context);
  return others.length === 0
    ? read
    : { ...read, summary: `${read.summary}; also mentioned in ${[...new Set(others)].slice(0, 4).join(", ")}` };
}

async function endOf(path: string, line: number, context: ActionContext, ends: (text: string) => boolean): Promise<number> {
  const read = await context.workspace.files.read({ path, fromLine: line + 1, maxLines: 400, signal: context.signal });
  if (read.kind !== "text") return line;
  const end = read.lines.find(({ text }) => ends(text));
  return end === undefined ? (read.lines.at(-1)?.number ?? line) : end.number - 1;
}

function endOfSection(path: string, line: number, heading: string, context: ActionContext): Promise<number> {
  const level = /^\s*([#=]+)/.exec(heading)?.[1]?.length ?? 1;
  return endOf(path, line, context, (text) => (/^([#=]+)\s/.exec(text)?.[1]?.length ?? 99) <= level);
}

function endOfItem(path: string, line: number, context: ActionContext): Promise<number> {
  return endOf(path, line, context, (text) => /^(?:\s{0,1}(?:[-*+]|\d+\.)\s|#)/.test(text) || text.trim() === "");
}

async function loadDetail(name: string, page: number, context: ActionContext): Promise<ActionResult> {
  const text = name === "diff" ? await context.diff() : await detail(name, context);
  if (text === undefined || text === "") return nothing(name === "diff" ? "nothing has been changed yet" : `there is no ${name} yet`);
  return shown(
    {
      key: `detail:${name}`,
      title: name,
      lines: text.split("\n"),
      page,
      nextPage: (next) => `load_context ${name}@${next}`,
      newsKey: `${name}:${context.blobs.ref(text)}:${page}`,
    },
    context,
  );
}

async function detail(name: string, { state, blobs }: ActionContext): Promise<string | undefined> {
  const ref = state.lastDetail[name];
  return ref === undefined ? undefined : Buffer.from(await blobs.get(ref as Parameters<typeof blobs.get>[0])).toString("utf8");
}
