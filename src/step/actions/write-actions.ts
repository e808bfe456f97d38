/** Actions that change files. Each names its requests first, so that the intent is journaled before the effect. */
import { z } from "zod";
import type { ChangeOutcome, FileRequest } from "../../workspace/index.ts";
import { fitLines, shortLine } from "../context/fit-lines.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { readFileItem, renewedWindows, windowsOf } from "./file-item.ts";
import { movedRange } from "../../code/lines/index.ts";
import type { MemoryEffect, MemoryItem, RecordedChange } from "../task-facts.ts";

const LINES_AROUND = 20;

export function recorded(changes: Extract<ChangeOutcome, { kind: "changed" }>["changes"]): RecordedChange[] {
  return changes.map(({ path, operation, before, after, snapshot, kept, mode, newMode }) => ({
    path,
    operation,
    before,
    after,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(kept === undefined ? {} : { kept }),
    ...(before === null ? {} : { mode }),
    ...(newMode === undefined ? {} : { new_mode: newMode }),
  }));
}

/** Words for every way a change can fail, with what to do next. */
export function describeProblem(outcome: Problem): string {
  switch (outcome.kind) {
    case "unchanged":
      return "nothing changed: the new text equals the old";
    case "no_match": {
      const unseen = outcome.closest?.unseen === undefined ? "" : `; it holds ${outcome.closest.unseen.join(", ")}`;
      const near =
        outcome.closest === undefined
          ? "read the file again"
          : `closest at line ${outcome.closest.line} (${outcome.closest.why}): ${shortLine(outcome.closest.text.split("\n")[0] ?? "", 160)}${unseen}`;
      return `${outcome.path}: the text to find is not there${outcome.edit > 0 ? ` (edit ${outcome.edit + 1})` : ""}; ${near}`;
    }
    case "ambiguous":
      return `${outcome.path}: the text to find stands ${outcome.total} times (lines ${outcome.lines.slice(0, 8).join(", ")}); add lines around it, or set all`;
    case "empty_find":
      return `${outcome.path}: the text to find is empty; use write_file for a whole file`;
    case "no_line":
      return `${outcome.path} has only ${outcome.lines} lines`;
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

/** What is in view of a changed file, as it stands now; gone with the file. */
async function renewed({ path, before, after }: RecordedChange, context: ActionContext): Promise<MemoryEffect[]> {
  const { blobs } = context;
  const windows = windowsOf(path, context);
  if (windows.length === 0) return [];
  if (after === null) return windows.map(({ key }) => ({ op: "clear", key }));
  const textOf = async (hash: string): Promise<string | undefined> =>
    (await blobs.has(`blob:sha256:${hash}`)) ? Buffer.from(await blobs.get(`blob:sha256:${hash}`)).toString("utf8") : undefined;
  const [was, is] = [before === null ? "" : await textOf(before), await textOf(after)];
  return renewedWindows(path, was === undefined || is === undefined ? (range) => range : movedRange(was, is), context);
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
    request.kind === "edit"
      ? request.edits.map((edit) =>
          "find" in edit
            ? `${request.path}: ${firstWords(edit.find)} → ${firstWords(edit.replace)}`
            : `${request.path}: ${firstWords(edit.insert)} put ${edit.after === undefined ? "at the end" : `after line ${edit.after}`}`,
        )
      : [],
  );
  const others = files
    .filter((file) => !requests.some((request) => request.kind === "edit" && request.path === file.path))
    .map((file) => `${file.operation} ${file.path}`);
  const all = [...others, ...edits];
  return `changed ${all.slice(0, 4).join("; ")}${all.length > 4 ? `; and ${all.length - 4} more` : ""}`;
}

type Problem = Exclude<ChangeOutcome, { kind: "changed" }>;

/** Why a change cannot be made. The likeliest place comes into view, so that the next try can copy it. */
async function problemResult(problem: Problem, context: ActionContext): Promise<ActionResult> {
  const failed: ActionResult = { ok: false, outcome: problem.kind, summary: describeProblem(problem) };
  if (problem.kind !== "no_match" || problem.closest === undefined) return failed;
  const { line } = problem.closest;
  const near = await readFileItem({ path: problem.path, from: Math.max(1, line - LINES_AROUND), to: line + LINES_AROUND }, context);
  return { ...failed, effects: near.effects ?? [] };
}

export async function applyRequests(requests: readonly FileRequest[], context: ActionContext): Promise<ActionResult> {
  const outcome = await context.workspace.files.apply(requests, context.signal);
  if (outcome.kind !== "changed") return problemResult(outcome, context);
  const done = await changedResult(requests, recorded(outcome.changes), context);
  const matched = outcome.changes.flatMap(({ path, notes = [] }) => notes.map((note) => `${path} ${note}`));
  return { ...done, summary: [done.summary, ...matched.slice(0, 4), ...(outcome.notes ?? [])].join("; ") };
}

export async function changedResult(
  requests: readonly FileRequest[],
  files: RecordedChange[],
  context: ActionContext,
): Promise<ActionResult> {
  const effects: MemoryEffect[] = [];
  for (const file of files) effects.push(...(await renewed(file, context)));
  // What was shown of the state before is no longer true.
  for (const { key } of context.state.memory.items)
    if (key.startsWith("preview:") || key === "detail:diff") effects.push({ op: "clear", key });
  if (context.state.memory.ready.length > 0) effects.push({ op: "ready", edits: [] });
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
  /** `ready`: edits kept from an earlier step. */
  requests: (args: Args, ready: readonly Edit[]) => FileRequest[];
  onlyShows?: (args: Args) => boolean;
  explain?: (args: Args, problem: Problem, context: ActionContext) => Promise<ActionResult>;
}): Action =>
  defineAction<Args>({
    ...definition,
    effect: "files",
    paths: (args) =>
      definition.requests(args, []).flatMap((request) => (request.kind === "move" ? [request.from, request.to] : [request.path])),
    requests: (args, state) => definition.requests(args, state.memory.ready),
    explain: (args, problem, context) => definition.explain?.(args, problem, context) ?? problemResult(problem, context),
    execute: (args, context) => {
      const requests = definition.requests(args, context.state.memory.ready);
      return definition.onlyShows?.(args) === true ? previewRequests(requests, context) : applyRequests(requests, context);
    },
  });

const edit = z.object({
  path: z.string(),
  find: z.string().optional(),
  replace: z.string(),
  all: z.boolean().optional(),
  after: z.int().min(0).optional(),
});
type Edit = z.infer<typeof edit>;
type TextEdit = Extract<FileRequest, { kind: "edit" }>["edits"][number];

/** Without a text to find, new lines are put in. */
const toTextEdit = ({ find, replace, all, after }: Edit): TextEdit =>
  find === undefined ? { insert: replace, after } : { find, replace, all };

/** Edits of one file must be one request, in order. */
function grouped(edits: readonly Edit[]): FileRequest[] {
  const byPath = Map.groupBy(edits, (one) => one.path);
  return [...byPath].map(([path, list]) => ({ kind: "edit", path, edits: list.map(toTextEdit) }));
}

const MAX_TOLD = 6;

/** Which edits fail, each for itself; the others are in order together. */
async function sortOut(edits: readonly Edit[], context: ActionContext): Promise<{ ready: Edit[]; failed: string[] }> {
  let ready = [...edits];
  const failed: string[] = [];
  while (ready.length > 0) {
    const outcome = await context.workspace.files.preview(grouped(ready));
    if (outcome.kind === "planned" || outcome.kind === "unchanged") break;
    const ofPath = ready.filter((one) => !("path" in outcome) || one.path === outcome.path);
    const bad = "edit" in outcome ? ofPath[outcome.edit] : undefined;
    const gone = new Set<Edit>(bad === undefined ? (ofPath.length > 0 ? ofPath : ready) : [bad]);
    const first = edits.findIndex((one) => gone.has(one));
    failed.push(`edit ${first + 1}: ${describeProblem({ ...outcome, ...("edit" in outcome ? { edit: 0 } : {}) })}`);
    ready = ready.filter((one) => !gone.has(one));
  }
  return { ready, failed };
}

/** When some of them fail, those that are in order are kept, so that only the others need be sent again. */
async function explainEdits(edits: readonly Edit[], problem: Problem, context: ActionContext): Promise<ActionResult> {
  const result = await problemResult(problem, context);
  const { ready, failed } = "path" in problem ? await sortOut(edits, context) : { ready: [], failed: [] };
  if (ready.length === 0) return result;
  const more = failed.length > MAX_TOLD ? `; and ${failed.length - MAX_TOLD} more` : "";
  return {
    ...result,
    summary: `nothing written: ${failed.length} of ${edits.length} edits fail: ${failed.slice(0, MAX_TOLD).join("; ")}${more}. The other ${ready.length} are kept: send only the mended ones, with rest: true`,
    effects: [...(result.effects ?? []), { op: "ready", edits: ready }],
  };
}

const withRest = ({ edits, rest }: { edits: readonly Edit[]; rest?: boolean | undefined }, ready: readonly Edit[]): Edit[] =>
  rest === true ? [...ready, ...edits] : [...edits];

export const writeActions: readonly Action[] = [
  write({
    name: "edit_file",
    summary: "Replace a text that stands once, or all; without find, add lines: after one, at the end, as a new file.",
    schema: edit.extend({ preview: z.boolean().optional() }),
    target: (args) => args.path,
    requests: (args) => grouped([args]),
    onlyShows: (args) => args.preview === true,
  }),
  write({
    name: "multi_edit",
    summary: "Edits like edit_file's, all or none; rest: with those kept.",
    schema: z
      .object({ edits: z.array(edit.meta({ known: true })), rest: z.boolean().optional() })
      .refine(({ edits, rest }) => edits.length > 0 || rest === true, "without edits there is only rest: true"),
    target: (args) => [...new Set(args.edits.map((one) => one.path))].join(", "),
    requests: (args, ready) => grouped(withRest(args, ready)),
    explain: (args, problem, context) => explainEdits(withRest(args, context.state.memory.ready), problem, context),
  }),
  write({
    name: "write_file",
    summary: "Write a whole file.",
    schema: z.object({ path: z.string(), content: z.string() }),
    target: (args) => args.path,
    requests: (args) => [{ kind: "write", path: args.path, content: args.content }],
  }),
  write({
    name: "move_file",
    summary: "Move a file.",
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
