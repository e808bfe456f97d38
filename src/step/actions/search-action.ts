/**
 * Text found in files: the best hits with the lines around them, grouped by file and by what they stand in, the others
 * by their lines. Where something is defined comes before where it is used, code before tests and documents.
 */
import { z } from "zod";
import { enclosingNames } from "../context/outline.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import type { MemoryItem } from "../task-facts.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";

interface Hit {
  path: string;
  line: number;
  text: string;
}

const WITH_LINES_AROUND = 8;
const LINES_AROUND = 2;
const MAX_HITS = 200;
const MAX_FILE_LINES = 20_000;
const LINE_CHARS = 200;
/** Best places that are remembered, so that a long file is opened there. */
const REMEMBERED = 40;
/** Of the page, for the hits with their surroundings. */
const BEST_SHARE = 0.6;

const DEFINES =
  /\b(?:function|class|interface|type|enum|const|let|var|def|func|fn|struct|trait|impl|module|namespace|public|private|static)\b/;
const TESTS = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/;
const TEXTS = /\.(?:md|mdx|rst|txt|json|lock|ya?ml|toml|snap|html|css|svg|map)$/;

function rankOf(hit: Hit, pattern: string, { state }: ActionContext): number {
  const known = state.memory.items.some((item) => item.source?.path === hit.path) || state.changedFiles[hit.path] !== undefined;
  const word = /^[\w$]+$/.test(pattern) && new RegExp(`(?<![\\w$])${RegExp.escape(pattern)}(?![\\w$])`).test(hit.text);
  const defines = DEFINES.test(hit.text) || new RegExp(`^\\s*${RegExp.escape(pattern)}\\s*[(=:]`).test(hit.text);
  const kind = TEXTS.test(hit.path) ? 3 : TESTS.test(hit.path) ? 2 : 0;
  return kind - (known ? 1 : 0) - (word ? 1 : 0) - (defines && (word || !/^[\w$]+$/.test(pattern)) ? 2 : 0);
}

/** One file's best hits under its name: what they stand in, then the lines. */
async function around(path: string, hits: readonly Hit[], context: ActionContext): Promise<string[]> {
  const ordered = hits.toSorted((a, b) => a.line - b.line);
  const last = (ordered.at(-1)?.line ?? 1) + LINES_AROUND;
  const read = await context.workspace.files.read({ path, maxLines: Math.min(last, MAX_FILE_LINES), signal: context.signal });
  if (read.kind !== "text") return [path, ...ordered.map((hit) => `${hit.line}│${shortLine(hit.text, LINE_CHARS)}`)];
  const marked = new Set(ordered.map((hit) => hit.line));
  const out = [path];
  let [shown, inside] = [0, ""];
  for (const { line, text: found } of ordered) {
    // What is read of a file ends somewhere; what was found there is still known.
    if (read.lines[line - 1] === undefined) {
      out.push(`>${line}│${shortLine(found, LINE_CHARS)}`);
      shown = line;
      continue;
    }
    const names = enclosingNames(read.lines, line).join(" › ");
    if (names !== inside && names !== "") out.push(`  in ${names}`);
    else if (shown > 0 && line - LINES_AROUND > shown + 1) out.push("  …");
    inside = names;
    for (let at = Math.max(1, line - LINES_AROUND, shown + 1); at <= line + LINES_AROUND; at += 1) {
      const text = read.lines[at - 1]?.text;
      if (text === undefined) break;
      out.push(`${marked.has(at) ? ">" : " "}${at}│${shortLine(text, LINE_CHARS)}`);
      shown = at;
    }
  }
  return out;
}

function listed(hits: readonly Hit[]): string[] {
  return [...Map.groupBy(hits, ({ path }) => path)].flatMap(([path, list]) => [
    path,
    ...list.toSorted((a, b) => a.line - b.line).map(({ line, text }) => `>${line}│${shortLine(text.trim(), LINE_CHARS)}`),
  ]);
}

async function hitLines(ranked: readonly Hit[], context: ActionContext): Promise<string[]> {
  const best = ranked.slice(0, WITH_LINES_AROUND);
  const groups = await Promise.all([...Map.groupBy(best, ({ path }) => path)].map(([path, hits]) => around(path, hits, context)));
  const room = context.profile.page * (ranked.length > best.length ? BEST_SHARE : 1);
  const first = groups.flat();
  // Whole surroundings, or the plain lines: a hit is never lost between them.
  return fitLines(first, room) === first.length
    ? [...first, ...(ranked.length > best.length ? ["other hits:"] : []), ...listed(ranked.slice(best.length))]
    : listed(ranked);
}

export function refusedLook(outcome: { kind: string; reason?: string; message?: string; path?: string }): ActionResult {
  return {
    ok: false,
    outcome: outcome.kind,
    summary: `${outcome.kind.replaceAll("_", " ")}${outcome.path === undefined ? "" : ` ${outcome.path}`}: ${outcome.reason ?? outcome.message ?? "nothing there"}`,
  };
}

export const search: Action = defineAction({
  name: "search",
  summary: "Find text or a regex.",
  effect: "none",
  schema: z.object({ pattern: z.string().min(1), path: z.string().optional(), regex: z.boolean().optional() }),
  paths: (args) => (args.path === undefined ? [] : [args.path]),
  target: (args) => args.pattern + (args.path === undefined ? "" : ` in ${args.path}`),
  async execute(args, context) {
    const found = await context.workspace.search.grep({
      pattern: args.pattern,
      literal: args.regex !== true,
      path: args.path,
      signal: context.signal,
    });
    if (found.kind !== "matches") return refusedLook(found);
    const ranked = found.matches
      .map((match) => ({ path: match.path, line: match.line, text: match.text.trimEnd() }))
      .map((hit) => ({ hit, rank: rankOf(hit, args.pattern, context) }))
      .toSorted((a, b) => a.rank - b.rank || (a.hit.path < b.hit.path ? -1 : a.hit.path > b.hit.path ? 1 : a.hit.line - b.hit.line))
      .map(({ hit }) => hit);
    const lines = await hitLines(ranked.slice(0, MAX_HITS), context);
    const fitting = fitLines(lines, context.profile.page);
    const shown = lines.slice(0, fitting);
    const rest = found.totalMatches - shown.filter((line) => line.startsWith(">")).length;
    const item: MemoryItem = {
      key: `search:${args.pattern}:${args.path ?? ""}`,
      kind: "action_result",
      title: `search "${shortLine(args.pattern, 80)}" (${found.totalMatches} in ${found.totalFiles} files)`,
      content: await context.blobs.put([...shown, ...(rest > 0 ? [`and ${rest} more; narrow the search to see them`] : [])].join("\n")),
      pinned: false,
      step: context.step,
      hits: ranked.slice(0, REMEMBERED).map(({ path, line }) => ({ path, line })),
    };
    return {
      ok: true,
      outcome: found.totalMatches === 0 ? "nothing" : "found",
      summary: `"${shortLine(args.pattern, 60)}": ${found.totalMatches} matches in ${found.totalFiles} files`,
      effects: found.totalMatches === 0 ? [{ op: "clear", key: item.key }] : [{ op: "put", item }],
      newsKey: `${item.key}:${found.totalMatches}`,
    };
  },
});
