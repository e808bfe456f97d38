/** Says in a few lines what a request has that the nearest recorded one had not, and the reverse. */
import { must } from "../../kernel/index.ts";
import type { ModelMessage } from "../types.ts";

const MAX_LINES = 20;

/** Lines between the common beginning and the common end. */
function changedLines(before: string, now: string): { removed: string[]; added: string[]; line: number } {
  const a = before.split("\n");
  const b = now.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { removed: a.slice(head, a.length - tail), added: b.slice(head, b.length - tail), line: head + 1 };
}

function shown(mark: string, lines: string[]): string[] {
  const out = lines.slice(0, MAX_LINES).map((line) => `${mark} ${line.length > 160 ? `${line.slice(0, 157)}...` : line}`);
  return lines.length > MAX_LINES ? [...out, `${mark} (${lines.length - MAX_LINES} more lines)`] : out;
}

export interface ComparableRequest {
  messages: readonly ModelMessage[];
  tools: readonly string[];
}

export function describeMismatch(recorded: ComparableRequest, now: ComparableRequest): string {
  const out: string[] = [];
  if (recorded.messages.length !== now.messages.length)
    out.push(`messages: ${recorded.messages.length} recorded, ${now.messages.length} now`);
  for (let i = 0; i < Math.min(recorded.messages.length, now.messages.length); i += 1) {
    const before = must(recorded.messages[i]);
    const after = must(now.messages[i]);
    if (before.content === after.content) continue;
    const { removed, added, line } = changedLines(before.content, after.content);
    out.push(`${after.role} message, from line ${line}:`, ...shown("-", removed), ...shown("+", added));
  }
  const gone = recorded.tools.filter((tool) => !now.tools.includes(tool));
  const fresh = now.tools.filter((tool) => !recorded.tools.includes(tool));
  if (gone.length + fresh.length > 0) out.push("tools:", ...shown("-", gone), ...shown("+", fresh));
  return out.length === 0 ? "the tools' descriptions or schemas differ" : out.join("\n");
}
