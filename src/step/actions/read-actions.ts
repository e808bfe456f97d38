/** Actions that only look. */
import { z } from "zod";
import { canPin } from "../../memory/index.ts";
import { shortLine, fitLines } from "../context/fit-lines.ts";
import type { MemoryItem } from "../task-facts.ts";
import { defineAction, type Action, type ActionContext, type ActionResult } from "./action.ts";
import { readFileItem } from "./file-item.ts";
import { loadContext } from "./load-context.ts";
import { refusedLook, search } from "./search-action.ts";

/** Files that match, as an item in view: as many as fit, and how many more there are. */
async function listMatching(glob: string, context: ActionContext): Promise<ActionResult> {
  const found = await context.workspace.search.list({ globs: [glob], signal: context.signal });
  if (found.kind !== "files") return refusedLook(found);
  const short = found.files.map((file) => shortLine(file, 200));
  const fitting = fitLines(short, context.profile.page);
  const rest = found.total - fitting;
  const item: MemoryItem = {
    key: `list:${glob}`,
    kind: "action_result",
    title: `files matching ${glob} (${found.total})`,
    content: await context.blobs.put(
      [...short.slice(0, fitting), ...(rest > 0 ? [`and ${rest} more; narrow the glob to see them`] : [])].join("\n"),
    ),
    pinned: false,
    step: context.step,
  };
  return {
    ok: true,
    outcome: found.total === 0 ? "nothing" : "listed",
    summary: `${found.total} files match ${glob}`,
    effects: found.total === 0 ? [] : [{ op: "put", item }],
    newsKey: `${item.key}:${found.total}`,
  };
}

/** What was read stays in view, or no longer does. */
function pinned(read: ActionResult, pin: boolean, { state }: ActionContext): ActionResult {
  const put = read.effects?.findLast((effect) => effect.op === "put");
  if (!read.ok || put?.op !== "put") return read;
  const { item } = put;
  if (pin && !canPin(state.memory, item.key))
    return {
      ...read,
      ok: false,
      outcome: "too_many_pinned",
      summary: `${read.summary}; not pinned: at most ${state.memory.limit - 1} items can be, let one go with pin: false`,
    };
  const effects = (read.effects ?? []).map((effect) => (effect === put ? { ...put, item: { ...item, pinned: pin } } : effect));
  // A newer version of an item keeps its pin, so it goes before it comes back without.
  return { ...read, effects: pin ? effects : [{ op: "clear", key: item.key }, ...effects] };
}

const readFile = defineAction({
  name: "read_file",
  summary: "Show a file or lines, or list a folder or glob; pin keeps it in view. Up to {reads} reads an answer.",
  effect: "none",
  schema: z.object({
    path: z.string(),
    from: z.int().min(1).optional(),
    to: z.int().min(1).optional(),
    pin: z.boolean().optional(),
  }),
  paths: (args) => [args.path],
  target: (args) => args.path + (args.from === undefined ? "" : `@${args.from}-${args.to ?? ""}`),
  async execute({ pin, ...args }, context) {
    const read = await readFileItem(args, context);
    if (read.outcome === "not_found" && args.path.includes("*")) return listMatching(args.path, context);
    return pin === undefined ? read : pinned(read, pin, context);
  },
});

export const readActions: readonly Action[] = [readFile, search, loadContext];
