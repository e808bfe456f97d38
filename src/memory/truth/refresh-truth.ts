/** Refreshes the verified facts of one agent or of all (GTR-002, GTR-004, GTR-007…010). */
import { isoTime, messageOf, SylkError } from "../../kernel/index.ts";
import { tokensOf } from "../sidecar/budget.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { MemoryConfig } from "../sidecar/memory-config.ts";
import { logHeader } from "../sidecar/save-session.ts";
import { appended, asText, readSidecar, writeSidecar, type FileWrite, type SidecarParts } from "../sidecar/sidecar-store.ts";
import { lastRefresh, parseTruth, printTruth, truthHeader, withRefresh, type GroundTruth } from "../sidecar/ground-truth.ts";
import { archivalOrder, archivedText, archivePointer, mergeTruth, type Delta } from "./merge-truth.ts";
import { scanProject } from "./project-facts.ts";
import { agentActor } from "../../protocol/events/index.ts";

/** The project's files, as the refresh needs them. */
export interface ProjectFiles {
  root: string;
  list(signal: AbortSignal): Promise<string[]>;
  /** Paths changed since a commit, or since a time when there is none. */
  changedSince(since: { commit: string; atMs: number }, signal: AbortSignal): Promise<string[]>;
  /** The commit now; empty without git. */
  commit(signal: AbortSignal): Promise<string>;
}

export interface RefreshRequest {
  agent: string;
  incremental: boolean;
  dryRun: boolean;
  /** Move what does not fit into the archive. */
  archive: boolean;
  onProgress: (agent: string, target: RoleSpec["facts"][number], facts: number) => void;
  /** The day one of the last validation runs looked at this source; undefined: none of them did. */
  lastReference: (source: string) => string | undefined;
}

export interface RefreshReport {
  agent: string;
  mode: "full" | "incremental";
  entries: number;
  delta: Delta;
  tokens: number;
  budget: number | null;
  light: "green" | "yellow" | "red";
  archive_candidates: string[];
  archived: number;
  notes: string[];
}

const GREEN_BELOW = 0.6;
const RED_ABOVE = 0.8;

function targetsOf({ facts }: MemoryConfig, agent: string): readonly RoleSpec["facts"][number][] {
  const targets = Object.hasOwn(facts, agent) ? facts[agent] : undefined;
  if (targets === undefined)
    throw new SylkError({
      code: "MEMORY_UNKNOWN_AGENT",
      tier: "user_fixable",
      message: `${agent} keeps no ground truth`,
      fix: `one of ${[...Object.keys(facts), "all"].join(", ")}`,
    });
  return targets;
}

function archiveSome(
  truth: GroundTruth,
  over: number,
  today: string,
  lastReference: RefreshRequest["lastReference"],
): { truth: GroundTruth; moved: string; count: number } {
  const gone = new Set<string>();
  let gained = 0;
  for (const entry of archivalOrder(truth.entries, (one) => lastReference(one.source) !== undefined)) {
    if (gained >= over) break;
    gained += tokensOf(entry.raw) - tokensOf(archivePointer(entry, today));
    gone.add(entry.raw);
  }
  const moved = truth.entries.filter((entry) => gone.has(entry.raw));
  const pointers = moved.map((entry) => archivePointer(entry, today)).join("");
  return {
    truth: { preamble: `${truth.preamble.trimEnd()}\n${pointers}\n`, entries: truth.entries.filter((entry) => !gone.has(entry.raw)) },
    moved: moved.map((entry) => archivedText(entry, today, "the budget was nearly full", lastReference(entry.source))).join(""),
    count: moved.length,
  };
}

export async function refreshTruth(
  parts: SidecarParts,
  config: MemoryConfig,
  files: ProjectFiles,
  request: RefreshRequest,
  signal: AbortSignal,
): Promise<RefreshReport> {
  const { agent } = request;
  const targets = targetsOf(config, agent);
  const today = isoTime(parts.clock.now()).slice(0, 10);
  const before = readSidecar(parts.memoryDir, agent, "ground-truth.md");
  const was = before === undefined ? { text: truthHeader(agent), readable: true } : asText(before);
  if (!was.readable)
    throw new SylkError({
      code: "MEMORY_NOT_TEXT",
      tier: "user_fixable",
      message: `${agent}/ground-truth.md is not text`,
      fix: `\`sylk memory log ${agent}\` and \`sylk memory restore\` bring back an earlier version`,
    });
  const last = lastRefresh(parseTruth(was.text).preamble);
  const incremental = request.incremental && last !== undefined;
  const notes = [
    ...(request.incremental && !incremental ? ["never refreshed before: everything was looked at"] : []),
    ...(incremental ? ["an incremental refresh does not see deleted files"] : []),
  ];
  const [listed, commit, changes] = await Promise.all([
    files.list(signal),
    files.commit(signal),
    incremental ? files.changedSince({ commit: last.commit, atMs: Date.parse(last.at) }, signal) : undefined,
  ]);
  const changed = changes === undefined ? undefined : new Set(changes);
  const facts = await scanProject({
    root: files.root,
    files: listed,
    targets,
    config,
    changed,
    onTarget: (target, n) => request.onProgress(agent, target, n),
    signal,
  });
  const budget = config.ground_truth_budgets[agent];
  const mode = incremental ? "incremental" : "full";
  let report: RefreshReport | undefined;
  let archive = "";
  const work = (now: Buffer): string => {
    const merged = mergeTruth(parseTruth(now.length === 0 ? truthHeader(agent) : now.toString("utf8")), facts, {
      today,
      full: !incremental,
    });
    let truth: GroundTruth = {
      ...merged.truth,
      preamble: withRefresh(merged.truth.preamble, agent, { at: isoTime(parts.clock.now()), mode, commit }),
    };
    let text = printTruth(truth);
    let tokens = tokensOf(text);
    let archived = 0;
    if (request.archive && budget !== undefined && tokens > budget * RED_ABOVE) {
      const moved = archiveSome(truth, tokens - budget * GREEN_BELOW, today, request.lastReference);
      truth = moved.truth;
      archive = moved.moved;
      archived = moved.count;
      text = printTruth(truth);
      tokens = tokensOf(text);
    }
    const share = budget === undefined ? 0 : tokens / budget;
    report = {
      agent,
      mode,
      entries: truth.entries.length,
      delta: merged.delta,
      tokens,
      budget: budget ?? null,
      light: share < GREEN_BELOW ? "green" : share <= RED_ABOVE ? "yellow" : "red",
      archive_candidates:
        share < GREEN_BELOW
          ? []
          : archivalOrder(truth.entries, (entry) => request.lastReference(entry.source) !== undefined)
              .slice(0, 10)
              .map((entry) => entry.source),
      archived,
      notes,
    };
    return text;
  };
  if (request.dryRun) {
    work(before ?? Buffer.alloc(0));
  } else {
    const writes: FileWrite[] = [
      { file: "ground-truth.md", next: work, entries: facts.length },
      {
        file: "ground-truth-archive.md",
        next: (now) => (archive === "" ? undefined : appended(now, `# Archived ground truth of ${agent}\n\n`, archive)),
        entries: 0,
      },
      { file: "decision-log.md", next: (now) => appended(now, logHeader(agent), deltaText(report as RefreshReport, today)), entries: 1 },
    ];
    await writeSidecar(parts, { actor: agentActor(agent), agent, reason: "refreshed", note: mode }, writes, signal);
  }
  return report as unknown as RefreshReport;
}

const few = (names: readonly string[]): string =>
  names.length > 10 ? `${names.slice(0, 10).join(", ")} and ${names.length - 10} more` : names.join(", ");

/** The delta as it stands in the agent's own log. */
function deltaText(report: RefreshReport, today: string): string {
  const { delta } = report;
  const lines = [
    `ADDED ${delta.added.length}${delta.added.length === 0 ? "" : `: ${few(delta.added)}`}`,
    `UPDATED ${delta.updated.length}${delta.updated.length === 0 ? "" : `: ${few(delta.updated.map((one) => one.source))}`}`,
    `UNCHANGED ${delta.unchanged}`,
    ...(report.mode === "full" ? [`REMOVED ${delta.removed.length}${delta.removed.length === 0 ? "" : `: ${few(delta.removed)}`}`] : []),
    ...(delta.kept_malformed.length === 0 ? [] : [`MALFORMED ${delta.kept_malformed.length}, kept as they are`]),
  ];
  return `## Refresh — ${today} (${report.mode}) — Agent: ${report.agent}\n\n${lines.map((line) => `- ${line}`).join("\n")}\n\n`;
}

export type AgentRefresh = { agent: string; ok: true; report: RefreshReport } | { agent: string; ok: false; reason: string };

/** One after another; one that fails does not stop the rest. */
export async function refreshAll(
  parts: SidecarParts,
  config: MemoryConfig,
  files: ProjectFiles,
  request: Omit<RefreshRequest, "agent">,
  signal: AbortSignal,
): Promise<AgentRefresh[]> {
  const results: AgentRefresh[] = [];
  for (const agent of Object.keys(config.facts)) {
    try {
      results.push({ agent, ok: true, report: await refreshTruth(parts, config, files, { ...request, agent }, signal) });
    } catch (error) {
      signal.throwIfAborted();
      results.push({ agent, ok: false, reason: messageOf(error) });
    }
  }
  return results;
}
