/** Actions that only look. */
import { z } from "zod";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { readFileItem } from "./file-item.ts";
import { loadContext } from "./load-context.ts";
import type { MemoryItem } from "../task-facts.ts";

/** A list as an item in view: as much as fits, and how much more there is. */
async function listItem(key: string, title: string, lines: readonly string[], total: number, context: ActionContext): Promise<MemoryItem> {
  const short = lines.map((line) => shortLine(line, 200));
  const fitting = fitLines(short, context.profile.page);
  const rest = total - fitting;
  const text = rest > 0 ? [...short.slice(0, fitting), `and ${rest} more; narrow the search to see them`].join("\n") : short.join("\n");
  return { key, kind: "action_result", title, content: await context.blobs.put(text), pinned: false, step: context.step };
}

function refusal(outcome: { kind: string; reason?: string; message?: string; path?: string }): ActionResult {
  return {
    ok: false,
    outcome: outcome.kind,
    summary: `${outcome.kind.replaceAll("_", " ")}${outcome.path === undefined ? "" : ` ${outcome.path}`}: ${outcome.reason ?? outcome.message ?? "nothing there"}`,
  };
}

const readFile = defineAction({
  name: "read_file",
  summary: "Show a file or lines.",
  effect: "none",
  schema: z.object({ path: z.string(), from: z.int().min(1).optional(), to: z.int().min(1).optional() }),
  paths: (args) => [args.path],
  target: (args) => args.path + (args.from === undefined ? "" : `@${args.from}-${args.to ?? ""}`),
  execute: (args, context) => readFileItem(args, context),
});

const listFiles = defineAction({
  name: "list_files",
  summary: "List files.",
  effect: "none",
  schema: z.object({ glob: z.string().optional(), path: z.string().optional() }),
  paths: (args) => [args.path, args.glob].filter((one) => one !== undefined),
  target: (args) => `${args.path ?? "."} ${args.glob ?? ""}`.trim(),
  async execute(args, context) {
    const found = await context.workspace.search.list({
      globs: args.glob === undefined ? undefined : [args.glob],
      path: args.path,
      signal: context.signal,
    });
    if (found.kind !== "files") return refusal(found);
    const name = `files ${args.path ?? "."}${args.glob === undefined ? "" : ` matching ${args.glob}`}`;
    const item = await listItem(
      `list:${args.path ?? "."}:${args.glob ?? ""}`,
      `${name} (${found.total})`,
      found.files,
      found.total,
      context,
    );
    return {
      ok: true,
      outcome: "listed",
      summary: `${found.total} ${name}`,
      effects: found.total === 0 ? [] : [{ op: "put", item }],
      newsKey: `${item.key}:${found.total}`,
    };
  },
});

const search = defineAction({
  name: "search",
  summary: "Find text, or a regex.",
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
    if (found.kind !== "matches") return refusal(found);
    const lines = found.matches
      .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
      .map((match) => `${match.path}:${match.line}: ${match.text.trimEnd()}`);
    const item = await listItem(
      `search:${args.pattern}:${args.path ?? ""}`,
      `search "${shortLine(args.pattern, 80)}" (${found.totalMatches} in ${found.totalFiles} files)`,
      lines,
      found.totalMatches,
      context,
    );
    return {
      ok: true,
      outcome: found.totalMatches === 0 ? "nothing" : "found",
      summary: `"${shortLine(args.pattern, 60)}": ${found.totalMatches} matches in ${found.totalFiles} files`,
      effects: found.totalMatches === 0 ? [{ op: "clear", key: item.key }] : [{ op: "put", item }],
      newsKey: `${item.key}:${found.totalMatches}`,
    };
  },
});

export const readActions: readonly Action[] = [readFile, listFiles, search, loadContext];
