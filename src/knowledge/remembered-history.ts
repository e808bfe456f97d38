/** What agents remember as entries of history (GTR-011): decisions and verified facts, with where and when they were shown to be so. */
import { readRemembered } from "../memory/index.ts";
import type { HistoryEntry } from "./store/history-writer.ts";

function timeOf(date: string): number | undefined {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? undefined : at;
}

export function rememberedHistory(memoryDir: string, redact: (text: string) => string): HistoryEntry[] {
  const { decisions, facts } = readRemembered(memoryDir);
  return [
    ...decisions.map((one): HistoryEntry => ({
      id: `${one.owner}/${one.date}/${one.title}`,
      externalId: undefined,
      thread: `memory/${one.owner}`,
      author: one.owner,
      at: timeOf(one.date),
      text: redact(`${one.title}\n${one.body}`.trim()),
      kind: "decision",
      provenance: [{ type: "history", path: `memory/${one.owner}/decision-log.md`, verifiedAt: timeOf(one.date) }],
    })),
    ...facts.map((one): HistoryEntry => ({
      id: `${one.owner}/${one.category}/${one.source}/${one.statement}`,
      externalId: undefined,
      // Facts are not said one after the other: what is known of one file says nothing of the next.
      thread: `memory/${one.owner}/truth/${one.source}`,
      author: one.owner,
      at: timeOf(one.verified),
      text: redact(one.statement),
      kind: "fact",
      provenance: [{ type: "code", path: one.source, verifiedAt: timeOf(one.verified) }],
    })),
  ];
}
