/** What an action changes of a task's working memory. */
import { z } from "zod";

const memoryItem = z.object({
  /** Same key, same place: a newer version replaces the older. */
  key: z.string(),
  kind: z.enum(["action_result", "loaded_context", "fact", "note"]),
  title: z.string(),
  /** The text, as a blob reference. */
  content: z.string(),
  pinned: z.boolean().default(false),
  step: z.int(),
  /** Steps after which it goes; absent means until displaced. */
  expiresAfter: z.int().optional(),
  /** Where the text came from, so that a changed file is noticed. */
  source: z.object({ path: z.string(), hash: z.string(), from: z.int(), to: z.int(), total: z.int() }).optional(),
  /** Places it names, best first: a long file is opened there. */
  hits: z.array(z.object({ path: z.string(), line: z.int() })).optional(),
});

const textEdit = z.object({
  path: z.string(),
  find: z.string().optional(),
  replace: z.string(),
  all: z.boolean().optional(),
  after: z.int().optional(),
});

export const memoryEffect = z.discriminatedUnion("op", [
  z.object({ op: z.literal("put"), item: memoryItem }),
  z.object({ op: z.literal("pin"), key: z.string() }),
  z.object({ op: z.literal("clear"), key: z.string() }),
  /** Edits that were in order when others beside them were not; the newest word stands. */
  z.object({ op: z.literal("ready"), edits: z.array(textEdit) }),
  /** An empty text takes the note away. */
  z.object({ op: z.literal("note"), key: z.string(), text: z.string(), step: z.int() }),
  z.object({
    op: z.literal("fact"),
    subject: z.string(),
    text: z.string(),
    confidence: z.number().min(0).max(1),
    step: z.int(),
    /** What the user wants in general, or what failed; absent: a finding. */
    kind: z.enum(["preference", "mistake"]).optional(),
    /** What helped against a mistake. */
    fix: z.string().optional(),
  }),
]);
