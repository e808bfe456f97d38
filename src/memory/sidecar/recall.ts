/** An agent's memory as a few lines for its next task: newest first, one per subject, stale ones said to be so. */
import { staleBecause } from "./evidence.ts";
import { tokensOf } from "./budget.ts";
import type { LoadedMemory } from "./load-sidecar.ts";

export interface Recalled {
  text: string;
  stale: string[];
  left_out: number;
}

export function recallText(loaded: LoadedMemory, root: string, roomTokens: number): Recalled {
  const seen = new Set<string>();
  const stale: string[] = [];
  const lines: string[] = [];
  let used = 0;
  let leftOut = loaded.left_out;
  const add = (line: string): void => {
    const tokens = tokensOf(line) + 1;
    if (used + tokens > roomTokens) {
      leftOut += 1;
      return;
    }
    used += tokens;
    lines.push(line);
  };
  for (const decision of loaded.decisions) {
    if (seen.has(decision.title)) continue;
    seen.add(decision.title);
    const because = staleBecause(decision, root);
    if (because !== undefined) stale.push(decision.title);
    const body = decision.body
      .replace(/^Evidence: /m, "(")
      .replace(/ sha256:[0-9a-f]+$/m, "")
      .replaceAll(/\s+/g, " ");
    const closed = body.includes("(") ? `${body})` : body;
    add(
      because === undefined
        ? `- [${decision.date}] ${decision.title}: ${closed}`
        : `- STALE, ${because} since ${decision.date}; check before relying on it: ${decision.title}: ${closed}`,
    );
  }
  for (const reference of loaded.references)
    add(`From ${reference.agent}'s ${reference.file} (${reference.mode}):\n${reference.text.trim()}`);
  return { text: lines.join("\n"), stale, left_out: leftOut };
}
