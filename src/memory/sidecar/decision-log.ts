/**
 * The decision log as text and as entries (SID-003). Every entry keeps the exact text it was read
 * from, so printing what was parsed gives the same bytes back, whatever a user wrote.
 */
import { must, wording } from "../../kernel/index.ts";

export const ENTRY_TYPES = ["architectural", "implementation", "validation", "process"] as const;
export const ENTRY_STATES = ["active", "superseded", "archived"] as const;
const UNKNOWN_DATE = "YYYY-MM-DD-UNKNOWN";

export interface Decision {
  /** `YYYY-MM-DD`, or the placeholder when it could not be read. */
  date: string;
  title: string;
  agent: string;
  workflow: string;
  sprint: string;
  type: string;
  status: string;
  related: string[];
  body: string;
}

export interface LoggedDecision extends Decision {
  /** The text it was read from, to its last byte. */
  raw: string;
  /** What stands between it and the next entry and belongs to neither, such as a refresh report. */
  tail: string;
  warnings: string[];
}

export interface DecisionLog {
  /** Everything before the first entry. */
  preamble: string;
  entries: LoggedDecision[];
}

const HEADING = /^### \[([^\]\n]*)\][ \t]*(.*)$/;
const FIELD = /^[-*] \**(Agent|Workflow|Sprint|Type|Status|Related)\**:\**[ \t]*(.*)$/i;

/** Reads `2026-1-5`, `2026/01/05`, `05.01.2026` as what they mean. */
function repairDate(text: string): string | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text.trim());
  const local = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text.trim());
  const [year, month, day] = iso !== null ? [iso[1], iso[2], iso[3]] : local !== null ? [local[3], local[2], local[1]] : [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function parseEntry(raw: string, tail: string): LoggedDecision {
  const [first = "", ...lines] = raw.split(/\r?\n/);
  const heading = HEADING.exec(first);
  const warnings: string[] = [];
  const given = heading?.[1] ?? "";
  const date = repairDate(given);
  if (date === undefined) warnings.push(`the date ${JSON.stringify(given)} cannot be read`);
  else if (date !== given) warnings.push(`the date ${given} was read as ${date}`);
  const fields: Record<string, string> = {};
  let at = 0;
  while (at < lines.length && (lines[at] ?? "").trim() === "") at += 1;
  for (let match = FIELD.exec(lines[at] ?? ""); match !== null; match = FIELD.exec(lines[at] ?? "")) {
    fields[must(match[1]).toLowerCase()] = must(match[2]).trim();
    at += 1;
  }
  const { agent = "", workflow = "", sprint = "", type = "", status = "", related = "" } = fields;
  if (agent === "") warnings.push("Agent is missing");
  if (status === "") warnings.push("Status is missing");
  return {
    date: date ?? UNKNOWN_DATE,
    title: (heading?.[2] ?? "").trim(),
    agent,
    workflow,
    sprint,
    type,
    status: status === "" ? "active" : status.toLowerCase(),
    related: related
      .split(",")
      .map((one) => one.trim().replace(/^`(.*)`$/, "$1"))
      .filter((one) => one !== ""),
    body: lines.slice(at).join("\n").trim(),
    raw,
    tail,
    warnings,
  };
}

/** Never drops anything: what is no entry belongs to the text around it. */
export function parseDecisions(text: string): DecisionLog {
  const starts: { at: number; entry: boolean }[] = [];
  let fenced = false;
  let at = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) fenced = !fenced;
    const entry = !fenced && HEADING.test(line.replace(/\r$/, ""));
    if (entry || (!fenced && /^##? /.test(line))) starts.push({ at, entry });
    at += line.length + 1;
  }
  const log: DecisionLog = { preamble: text.slice(0, starts[0]?.at ?? text.length), entries: [] };
  for (const [i, start] of starts.entries()) {
    const part = text.slice(start.at, starts[i + 1]?.at ?? text.length);
    const last = log.entries.at(-1);
    if (start.entry) log.entries.push(parseEntry(part, ""));
    else if (last === undefined) log.preamble += part;
    else last.tail += part;
  }
  return log;
}

export function printDecisions(log: DecisionLog): string {
  return log.preamble + log.entries.map((entry) => entry.raw + entry.tail).join("");
}

/** The log without some entries; what stood between them stays. */
export function withoutEntries(log: DecisionLog, gone: ReadonlySet<LoggedDecision>): DecisionLog {
  const left: DecisionLog = { preamble: log.preamble, entries: [] };
  for (const entry of log.entries) {
    const last = left.entries.at(-1);
    if (!gone.has(entry)) left.entries.push({ ...entry });
    else if (last === undefined) left.preamble += entry.tail;
    else last.tail += entry.tail;
  }
  return left;
}

/** A body must not look like the next entry, nor swallow it by an open code block. */
function safeBody(text: string): string {
  const body = text
    .trim()
    .replaceAll("\r\n", "\n")
    .replaceAll(/^### \[/gm, "#### [");
  const fences = body.match(/^```/gm)?.length ?? 0;
  return fences % 2 === 0 ? body : `${body}\n\`\`\``;
}

export function renderDecision(entry: Decision): string {
  const fields: [string, string][] = [
    ["Agent", entry.agent],
    ["Workflow", entry.workflow],
    ["Sprint", entry.sprint],
    ["Type", entry.type],
    ["Status", entry.status],
    ["Related", entry.related.map((one) => wording.oneLine(one)).join(", ")],
  ];
  const lines = fields.filter(([, value]) => value !== "").map(([name, value]) => `- ${name}: ${wording.oneLine(value)}`);
  const body = safeBody(entry.body);
  return `### [${entry.date}] ${wording.oneLine(entry.title)}\n\n${lines.join("\n")}\n\n${body === "" ? "" : `${body}\n\n`}`;
}
