/** Everything that all agents hold true now, for whoever makes it findable: active decisions and facts that were verified. */
import { parseTruth, type TruthEntry } from "./ground-truth.ts";
import { parseDecisions, type LoggedDecision } from "./decision-log.ts";
import { agentsWithMemory, asText, readSidecar } from "./sidecar-store.ts";

export interface Remembered {
  decisions: (LoggedDecision & { owner: string })[];
  facts: (TruthEntry & { owner: string })[];
}

export function readRemembered(memoryDir: string): Remembered {
  const textOf = (agent: string, file: string): string => {
    const bytes = readSidecar(memoryDir, agent, file);
    const { text, readable } = asText(bytes ?? Buffer.alloc(0));
    return readable ? text : "";
  };
  const all: Remembered = { decisions: [], facts: [] };
  for (const owner of agentsWithMemory(memoryDir)) {
    for (const entry of parseDecisions(textOf(owner, "decision-log.md")).entries)
      if (entry.status === "active") all.decisions.push({ ...entry, owner });
    for (const entry of parseTruth(textOf(owner, "ground-truth.md")).entries)
      if (entry.malformed === undefined && entry.removed === undefined) all.facts.push({ ...entry, owner });
  }
  return all;
}
