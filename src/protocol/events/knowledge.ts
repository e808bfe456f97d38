/** What enters knowledge from outside the project's files, on the stream `knowledge`. The index can be built again from it. */
import { z } from "zod";
import { defineEvent, type PayloadOf } from "./define-event.ts";

export const SUMMARY_TYPES = ["task_completion", "decision", "failure", "pattern", "refactoring", "bug_fix", "feature"] as const;

export const DOCUMENT_TYPES = [
  "paper",
  "documentation",
  "best_practice",
  "rfc",
  "stack_overflow",
  "blog_post",
  "tutorial",
  "research_paper",
  "plan",
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Who may point to whom. */
export const LINK_TYPES = {
  modified: ["history", "code"],
  created: ["history", "code"],
  deleted: ["history", "code"],
  referenced_in: ["history", "code"],
  based_on: ["history", "academic"],
  references: ["history", "academic"],
  validated_by: ["history", "academic"],
  supersedes: ["history", "history"],
  documents: ["academic", "code"],
  implements_pattern: ["code", "academic"],
  uses_library: ["code", "academic"],
  inspired_by: ["academic", "history"],
  cites: ["academic", "academic"],
  related_to: ["academic", "academic"],
} as const;
export type LinkType = keyof typeof LINK_TYPES;

const historyImported = defineEvent({
  type: "knowledge.history_imported",
  version: 1,
  schema: z.object({ name: z.string(), turns: z.int(), content: z.string().describe("blob with the lines as they were given") }),
});

/** KNO-030: what was done, decided, or went wrong, in the words of whoever did it. */
const summaryStored = defineEvent({
  type: "knowledge.summary_stored",
  version: 1,
  schema: z.object({
    id: z.string(),
    content: z.string(),
    summary_type: z.enum(SUMMARY_TYPES),
    session_id: z.string(),
    code_references: z.array(z.string()),
    tags: z.array(z.string()),
    agent: z.string(),
    task_id: z.string().nullable(),
    resolved: z.boolean().nullable(),
  }),
});
export type StoredSummary = PayloadOf<typeof summaryStored>;

const documentStored = defineEvent({
  type: "knowledge.document_stored",
  version: 1,
  schema: z.object({
    slug: z.string(),
    title: z.string(),
    type: z.enum(DOCUMENT_TYPES),
    url: z.string().nullable(),
    content: z.string().describe("blob with its text"),
  }),
});

const linked = defineEvent({
  type: "knowledge.linked",
  version: 1,
  schema: z.object({
    source: z.string(),
    target: z.string(),
    type: z.enum(Object.keys(LINK_TYPES) as [LinkType, ...LinkType[]]),
    weight: z.number().nullable(),
  }),
});

/** MIT-044: settled by someone; stays so when the index is built again. */
const conflictSettled = defineEvent({
  type: "knowledge.conflict_settled",
  version: 1,
  schema: z.object({
    type: z.enum(["temporal", "source_mismatch", "semantic"]),
    subject: z.string(),
    node_a: z.string(),
    node_b: z.string(),
    /** What exactly was contradictory; another contradiction between the same two is another matter. */
    description: z.string(),
    resolution: z.string(),
  }),
});
export type SettledConflict = PayloadOf<typeof conflictSettled>;

export const knowledgeEvents = { historyImported, summaryStored, documentStored, linked, conflictSettled };
