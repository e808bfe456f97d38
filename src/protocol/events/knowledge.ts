/** What enters knowledge from outside the project's files, on the stream `knowledge`. The index can be built again from it. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { defineEvent } from "./define-event.ts";

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
    summary_type: z.enum(CHOICES.summaryType),
    session_id: z.string(),
    code_references: z.array(z.string()),
    tags: z.array(z.string()),
    agent: z.string(),
    task_id: z.string().nullable(),
    resolved: z.boolean().nullable(),
  }),
});

const documentStored = defineEvent({
  type: "knowledge.document_stored",
  version: 1,
  schema: z.object({
    slug: z.string(),
    title: z.string(),
    type: z.enum(CHOICES.documentType),
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
    type: z.enum(CHOICES.linkType),
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

export const knowledgeEvents = { historyImported, summaryStored, documentStored, linked, conflictSettled };
