/** Looks through every sidecar and says what is stale, contradicted, orphaned or double (HYG-001…004). Changes nothing. */
import { existsSync } from "node:fs";
import path from "node:path";
import { isoTime } from "../../kernel/index.ts";
import { budgetStatus, type BudgetStatus } from "../sidecar/budget.ts";
import { matrixWarnings } from "../sidecar/check-matrix.ts";
import { parseDecisions, type LoggedDecision } from "../sidecar/decision-log.ts";
import { staleBecause } from "../sidecar/evidence.ts";
import { sessionBudget, type MemoryConfig } from "../sidecar/memory-config.ts";
import { ownTokens } from "../sidecar/save-session.ts";
import { agentsWithMemory, asText, readSidecar } from "../sidecar/sidecar-store.ts";
import { findDuplicates, OVERLAP, type EntryPair } from "./find-duplicates.ts";
import { lastRefresh, parseTruth } from "../sidecar/ground-truth.ts";

export type FindingClass = "STALE" | "CONTRADICTED" | "ORPHANED" | "UNVERIFIABLE-FORMAT" | "DUPLICATE" | "NEAR-DUPLICATE" | "ARCHIVE";

export interface Finding {
  id: string;
  class: FindingClass;
  agent: string;
  entry: string;
  date: string;
  evidence: string;
  action: "review" | "archive";
  /** May be applied without another look; the rest is advice. */
  actionable: boolean;
  likely_rename?: string | undefined;
}

export interface HygieneReport {
  summary: { agents: number; entries: number; active: number; findings: number };
  budgets: (BudgetStatus & { agent: string })[];
  findings: Finding[];
  references: { agent: string; reads: string; file: string; problem: string }[];
  /** Where the matrix, the agents and their definitions do not fit together. */
  matrix: string[];
  archival: Finding[];
  refresh: { agent: string; advice: string }[];
  next_steps: string[];
}

export interface HygieneRequest {
  memoryDir: string;
  root: string;
  config: MemoryConfig;
  nowMs: number;
  /** The project's files, for likely renames. */
  files: readonly string[];
  /** Folder of the agents' definitions. */
  agentsDir: string;
}

const OLD_DAYS = 42;
const OLD_SPRINTS = 3;
const DAY_MS = 86_400_000;
/** What one report lists of one agent; the rest is counted. */
const MAX_LISTED = 200;
const isPath = (related: string): boolean => /[/.]/.test(related) && !/^https?:/.test(related);

const findingId = (agent: string, kind: FindingClass, entry: LoggedDecision): string => `${agent}/${kind}/${entry.date}/${entry.title}`;

function pairFinding(agent: string, { older, newer, sameTitle, overlap }: EntryPair): Finding {
  const base = { agent, entry: older.title, date: older.date };
  const evidence = `[${newer.date}] ${newer.title}, ${Math.round(overlap * 100)} % of the same words`;
  if (sameTitle && older.date !== newer.date)
    return {
      ...base,
      id: findingId(agent, "DUPLICATE", older),
      class: "DUPLICATE",
      evidence: `superseded by ${evidence}`,
      action: "archive",
      actionable: true,
    };
  if (sameTitle && overlap < OVERLAP)
    return {
      ...base,
      id: findingId(agent, "CONTRADICTED", older),
      class: "CONTRADICTED",
      evidence: `says something else than ${evidence}`,
      action: "review",
      actionable: false,
    };
  return { ...base, id: findingId(agent, "NEAR-DUPLICATE", older), class: "NEAR-DUPLICATE", evidence, action: "review", actionable: false };
}

/** Decisions that no longer hold, as others refer to them: by title, or by agent and title. */
function supersededTitles(memoryDir: string, agents: readonly string[]): Set<string> {
  return new Set(
    agents.flatMap((agent) => {
      const { text } = asText(readSidecar(memoryDir, agent, "decision-log.md") ?? Buffer.alloc(0));
      const gone = parseDecisions(text).entries.filter((entry) => entry.status === "superseded");
      return gone.flatMap(({ title }) => [title.toLowerCase(), `${agent}/${title}`.toLowerCase()]);
    }),
  );
}

function entryFindings(agent: string, entry: LoggedDecision, request: HygieneRequest, superseded: ReadonlySet<string>): Finding[] {
  const base = { agent, entry: entry.title, date: entry.date };
  const found: Finding[] = [];
  const outdated = entry.related.find((related) => superseded.has(related.toLowerCase()));
  const because =
    staleBecause(entry, request.root) ?? (outdated === undefined ? undefined : `it rests on “${outdated}”, which was superseded`);
  if (because !== undefined)
    found.push({ ...base, id: findingId(agent, "STALE", entry), class: "STALE", evidence: because, action: "review", actionable: false });
  for (const related of entry.related.filter((one) => isPath(one) && !superseded.has(one.toLowerCase()))) {
    if (existsSync(path.resolve(request.root, related))) continue;
    const name = path.posix.basename(related);
    const likely = request.files.find((file) => path.posix.basename(file) === name);
    if (because?.startsWith(related) === true) continue;
    found.push({
      ...base,
      id: findingId(agent, "ORPHANED", entry),
      class: "ORPHANED",
      evidence: `${related} does not exist`,
      action: "archive",
      actionable: likely === undefined,
      likely_rename: likely,
    });
  }
  if (entry.warnings.length > 0)
    found.push({
      ...base,
      id: findingId(agent, "UNVERIFIABLE-FORMAT", entry),
      class: "UNVERIFIABLE-FORMAT",
      evidence: entry.warnings.join("; "),
      action: "review",
      actionable: false,
    });
  return found;
}

export async function checkHygiene(request: HygieneRequest, signal: AbortSignal): Promise<HygieneReport> {
  const { memoryDir, config, nowMs } = request;
  const findings: Finding[] = [];
  const archival: Finding[] = [];
  const budgets: HygieneReport["budgets"] = [];
  const refresh: HygieneReport["refresh"] = [];
  const agents = agentsWithMemory(memoryDir);
  const notes: string[] = [];
  let total = 0;
  let entries = 0;
  let active = 0;
  const old = isoTime(nowMs - OLD_DAYS * DAY_MS).slice(0, 10);
  const superseded = supersededTitles(memoryDir, agents);
  for (const agent of agents) {
    const bytes = readSidecar(memoryDir, agent, "decision-log.md");
    const { text, readable } = asText(bytes ?? Buffer.alloc(0));
    if (!readable) {
      total += 1;
      findings.push({
        id: `${agent}/UNVERIFIABLE-FORMAT`,
        class: "UNVERIFIABLE-FORMAT",
        agent,
        entry: "decision-log.md",
        date: "",
        evidence: "the file is not text",
        action: "review",
        actionable: false,
      });
      continue;
    }
    const log = parseDecisions(text).entries;
    const live = log.filter((entry) => entry.status === "active");
    entries += log.length;
    active += live.length;
    const own = live.flatMap((entry) => entryFindings(agent, entry, request, superseded));
    const { pairs, complete } = await findDuplicates(live, signal);
    own.push(...pairs.map((pair) => pairFinding(agent, pair)));
    if (!complete) notes.push(`${agent}: too many entries to compare all of them; archive old ones and look again`);
    total += own.length;
    findings.push(...own.slice(0, MAX_LISTED));
    if (own.length > MAX_LISTED) notes.push(`${agent}: ${own.length - MAX_LISTED} further findings are not listed`);
    const status = budgetStatus(sessionBudget(config, agent), ownTokens(memoryDir, config, agent), 0, config);
    budgets.push({ agent, ...status });
    let advised = 0;
    const sprints = [...new Set(log.map((entry) => entry.sprint).filter((sprint) => sprint !== ""))];
    const oldSprints = new Set(sprints.slice(0, -OLD_SPRINTS));
    for (const entry of log) {
      const full = (status.usage_ratio ?? 0) >= config.budget_alert_at && entry === log[0];
      const reason =
        entry.status !== "active"
          ? `${entry.status}, not moved yet`
          : full
            ? "oldest entry of a nearly full memory"
            : entry.date < old
              ? `older than ${OLD_DAYS} days`
              : oldSprints.has(entry.sprint)
                ? `of ${entry.sprint}, more than ${OLD_SPRINTS} sprints ago`
                : undefined;
      if (reason === undefined) continue;
      advised += 1;
      if (advised > MAX_LISTED) continue;
      archival.push({
        id: findingId(agent, "ARCHIVE", entry),
        class: "ARCHIVE",
        agent,
        entry: entry.title,
        date: entry.date,
        evidence: reason,
        action: "archive",
        actionable: entry.status !== "active" || full,
      });
    }
    if (advised > MAX_LISTED) notes.push(`${agent}: ${advised - MAX_LISTED} further entries could be archived`);
    const truth = readSidecar(memoryDir, agent, "ground-truth.md");
    const last = truth === undefined ? undefined : lastRefresh(parseTruth(asText(truth).text).preamble);
    if (truth !== undefined && (last === undefined || nowMs - Date.parse(last.at) > 14 * DAY_MS))
      refresh.push({ agent, advice: `last refreshed ${last?.at.slice(0, 10) ?? "never"}: sylk memory refresh --agent ${agent}` });
  }
  const references = Object.entries(config.cross_references).flatMap(([agent, entry]) =>
    entry.reads_from
      .filter((one) => readSidecar(memoryDir, one.agent, one.file) === undefined && one.required)
      .map((one) => ({ agent, reads: one.agent, file: one.file, problem: "is required and missing" })),
  );
  const next = [
    ...(total > 0 ? [`look at ${total} finding${total === 1 ? "" : "s"}`] : []),
    ...([...findings, ...archival].some((one) => one.actionable)
      ? ["`sylk memory hygiene --apply <id>` archives one, after you looked at it"]
      : []),
    ...refresh.map((one) => one.advice),
    ...notes,
  ];
  return {
    summary: { agents: agents.length, entries, active, findings: total },
    budgets,
    findings,
    references,
    matrix: matrixWarnings(config, { agentsDir: request.agentsDir, memoryDir }),
    archival,
    refresh,
    next_steps: next,
  };
}
