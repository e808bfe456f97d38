/** Conversations and notes from outside: one JSON object a line. */
import { z } from "zod";
import { SylkError, wording } from "../kernel/index.ts";
import type { HistoryEntry } from "./store/history-writer.ts";

const line = z.object({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  time: z.union([z.string(), z.number()]).nullish(),
  author: z.string().nullish(),
  text: z.string(),
  thread: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((value) => (value === null || value === undefined ? "" : String(value))),
});

function timeOf(value: string | number | null | undefined): number | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  // Seconds or milliseconds since the epoch.
  if (typeof value === "number") return value < 1e11 ? value * 1_000 : value;
  const parsed = Date.parse(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/u.test(value) ? `${value.replace(" ", "T")}Z` : value);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The same lines without what is secret in them, ready to be kept. */
export function redactHistoryLines(text: string, name: string, redact: (text: string) => string): string {
  return eachLine(text, name, ({ id, time, author, text: said, thread }) =>
    JSON.stringify({ id, time: time ?? null, author: redact(author ?? ""), text: redact(said), thread: redact(thread) }),
  ).join("\n");
}

/** Throws for the first line that is not such an object, naming it. */
export function parseHistoryLines(text: string, name: string): HistoryEntry[] {
  return eachLine(text, name, ({ id, time, author, text: said, thread }) => ({
    id,
    externalId: id,
    thread: `${name}/${thread}`,
    author: author ?? "",
    at: timeOf(time),
    text: said,
    kind: "history_entry",
  }));
}

function eachLine<T>(text: string, name: string, use: (entry: z.output<typeof line>) => T): T[] {
  return text.split(/\r?\n/u).flatMap((raw, i): T[] => {
    if (raw.trim() === "") return [];
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch (cause) {
      throw lineError(name, i, "is not JSON", cause);
    }
    const parsed = line.safeParse(value);
    if (!parsed.success) throw lineError(name, i, wording.issues(parsed.error), parsed.error);
    return [use(parsed.data)];
  });
}

function lineError(name: string, index: number, what: string, cause: unknown): SylkError {
  return new SylkError({
    code: "HISTORY_LINE_INVALID",
    tier: "user_fixable",
    message: `${name} line ${index + 1} ${what}`,
    fix: 'each line is one JSON object: {"id": "…", "time": "2024-05-01T10:00:00Z", "author": "…", "text": "…", "thread": "…"}',
    cause,
  });
}
