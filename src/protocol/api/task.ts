/** Starting, steering and looking at tasks. */
import { z } from "zod";
import { taskDetail, taskSummary } from "../task.ts";
import { defineCall, none, nothing } from "./define-call.ts";

const id = z.string();
const one = z.strictObject({ id });
/** The sender looks at what the run asks and answers it; otherwise a run that needs an answer rests. */
export const attended = z.boolean().optional();

const startTask = z.strictObject({
  goal: z.string(),
  type: z.string(),
  role: z.string(),
  criteria: z.array(z.string()),
  constraints: z.array(z.string()),
  checks: z.array(z.string()),
  /** A command that fails because of what is wrong, and passes when it is mended. */
  reproduce: z.string().optional(),
  model: z.string().optional(),
  profile: z.string(),
  max_steps: z.int().optional(),
  /** Folder below the project to work in; the project itself when absent. */
  folder: z.string().optional(),
  /** Work in a tree of its own instead of the project's folder. */
  worktree: z.boolean().optional(),
  /** Facts the task starts from, by name. */
  given: z.record(z.string(), z.string()).optional(),
  /** False: without checks the task has none; otherwise the project's own commands are used. */
  discover_checks: z.boolean().optional(),
  /** Picture files beside those that the goal names. */
  pictures: z.array(z.string()).optional(),
  /** What was said before it in the same session, as for `request.start`. */
  before: z.array(z.string()).optional(),
});

const files = z.array(z.string());
const mergedFiles = z.array(z.strictObject({ path: z.string(), how: z.string() }));

const mergeOutcome = z.discriminatedUnion("kind", [
  /** `combined`: nobody has run this together yet; check again. */
  z.strictObject({ kind: z.literal("merged"), files: mergedFiles, combined: z.boolean() }),
  z.strictObject({ kind: z.literal("already_merged"), files: mergedFiles }),
  z.strictObject({ kind: z.literal("nothing_to_merge") }),
  z.strictObject({
    kind: z.literal("conflicts"),
    /** What the task is for. */
    wanted: z.string(),
    conflicts: z.array(
      z.strictObject({
        path: z.string(),
        reason: z.string(),
        marked: z.string().optional(),
        /** Each disputed place as it was, as it is in the user's folder, and as the task wants it. */
        places: z.array(z.strictObject({ before: z.string(), mine: z.string(), task: z.string() })),
        /** Lines that are gone with `prefer: mine`, and with `prefer: task`. */
        lost: z.strictObject({ mine: files, task: files }),
      }),
    ),
    clean: files,
  }),
  z.strictObject({ kind: z.literal("refused"), path: z.string(), reason: z.string() }),
]);

const undoOutcome = z.discriminatedUnion("kind", [
  /** `commands`: how many commands of the task changed what is not known and not taken back. */
  z.strictObject({
    kind: z.literal("undone"),
    what: z.enum(["changes", "merge"]),
    files,
    dry_run: z.boolean(),
    commands: z.int(),
    /** A command of it that runs now, and may change them again. */
    still_runs: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal("nothing_to_undo") }),
  z.strictObject({ kind: z.literal("changed_since"), files, commands: z.int() }),
  z.strictObject({ kind: z.literal("not_kept"), files }),
]);

const discardOutcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("discarded") }),
  z.strictObject({ kind: z.literal("already_gone") }),
  z.strictObject({ kind: z.literal("kept"), changed: files }),
]);

export const commands = {
  "task.start": defineCall(z.strictObject({ options: startTask }), one),
  /** Runs until it ends or waits. Aborted, the task stands where it is and can be run again. */
  "task.run": defineCall(one.extend({ attended }), taskDetail),
  "task.answer": defineCall(z.strictObject({ id, text: z.string() }), nothing),
  /** Makes a waiting task ready to run again, with another model when one is named. */
  "task.reopen": defineCall(z.strictObject({ id, extra_steps: z.int().min(0), model: z.string().optional() }), nothing),
  "task.pause": defineCall(one, nothing),
  /** Ends it on the user's word, verified or not. */
  "task.accept": defineCall(z.strictObject({ id, reason: z.string() }), nothing),
  /** What ran was stopped by the user on purpose: it is not begun again unless they name it. */
  "task.stopped": defineCall(one, nothing),
  "task.cancel": defineCall(z.strictObject({ id, reason: z.string() }), nothing),
  /** Writes its readable folder again from the journal. */
  "task.rebuild": defineCall(one, z.strictObject({ folder: z.string() })),
  /** What was merged already, or begun by a process that died, is recognised. */
  "task.merge": defineCall(z.strictObject({ id, prefer: z.enum(["mine", "task"]).optional() }), mergeOutcome),
  /** Without `force`, work that was not merged is kept. */
  "task.discard": defineCall(z.strictObject({ id, force: z.boolean() }), discardOutcome),
  /** Brings back what was there before; `force` also over later changes. */
  /** `to_step`: only what came after it; the task can be gone on with from there. */
  "task.undo": defineCall(
    z.strictObject({ id, dry_run: z.boolean(), force: z.boolean(), to_step: z.int().min(0).optional() }),
    undoOutcome,
  ),
};

export const queries = {
  /** Newest first; all when no limit is given. */
  "task.list": defineCall(z.strictObject({ limit: z.int().positive().optional() }), z.array(taskSummary)),
  "task.count": defineCall(none, z.int()),
  "task.show": defineCall(one, taskDetail),
  /** A whole id from its beginning or end; the newest task for `last`. */
  "task.resolve": defineCall(one, one),
  /** Exactly what the model saw at a step; when none is named, at the one under way or the last. */
  "task.context": defineCall(
    z.strictObject({ id, step: z.int().optional() }),
    z.strictObject({
      step: z.int(),
      system: z.string(),
      user: z.string(),
      tools: z.json(),
      /** Estimated before it was asked. */
      tokens: z.int(),
      /** As the provider counted them; absent while it is being asked. */
      counted_tokens: z.int().optional(),
      /** Estimated tokens of each of its sections, which make up all of it. */
      sections: z.record(z.string(), z.int()),
      cuts: z.array(z.json()),
    }),
  ),
  /** In its work tree, when it has one. */
  /** Of one step alone when it is named. */
  "task.diff": defineCall(one.extend({ step: z.int().min(1).optional() }), z.strictObject({ text: z.string(), truncated: z.boolean() })),
};
