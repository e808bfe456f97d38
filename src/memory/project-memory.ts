/** What agents remember, for surfaces: read, save, refresh, check, undo and forget. */
import path from "node:path";
import { isoTime, SylkError, type Clock, type ProjectDirs, shortIds } from "../kernel/index.ts";
import { oneOf } from "../kernel/index.ts";
import { redactStrings } from "../guard/index.ts";
import type { Store } from "../journal/index.ts";
import { agentsWithMemory, findChange, memoryHistory, restoreSidecar, readSidecar, type MemoryChange } from "./sidecar/sidecar-store.ts";
import { archiveEntry } from "./upkeep/apply-finding.ts";
import { budgetStatus, tokensOf, type BudgetStatus } from "./sidecar/budget.ts";
import { checkHygiene, type HygieneReport } from "./upkeep/hygiene.ts";
import { ENTRY_STATES, ENTRY_TYPES, renderDecision, type Decision } from "./sidecar/decision-log.ts";
import { listMistakes, retireMistake } from "./learning/mistakes.ts";
import { loadSidecar, type LoadedMemory } from "./sidecar/load-sidecar.ts";
import { ownTokens, saveSession, type SaveReport } from "./sidecar/save-session.ts";
import { preferenceStream, readPreferences } from "./learning/preferences.ts";
import { readMemoryConfig, sessionBudget, tierOf } from "./sidecar/memory-config.ts";
import { refreshAll, refreshTruth, type AgentRefresh } from "./truth/refresh-truth.ts";
import { staleBecause } from "./sidecar/evidence.ts";
import { createLearningApi, type LearningApi } from "./learning/learn-from-user.ts";
import { createProjectFiles } from "./project-files.ts";
import type { createScreenPrompt } from "../guard/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import { EVENTS, USER } from "../protocol/events/index.ts";

export interface BudgetLine extends BudgetStatus {
  agent: string;
  tier: number;
  tokens: number;
  ground_truth_tokens: number;
  ground_truth_budget: number | null;
}

export interface NewDecision {
  title: string;
  body: string;
  type: string;
  status: string;
  sprint: string;
  related: string[];
}

export interface MemoryApi extends LearningApi {
  agents(): string[];
  load(agent: string, options: { recent?: number | undefined }): LoadedMemory & { stale: { title: string; because: string }[] };
  save(
    agent: string,
    entry: NewDecision,
    options: { dryRun: boolean; archive: boolean },
    signal: AbortSignal,
  ): Promise<{ text: string; report: SaveReport | null }>;
  refresh(
    options: { agent: string; incremental: boolean; dryRun: boolean; archive: boolean; onProgress: (line: string) => void },
    signal: AbortSignal,
  ): Promise<AgentRefresh[]>;
  budget(): BudgetLine[];
  hygiene(signal: AbortSignal): Promise<HygieneReport>;
  /** Archives what these findings name; returns those done, or those that would be. */
  apply(ids: readonly string[], options: { dryRun: boolean }, signal: AbortSignal): Promise<string[]>;
  log(agent: string): Promise<MemoryChange[]>;
  /** By position, by event id or a part of it. */
  restore(agent: string, which: string, options: { dryRun: boolean }, signal: AbortSignal): Promise<MemoryChange>;
  /** `preference:<key>`, `mistake:<id>` or `<agent>/<date>/<title>`. */
  forget(what: string, options: { dryRun: boolean }, signal: AbortSignal): Promise<{ forgotten: string; how: string }>;
}

export interface MemoryApiParts {
  store: () => Promise<Store>;
  project: ProjectDirs;
  memoryDir: () => string;
  /** Told before the first write into a folder. */
  beforeWrite: (folder: string) => void;
  clock: Clock;
  env: Record<string, string | undefined>;
  redact: (text: string) => string;
  screen: ReturnType<typeof createScreenPrompt>;
  /** Of every role there is. */
  specs: () => readonly RoleSpec[];
  /** By source of a fact: when a validation last looked at it. */
  lastReferences: (store: Store) => Promise<(source: string) => string | undefined>;
}

const nothing = (what: string, fix: string): SylkError =>
  new SylkError({ code: "MEMORY_NOT_FOUND", tier: "user_fixable", message: `nothing is remembered as ${what}`, fix });

export function createMemoryApi(parts: MemoryApiParts): MemoryApi {
  const { project, clock } = parts;
  const { memoryDir } = parts;
  const agentsDir = path.join(project.root, "agents");
  const place = async () => ({ memoryDir: memoryDir(), store: await parts.store(), clock, beforeWrite: parts.beforeWrite });
  const config = () => readMemoryConfig(memoryDir(), parts.specs());
  const files = () => createProjectFiles({ root: project.project, clock, redact: parts.redact });
  const journal = async () => (await parts.store()).journal;
  const known = (agent: string): string => {
    const all = [...new Set([...agentsWithMemory(memoryDir()), ...Object.keys(config().tiers)])];
    if (all.includes(agent)) return agent;
    throw new SylkError({
      code: "MEMORY_UNKNOWN_AGENT",
      tier: "user_fixable",
      message: `there is no agent ${agent}`,
      fix: `one of ${all.join(", ")}`,
    });
  };
  const hygiene = async (signal: AbortSignal): Promise<HygieneReport> => {
    await using list = files();
    return await checkHygiene(
      {
        memoryDir: memoryDir(),
        root: project.project,
        config: config(),
        nowMs: clock.now(),
        files: await list.list(signal),
        agentsDir,
      },
      signal,
    );
  };

  return {
    ...createLearningApi({ journal, clock, screen: parts.screen }),
    agents: () => agentsWithMemory(memoryDir()),
    load(agent, { recent }) {
      const loaded = loadSidecar({ memoryDir: memoryDir(), config: config(), agent: known(agent), nowMs: clock.now(), recentN: recent });
      const stale = loaded.decisions.flatMap((decision) => {
        const because = staleBecause(decision, project.project);
        return because === undefined ? [] : [{ title: decision.title, because }];
      });
      // People write into these files by hand; a secret left there goes no further.
      return redactStrings({ ...loaded, stale }, parts.redact);
    },
    async save(agent, entry, { dryRun, archive }, signal) {
      known(agent);
      oneOf("type", entry.type, ENTRY_TYPES);
      oneOf("status", entry.status, ENTRY_STATES);
      if (entry.title.trim() === "")
        throw new SylkError({ code: "USAGE_EMPTY_TITLE", tier: "user_fixable", message: "an entry needs a title" });
      const decision: Decision = {
        ...entry,
        title: await parts.screen(entry.title),
        body: `${await parts.screen(entry.body)}\n\nEvidence: the user said so`.trim(),
        date: isoTime(clock.now()).slice(0, 10),
        agent,
        workflow: "",
      };
      const text = renderDecision(decision);
      if (dryRun) return { text, report: null };
      const request = { actor: USER, agent, decisions: [decision], mayArchive: archive, note: "by the user" };
      return { text, report: await saveSession(await place(), config(), request, signal) };
    },
    async refresh({ agent, incremental, dryRun, archive, onProgress }, signal) {
      await using list = files();
      const request = {
        incremental,
        dryRun,
        archive,
        onProgress: (who: string, target: string, n: number) => onProgress(`${who}: ${target}, ${n} facts`),
        lastReference: await parts.lastReferences(await parts.store()),
      };
      if (agent === "all") return await refreshAll(await place(), config(), list, request, signal);
      return [{ agent, ok: true, report: await refreshTruth(await place(), config(), list, { ...request, agent }, signal) }];
    },
    budget() {
      const settings = config();
      return agentsWithMemory(memoryDir()).map((agent) => {
        const tokens = ownTokens(memoryDir(), settings, agent);
        const truth = readSidecar(memoryDir(), agent, "ground-truth.md");
        return {
          agent,
          tier: tierOf(settings, agent),
          tokens,
          ground_truth_tokens: truth === undefined ? 0 : tokensOf(truth.toString("utf8")),
          ground_truth_budget: settings.ground_truth_budgets[agent] ?? null,
          ...budgetStatus(sessionBudget(settings, agent), tokens, 0, settings),
        };
      });
    },
    hygiene,
    async apply(ids, { dryRun }, signal) {
      const { findings, archival } = await hygiene(signal);
      const all = [...findings, ...archival];
      const missing = ids.find((id) => !all.some((finding) => finding.id === id));
      if (missing !== undefined) throw nothing(missing, "`sylk memory hygiene --json` shows the ids of findings");
      const done: string[] = [];
      for (const id of new Set(ids)) {
        const finding = all.find((one) => one.id === id);
        if (finding === undefined) continue;
        if (!dryRun) await archiveEntry(await place(), finding, signal);
        done.push(id);
      }
      return done;
    },
    log: async (agent) => memoryHistory(await parts.store(), known(agent)),
    restore: async (agent, which, { dryRun }, signal) =>
      dryRun ? findChange(await parts.store(), known(agent), which) : restoreSidecar(await place(), known(agent), which, signal),
    async forget(what, { dryRun }, signal) {
      const [kind = "", ...rest] = what.split(":");
      const name = rest.join(":");
      if (kind === "preference") {
        const now = await readPreferences(await journal());
        if (!(name in now.explicit) && !(name in now.implicit)) throw nothing(what, "`sylk memory preferences` shows them");
        if (!dryRun)
          await (await journal()).append(preferenceStream, "any", [EVENTS.preference.forgotten.create({ key: name }, { actor: USER })]);
        return { forgotten: what, how: "the preference is no longer used" };
      }
      if (kind === "mistake") {
        const records = await listMistakes(await journal());
        const found = shortIds.match(
          name,
          records.map((one) => one.id),
        );
        if (found.kind !== "one") throw nothing(what, "`sylk memory mistakes` shows them");
        if (!dryRun) await retireMistake(await journal(), found.id, "forgotten by the user", USER);
        return { forgotten: `mistake:${found.id}`, how: "the record is retired" };
      }
      const [agent = "", date = "", ...title] = what.split("/");
      const entry = { agent: known(agent), date, entry: title.join("/"), evidence: "forgotten by the user" };
      const loaded = loadSidecar({ memoryDir: memoryDir(), config: config(), agent, nowMs: clock.now(), recentN: Number.MAX_SAFE_INTEGER });
      if (!loaded.decisions.some((one) => one.date === date && one.title === entry.entry))
        throw nothing(what, `\`sylk memory load ${agent}\` shows its entries`);
      if (!dryRun) await archiveEntry(await place(), entry, signal);
      return { forgotten: what, how: "moved to the archive; agents no longer see it" };
    },
  };
}
