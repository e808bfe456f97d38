/** Actions that change files. Each names its requests first, so that the intent is journaled before the effect. */
import { z } from "zod";
import type { ChangeOutcome, FileRequest } from "../../workspace/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { readFileItem } from "./file-item.ts";
import type { MemoryEffect, MemoryItem, RecordedChange } from "../task-facts.ts";

const LINES_AROUND = 20;
const MAX_SHOWN = 4;

export function recorded(changes: Extract<ChangeOutcome, { kind: "changed" }>["changes"]): RecordedChange[] {
  return changes.map(({ path, operation, before, after, snapshot, kept, mode }) => ({
    path,
    operation,
    before,
    after,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(kept === undefined ? {} : { kept }),
    ...(before === null ? {} : { mode }),
  }));
}

/** Words for every way a change can fail, with what to do next. */
export function describeProblem(outcome: Exclude<ChangeOutcome, { kind: "changed" }>): string {
  switch (outcome.kind) {
    case "unchanged":
      return "nothing changed: the new text equals the old";
    case "no_match": {
      const near =
        outcome.closest === undefined
          ? "read the file again"
          : `closest at line ${outcome.closest.line} (${outcome.closest.why}): ${shortLine(outcome.closest.text.split("\n")[0] ?? "", 160)}`;
      return `${outcome.path}: the text to find is not there${outcome.edit > 0 ? ` (edit ${outcome.edit + 1})` : ""}; ${near}`;
    }
    case "ambiguous":
      return `${outcome.path}: the text to find stands ${outcome.total} times (lines ${outcome.lines.slice(0, 8).join(", ")}); add lines around it, or set all`;
    case "empty_find":
      return `${outcome.path}: the text to find is empty; use write_file for a whole file`;
    case "not_found":
      return `${outcome.path} does not exist`;
    case "exists":
      return `${outcome.path} exists already`;
    case "folder":
      return `${outcome.path} is a folder`;
    case "stale":
      return `${outcome.path} was changed by someone else meanwhile; read it again`;
    case "binary":
      return `${outcome.path} is binary`;
    case "too_large":
      return `${outcome.path} is too large to edit (${outcome.bytes} bytes)`;
    case "unencodable":
      return `${outcome.path} is ${outcome.encoding}; the new text cannot be written in it`;
    case "outside":
      return `${outcome.path} is outside the project: ${outcome.reason}`;
    case "refused":
      return `not allowed${outcome.path === undefined ? "" : ` for ${outcome.path}`}: ${outcome.reason}`;
  }
}

/** Shows the changed place, so that the model sees what it did; what was in view of the file stays in view. */
async function showChange(path: string, needles: readonly string[], context: ActionContext): Promise<MemoryEffect[]> {
  const read = await context.workspace.files.read({ path, maxLines: 4_000, signal: context.signal });
  if (read.kind !== "text") return [];
  const places = needles.map((needle) => {
    const first =
      needle
        .split("\n")
        .find((line) => line.trim() !== "")
        ?.trim() ?? "";
    const at = read.lines.find((line) => first !== "" && line.text.includes(first))?.number ?? 1;
    return { from: Math.max(1, at - LINES_AROUND), to: at + needle.split("\n").length + LINES_AROUND };
  });
  const effects: MemoryEffect[] = [];
  const shown: { from: number; to: number }[] = [];
  for (const item of context.state.memory.items) {
    if (item.source?.path !== path) continue;
    const grown = Math.max(0, read.totalLines - item.source.total);
    const again = await readFileItem({ path, from: item.source.from, to: item.source.to + grown }, context);
    for (const effect of again.effects ?? [])
      effects.push(effect.op === "put" ? { op: "put", item: { ...effect.item, key: item.key } } : effect);
    shown.push({ from: item.source.from, to: item.source.to + grown });
  }
  for (const place of places) {
    if (shown.some((part) => part.from <= place.from + LINES_AROUND && part.to >= place.to - LINES_AROUND)) continue;
    effects.push(...((await readFileItem({ path, ...place }, context)).effects ?? []));
    shown.push(place);
    if (effects.length >= MAX_SHOWN) break;
  }
  return effects;
}

/** The first line, and how many more there are. */
function firstWords(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const first = JSON.stringify((lines[0] ?? "").trim().slice(0, 60));
  return lines.length > 1 ? `${first} and ${lines.length - 1} more lines` : first;
}

/** What a change did, in one line. */
function changeSummary(requests: readonly FileRequest[], files: readonly RecordedChange[]): string {
  const edits = requests.flatMap((request) =>
    request.kind === "edit" ? request.edits.map((edit) => `${request.path}: ${firstWords(edit.find)} → ${firstWords(edit.replace)}`) : [],
  );
  const others = files
    .filter((file) => !requests.some((request) => request.kind === "edit" && request.path === file.path))
    .map((file) => `${file.operation} ${file.path}`);
  const all = [...others, ...edits];
  return `changed ${all.slice(0, 4).join("; ")}${all.length > 4 ? `; and ${all.length - 4} more` : ""}`;
}

export async function applyRequests(requests: readonly FileRequest[], context: ActionContext): Promise<ActionResult> {
  const outcome = await context.workspace.files.apply(requests, context.signal);
  if (outcome.kind === "no_match" && outcome.closest !== undefined) {
    // The likeliest place comes into view, so that the next try can copy it.
    const near = await readFileItem(
      { path: outcome.path, from: Math.max(1, outcome.closest.line - LINES_AROUND), to: outcome.closest.line + LINES_AROUND },
      context,
    );
    return { ok: false, outcome: outcome.kind, summary: describeProblem(outcome), effects: near.effects ?? [] };
  }
  if (outcome.kind !== "changed") return { ok: false, outcome: outcome.kind, summary: describeProblem(outcome) };
  const result = await changedResult(requests, recorded(outcome.changes), context);
  return { ...result, summary: [result.summary, ...(outcome.notes ?? [])].join("; ") };
}

export async function changedResult(
  requests: readonly FileRequest[],
  files: RecordedChange[],
  context: ActionContext,
): Promise<ActionResult> {
  const effects: MemoryEffect[] = [];
  for (const request of requests.slice(0, 3)) {
    if (request.kind === "edit")
      effects.push(
        ...(await showChange(
          request.path,
          request.edits.map((edit) => edit.replace),
          context,
        )),
      );
    else if (request.kind === "write" || request.kind === "create") effects.push(...(await showChange(request.path, [""], context)));
  }
  // What was shown of the state before is no longer true.
  for (const { key } of context.state.memory.items)
    if (key.startsWith("preview:") || key === "detail:diff") effects.push({ op: "clear", key });
  for (const file of files) if (file.after === null) effects.push({ op: "clear", key: `file:${file.path}` });
  return {
    ok: true,
    outcome: "changed",
    summary: changeSummary(requests, files),
    files,
    effects,
    newsKey: `changed:${files.map((file) => `${file.path}:${file.after}`).join(",")}`,
  };
}

/** What a change would do, by the same rules that would do it; nothing is written. */
async function previewRequests(requests: readonly FileRequest[], context: ActionContext): Promise<ActionResult> {
  const outcome = await context.workspace.files.previewDiff(requests);
  if (outcome.kind !== "diff") return { ok: false, outcome: outcome.kind, summary: describeProblem(outcome) };
  const path = requests.map((request) => (request.kind === "move" ? request.to : request.path)).join(", ");
  const lines = outcome.diff.trimEnd().split("\n");
  const fitting = Math.max(1, fitLines(lines, context.profile.page));
  const rest = lines.length - fitting;
  const item: MemoryItem = {
    key: `preview:${path}`,
    kind: "action_result",
    title: `preview of ${path}, nothing written yet: ${outcome.added} lines added, ${outcome.removed} removed`,
    content: await context.blobs.put([...lines.slice(0, fitting), ...(rest > 0 ? [`and ${rest} more lines`] : [])].join("\n")),
    pinned: false,
    step: context.step,
    expiresAfter: 2,
  };
  return {
    ok: true,
    outcome: "previewed",
    summary: item.title,
    effects: [{ op: "put", item }],
    newsKey: `preview:${outcome.diff}`.slice(0, 300),
  };
}

const write = <Args>(definition: {
  name: string;
  summary: string;
  schema: z.ZodType<Args>;
  target: (args: Args) => string;
  requests: (args: Args) => FileRequest[];
  onlyShows?: (args: Args) => boolean;
}): Action =>
  defineAction<Args>({
    ...definition,
    effect: "files",
    paths: (args) =>
      definition.requests(args).flatMap((request) => (request.kind === "move" ? [request.from, request.to] : [request.path])),
    execute: (args, context) =>
      definition.onlyShows?.(args) === true
        ? previewRequests(definition.requests(args), context)
        : applyRequests(definition.requests(args), context),
  });

const edit = z.object({ path: z.string(), find: z.string(), replace: z.string() });
const oneEdit = edit.extend({ all: z.boolean().optional(), preview: z.boolean().optional() });
const toRequest = (one: z.infer<typeof oneEdit>): FileRequest => ({
  kind: "edit",
  path: one.path,
  edits: [{ find: one.find, replace: one.replace, all: one.all }],
});

/** Edits of one file must be one request, in order. */
function grouped(edits: readonly z.infer<typeof edit>[]): FileRequest[] {
  const byPath = Map.groupBy(edits, (one) => one.path);
  return [...byPath].map(([path, list]) => ({ kind: "edit", path, edits: list.map(({ find, replace }) => ({ find, replace })) }));
}

export const writeActions: readonly Action[] = [
  write({
    name: "edit_file",
    summary: "Replace a unique text, or all; preview: show the diff.",
    schema: oneEdit,
    target: (args) => args.path,
    requests: (args) => [toRequest(args)],
    onlyShows: (args) => args.preview === true,
  }),
  write({
    name: "multi_edit",
    summary: "Several edits in order, all or none.",
    schema: z.object({ edits: z.array(edit).min(1) }),
    target: (args) => [...new Set(args.edits.map((one) => one.path))].join(", "),
    requests: (args) => grouped(args.edits),
  }),
  write({
    name: "write_file",
    summary: "Create or replace a whole file.",
    schema: z.object({ path: z.string(), content: z.string() }),
    target: (args) => args.path,
    requests: (args) => [{ kind: "write", path: args.path, content: args.content }],
  }),
  write({
    name: "move_file",
    summary: "Move or rename a file.",
    schema: z.object({ from: z.string(), to: z.string() }),
    target: (args) => `${args.from} → ${args.to}`,
    requests: (args) => [{ kind: "move", from: args.from, to: args.to }],
  }),
  write({
    name: "delete_file",
    summary: "Delete a file.",
    schema: z.object({ path: z.string() }),
    target: (args) => args.path,
    requests: (args) => [{ kind: "delete", path: args.path }],
  }),
];
