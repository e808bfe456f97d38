/**
 * A cassette: one readable YAML file, a header and one document per answered call, appended as they
 * happen or written at once from the journal. Requests are compared after ids, times and the paths of the project and its work trees are
 * blanked out, because those differ between two runs of the same work.
 */
import { parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import { canonicalJson, messageOf, sha256, SylkError, wording } from "../../kernel/index.ts";
import type { Result } from "../../protocol/api/index.ts";
import { PLAN } from "../../protocol/plan/index.ts";
import type { ProviderCall } from "../providers/types.ts";
import { readNamedFile } from "../read-named-file.ts";

const CASSETTE_VERSION = 1;

const headerSchema = z.object({
  cassette: z.literal(CASSETTE_VERSION),
  recorded_at: z.string(),
  recording: PLAN.recording.optional(),
});

const entrySchema = z.object({
  role: z.string(),
  phase: z.string(),
  purpose: z.string(),
  step: z.int(),
  model: z.string(),
  /** Of the comparable request. */
  key: z.string(),
  request: z.object({
    messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })),
    tools: z.array(z.string()),
  }),
  answer: z.object({
    text: z.string(),
    reasoning: z.string().optional(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).default([]),
    stop: z.enum(["end_turn", "max_tokens", "tool_use", "content_filter", "cancelled", "error"]),
    usage: z.object({
      input: z.int(),
      output: z.int(),
      cache_read: z.int(),
      cache_write: z.int(),
      reasoning: z.int(),
      estimated: z.boolean(),
    }),
  }),
});
/** The request that the calls were made for. */
export type Recording = Result<"request.record">["recording"];
export type CassetteEntry = z.output<typeof entrySchema>;

const ID = /\b[a-z]{2,10}_[0-9a-hjkmnp-tv-z]{26}\b/g;
const TIME = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?\b/g;

/** A work tree stands in a folder of this machine and this user; it is called by an id, whole or cut, with or without what it is for. */
const TREE = /\/[^\s"'`()<>]*\/work\/trees\/[a-z]{2,10}_[0-9a-z_]+/g;
/** A full path that was cut to fit: how much of it is left depends on where it began. */
const CUT = /(?<![\w.>])(?:\/|<tree>)[^\s"'`()<>…]*… \(\+\d+ characters\)/gu;

const PROJECT = "<project>";

/** A request's text without what differs from run to run. */
export function blank(text: string, cwd: string): string {
  const here = withoutProject(text, cwd).replaceAll(TREE, "<tree>").replaceAll(CUT, "<cut>");
  return here.replaceAll(ID, "<id>").replaceAll(TIME, "<time>");
}

/** No cassette names the machine it was recorded on. */
export function withoutProject(text: string, cwd: string): string {
  return text.replaceAll(cwd, PROJECT);
}

export function withProject(text: string, cwd: string): string {
  return text.replaceAll(PROJECT, cwd);
}

/** What must be equal for a recorded answer to fit. */
export function requestKey(call: Pick<ProviderCall, "messages" | "tools">, cwd: string, redact: (text: string) => string): string {
  const messages = call.messages.map((message) => ({ role: message.role, content: blank(redact(message.content), cwd) }));
  return sha256(
    canonicalJson({
      messages,
      tools: call.tools.map((tool) => ({ name: tool.name, description: tool.description, schema: JSON.stringify(tool.inputSchema) })),
    }),
  ).slice(0, 16);
}

export function renderHeader(recordedAt: string, of?: Recording): string {
  const header = { cassette: CASSETTE_VERSION, recorded_at: recordedAt, ...(of === undefined ? {} : { recording: of }) };
  const how = of === undefined ? "Play them with the model replay/<this file>." : "Play them with `sylk replay <this file>`.";
  return `# Recorded model calls. ${how}\n${stringify(header, { lineWidth: 0, blockQuote: "literal" })}`;
}

export function renderEntry(entry: CassetteEntry): string {
  return `---\n${stringify(entry, { lineWidth: 0, blockQuote: "literal" })}`;
}

export interface Cassette {
  header: z.output<typeof headerSchema>;
  entries: CassetteEntry[];
}

export function readCassette(file: string): Cassette {
  const fail = (message: string, cause?: unknown): SylkError =>
    new SylkError({
      code: "MODEL_CASSETTE_UNREADABLE",
      tier: "user_fixable",
      message: `cassette ${file}: ${message}`,
      fix: "record it again, or give the path of a cassette as replay/<path>",
      cause,
    });
  let documents: unknown[];
  try {
    documents = parseAllDocuments(readNamedFile(file)).map((document) => {
      if (document.errors[0] !== undefined) throw document.errors[0];
      return document.toJS() as unknown;
    });
  } catch (error) {
    throw fail(messageOf(error), error);
  }
  const header = headerSchema.safeParse(documents[0]);
  if (!header.success) throw fail(`is not a version ${CASSETTE_VERSION} cassette`);
  const entries = documents.slice(1).map((document, index) => {
    const entry = entrySchema.safeParse(document);
    if (!entry.success) throw fail(`call ${index + 1}: ${wording.issues(entry.error)}`);
    return entry.data;
  });
  return { header: header.data, entries };
}
