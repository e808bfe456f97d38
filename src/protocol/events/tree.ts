/** What happens to a task's own work tree, on the task's stream. A merge is intended, done, then told. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

const mergedFile = z.object({
  path: z.string(),
  /** `as_is`, `by_lines`, `by_structure`, `resolved`, `deleted`. */
  how: z.string(),
  /** Hashes of the content in the project's folder; null: no file. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  /** Permissions before. */
  mode: z.int().optional(),
  /** Those after, where the merge gave it others. */
  new_mode: z.int().optional(),
  /** The content before, so that the merge can be taken back. */
  snapshot: z.string().optional(),
});

const created = defineEvent({
  type: "tree.created",
  version: 1,
  schema: z.object({ tree: z.string(), branch: z.string(), /** The commit it starts from. */ base: z.string() }),
});

/** The project's files are about to be written. */
const mergeIntended = defineEvent({
  type: "task.merge_intended",
  version: 1,
  schema: z.object({
    /** The state of the work that is merged. */
    commit: z.string(),
    files: z.array(mergedFile),
    combined: z.boolean(),
  }),
});

const merged = defineEvent({
  type: "task.merged",
  version: 1,
  schema: z.object({ files: z.array(mergedFile), /** Edits of both sides were combined. */ combined: z.boolean() }),
});

const discarded = defineEvent({
  type: "tree.discarded",
  version: 1,
  schema: z.object({ /** Where what was not merged can still be found. */ recoverable_from: z.string().nullable() }),
});

/** The project's files stand again as before the merge; what it had brought is kept. */
const mergeUndone = defineEvent({
  type: "task.merge_undone",
  version: 1,
  schema: z.object({ files: z.array(z.string()), kept: z.array(z.string()) }),
});

export const treeEvents = { treeCreated: created, mergeIntended, merged, mergeUndone, treeDiscarded: discarded };
