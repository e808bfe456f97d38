/** Saving at the end of work: new decisions, the session's summary, and room for both (SID-005, SID-007, BUD-002). */
import { isoTime } from "../../kernel/index.ts";
import { budgetStatus, tokensOf, type BudgetStatus } from "./budget.ts";
import { parseDecisions, printDecisions, renderDecision, withoutEntries, type Decision, type LoggedDecision } from "./decision-log.ts";
import { filesOfTier, sessionBudget, tierOf, type MemoryConfig } from "./memory-config.ts";
import { renderSummary, type SessionSummary } from "./session-summary.ts";
import { appended, asText, readSidecar, writeSidecar, type FileWrite, type SidecarParts } from "./sidecar-store.ts";
import type { Actor } from "../../protocol/events/index.ts";

export interface SaveRequest {
  /** Who writes: the agent itself, or the user. */
  actor: Actor;
  agent: string;
  decisions: Decision[];
  summary?: SessionSummary | undefined;
  /** What this session loaded before, so that the report can tell its running total (BUD-003). */
  loaded?: { own: number; references: number } | undefined;
  /** The user agreed to move old entries away when the budget is full. */
  mayArchive: boolean;
  note: string;
}

export interface SaveReport {
  agent: string;
  entries: number;
  archived: number;
  budget: BudgetStatus;
  /** Own files and references as they were loaded, and what this session adds. */
  session: BudgetStatus;
}

export const logHeader = (agent: string): string => `# Decisions of ${agent}\n\n`;

/** Moves the oldest entries out until `free` tokens are gained. */
function archiveOldest(text: string, free: number): { left: string; moved: string; count: number } {
  const log = parseDecisions(text);
  // Sorting is stable: of one day, what stands first is older.
  const oldest = log.entries.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const gone = new Set<LoggedDecision>();
  let gained = 0;
  for (const entry of oldest) {
    if (gained >= free) break;
    gained += tokensOf(entry.raw);
    gone.add(entry);
  }
  const moved = log.entries.filter((entry) => gone.has(entry)).map((entry) => entry.raw);
  return { left: printDecisions(withoutEntries(log, gone)), moved: moved.join(""), count: moved.length };
}

const MAX_ARCHIVE_ROUNDS = 3;

export function ownTokens(memoryDir: string, config: MemoryConfig, agent: string): number {
  return filesOfTier(tierOf(config, agent)).reduce((sum, file) => {
    const bytes = readSidecar(memoryDir, agent, file);
    return sum + (bytes === undefined ? 0 : tokensOf(asText(bytes).text));
  }, 0);
}

/** A save is never blocked and never cut: over budget it is saved and says so. */
export async function saveSession(
  parts: SidecarParts,
  config: MemoryConfig,
  request: SaveRequest,
  signal: AbortSignal,
): Promise<SaveReport> {
  const { agent, decisions } = request;
  const text = decisions.map(renderDecision).join("");
  const addition = tokensOf(text);
  const budget = sessionBudget(config, agent);
  const status = (added: number): BudgetStatus => budgetStatus(budget, ownTokens(parts.memoryDir, config, agent), added, config);
  const who = { actor: request.actor, agent, note: request.note };
  let archived = 0;
  for (let round = 0; round < MAX_ARCHIVE_ROUNDS && request.mayArchive; round += 1) {
    const now = status(addition);
    if (now.status !== "archive_needed" || now.tokens_projected === null || now.tokens_budget === null) break;
    const over = now.tokens_projected - now.tokens_budget * config.budget_warn_at;
    const date = isoTime(parts.clock.now()).slice(0, 10);
    let moved = { left: "", moved: "", count: 0 };
    const writes: FileWrite[] = [
      {
        file: `archive/decision-log-${date}.md`,
        next: (bytes) => {
          const { text: log, readable } = asText(readSidecar(parts.memoryDir, agent, "decision-log.md") ?? Buffer.alloc(0));
          // What is not text cannot be taken apart and put together again to the byte.
          if (readable) moved = archiveOldest(log, over);
          return moved.count === 0 ? undefined : appended(bytes, logHeader(agent), moved.moved);
        },
        entries: 0,
      },
      { file: "decision-log.md", next: () => (moved.count === 0 ? undefined : moved.left), entries: 0 },
    ];
    await writeSidecar(parts, { ...who, reason: "archived" }, writes, signal);
    archived += moved.count;
    if (moved.count === 0) break;
  }
  const writes: FileWrite[] = [];
  let entries = 0;
  if (decisions.length > 0)
    writes.push({
      file: "decision-log.md",
      next: (now) => {
        // Whoever was cut off and says the same again means the same entry.
        const known = new Set(
          now
            .toString("utf8")
            .split(/^(?=### )/mu)
            .map((one) => one.trimEnd()),
        );
        const fresh = decisions.map(renderDecision).filter((one) => !known.has(one.trimEnd()));
        entries = fresh.length;
        return entries === 0 ? undefined : appended(now, logHeader(agent), fresh.join(""));
      },
      get entries() {
        return entries;
      },
    });
  if (request.summary !== undefined && filesOfTier(tierOf(config, agent)).includes("conversation-context.md")) {
    const summary = renderSummary(request.summary, config.context_summary_tokens, parts.clock.now());
    writes.push({ file: "conversation-context.md", next: () => summary, entries: 0 });
  }
  await writeSidecar(parts, { ...who, reason: "saved" }, writes, signal);
  const { own, references } = request.loaded ?? { own: ownTokens(parts.memoryDir, config, agent) - addition, references: 0 };
  const session = budgetStatus(budget, Math.max(0, own) + references, addition, config);
  return { agent, entries, archived, budget: status(0), session };
}
