/** What a session was about, short enough to be read at the next (SID-007). */
import { isoTime, must, wording } from "../../kernel/index.ts";
import { tokensOf } from "./budget.ts";

export interface SessionSummary {
  discussed: string[];
  decisions: string[];
  artifacts: string[];
  pending: string[];
}

/** Decisions and pending work win when space is short; empty sections are left out. */
export function renderSummary(summary: SessionSummary, limitTokens: number, nowMs: number): string {
  const sections: [string, string[]][] = [
    ["Discussed", summary.discussed],
    ["Decisions", summary.decisions],
    ["Changed", summary.artifacts],
    ["Pending", summary.pending],
  ];
  const order = ["Decisions", "Pending", "Changed", "Discussed"];
  const kept = new Map<string, string[]>();
  let room = limitTokens - 40;
  for (const name of order) {
    for (const line of sections.find(([title]) => title === name)?.[1] ?? []) {
      const text = `- ${wording.oneLine(line)}`;
      const tokens = tokensOf(text) + 1;
      if (tokens > room) continue;
      room -= tokens;
      kept.set(name, [...(kept.get(name) ?? []), text]);
    }
  }
  const parts = sections.flatMap(([title]) => (kept.has(title) ? [`## ${title}\n\n${must(kept.get(title)).join("\n")}`] : []));
  return `# Conversation context\n\nLast session: ${isoTime(nowMs)}\n\n${parts.join("\n\n")}\n`;
}
