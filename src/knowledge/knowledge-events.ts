/** What enters knowledge from outside the project's files. The journal keeps it, so that the index can be built again. */
import { z } from "zod";
import { defineEvent } from "../journal/index.ts";
import { DOCUMENT_TYPES, LINK_TYPES, SUMMARY_TYPES, type LinkType } from "./graph/node-types.ts";

export const historyImported = defineEvent(
  "knowledge.history_imported",
  z.object({ name: z.string(), turns: z.int(), content: z.string().describe("blob with the lines as they were given") }),
);

/** KNO-030: what was done, decided, or went wrong, in the words of whoever did it. */
export const summaryStored = defineEvent(
  "knowledge.summary_stored",
  z.object({
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
);
export type StoredSummary = Parameters<typeof summaryStored.create>[0];

export const documentStored = defineEvent(
  "knowledge.document_stored",
  z.object({
    slug: z.string(),
    title: z.string(),
    type: z.enum(DOCUMENT_TYPES),
    url: z.string().nullable(),
    content: z.string().describe("blob with its text"),
  }),
);

export const nodesLinked = defineEvent(
  "knowledge.linked",
  z.object({
    source: z.string(),
    target: z.string(),
    type: z.enum(Object.keys(LINK_TYPES) as [LinkType, ...LinkType[]]),
    weight: z.number().nullable(),
  }),
);

/** MIT-044: settled by someone; stays so when the index is built again. */
export const conflictSettled = defineEvent(
  "knowledge.conflict_settled",
  z.object({
    type: z.enum(["temporal", "source_mismatch", "semantic"]),
    subject: z.string(),
    node_a: z.string(),
    node_b: z.string(),
    /** What exactly was contradictory; another contradiction between the same two is another matter. */
    description: z.string(),
    resolution: z.string(),
  }),
);
export type SettledConflict = Parameters<typeof conflictSettled.create>[0];
