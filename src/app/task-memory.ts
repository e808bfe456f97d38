/**
 * What a task is given to know beside its goal (skills it may load, what its role remembers), and what
 * its role keeps when the task ends. Everything is bounded by the profile and backed by a source.
 */
import path from "node:path";
import { isoTime, newId, type Clock, type ProjectDirs } from "../kernel/index.ts";
import type { JournalEvent, Store } from "../journal/index.ts";
import { skillLines, SKILLS_INPUT, type Catalogue } from "../forge/index.ts";
import {
  evidenceLine,
  findEvidence,
  loadSidecar,
  memoryHistory,
  memoryLoaded,
  memoryStream,
  readMemoryConfig,
  recallText,
  saveSession,
  staleReferences,
  type Decision,
  type Witness,
} from "../memory/index.ts";
import { taskActed, taskAnswered, taskStream, taskVerified, type TaskState } from "../step/index.ts";

/** Tokens of the pinned text that skills and memory may take, by profile. */
const ROOM: Record<string, { skills: number; memory: number }> = {
  minimal: { skills: 250, memory: 500 },
  standard: { skills: 1_000, memory: 3_000 },
  wide: { skills: 2_000, memory: 8_000 },
};
const MEMORY_INPUT = "what you noted in earlier tasks";

export interface TaskMemory {
  /** Further pinned text for a new task. */
  inputsFor(task: { role: string; profile: string; root: string }): Promise<Record<string, string>>;
  /** Files of other agents that changed since this task was given them. */
  staleSince(task: TaskState): Promise<string[]>;
  /** Keeps what the task found out, once. Returns what was kept and what was only a guess. */
  keep(task: TaskState, signal: AbortSignal): Promise<{ kept: string[]; guesses: string[] }>;
}

/** The newest load of this role before the task began is the one it was given. */
async function loadedFor(
  journal: Store["journal"],
  role: string,
  createdAt: number,
): Promise<{ agent: string; file: string; sha256: string }[]> {
  const events = await journal.read(memoryStream(role));
  const load = events.findLast((event) => memoryLoaded.is(event) && event.at <= createdAt);
  return load !== undefined && memoryLoaded.is(load) ? load.payload.references : [];
}

export interface TaskMemoryParts {
  store: () => Promise<Store>;
  project: ProjectDirs;
  clock: Clock;
  catalogue: () => Catalogue;
}

const ENDED: readonly TaskState["status"][] = ["complete", "failed", "cancelled", "escalated"];

export function createTaskMemory(parts: TaskMemoryParts): TaskMemory {
  const { project, clock } = parts;
  const memoryDir = path.join(project.root, "memory");
  return {
    async inputsFor({ role, profile, root }) {
      const room = ROOM[profile] ?? { skills: 250, memory: 500 };
      const inputs: Record<string, string> = {};
      const skills = skillLines(parts.catalogue(), room.skills);
      if (skills !== "") inputs[SKILLS_INPUT] = skills;
      const config = readMemoryConfig(memoryDir);
      const loaded = loadSidecar({ memoryDir, config, agent: role, nowMs: clock.now(), limitTokens: room.memory * 4 });
      const recalled = recallText(loaded, path.resolve(project.project, root), room.memory);
      if (recalled.text === "") return inputs;
      inputs[MEMORY_INPUT] = recalled.text;
      const references = loaded.references.map(({ agent, file, mode, sha256, tokens }) => ({ agent, file, mode, sha256, tokens }));
      await (
        await parts.store()
      ).journal.append(memoryStream(role), "any", [
        memoryLoaded.create(
          {
            agent: role,
            load: newId("load", clock.now()),
            decisions: loaded.decisions.length,
            references,
            downgrades: loaded.downgrades,
            stale: recalled.stale,
            tokens: loaded.tokens.own + loaded.tokens.references,
          },
          { actor: role },
        ),
      ]);
      return inputs;
    },
    async staleSince({ created, createdAt }) {
      if (!(MEMORY_INPUT in created.inputs)) return [];
      return staleReferences(memoryDir, await loadedFor((await parts.store()).journal, created.role, createdAt));
    },
    async keep(task, signal) {
      const { role, id } = task.created;
      if (!ENDED.includes(task.status) || task.memory.facts.length === 0) return { kept: [], guesses: [] };
      const store = await parts.store();
      const note = `task ${id}`;
      if ((await memoryHistory(store, role)).some((change) => change.note === note)) return { kept: [], guesses: [] };
      const events = await store.journal.read(taskStream(id));
      const witness = witnessOf(task, events, path.resolve(project.project, task.created.root));
      const date = isoTime(clock.now()).slice(0, 10);
      const guesses: string[] = [];
      const decisions = task.memory.facts.flatMap(({ subject, text }): Decision[] => {
        const evidence = findEvidence({ subject, text }, witness);
        if (evidence === undefined) {
          guesses.push(subject);
          return [];
        }
        const related = evidence.kind === "file" ? [evidence.path] : [];
        const body = `${text}\n\n${evidenceLine(evidence)}`;
        return [
          {
            date,
            title: subject,
            agent: role,
            workflow: task.created.type,
            sprint: "",
            type: "implementation",
            status: "active",
            related,
            body,
          },
        ];
      });
      const summary = {
        discussed: [task.created.goal],
        decisions: decisions.map((decision) => decision.title),
        artifacts: Object.keys(task.changedFiles),
        pending: task.status === "complete" ? [] : [`${task.status}: ${task.reason}`],
      };
      const config = readMemoryConfig(memoryDir);
      if (decisions.length > 0)
        await saveSession(
          { memoryDir, store, clock },
          config,
          { actor: role, agent: role, decisions, summary, mayArchive: false, note },
          signal,
        );
      return { kept: decisions.map((decision) => decision.title), guesses };
    },
  };
}

const RUNS = new Set(["run_command", "run_checks", "run_tests"]);

function witnessOf(task: TaskState, events: readonly JournalEvent[], root: string): Witness {
  const files = new Set<string>(Object.keys(task.changedFiles));
  const commands: { command: string; result: string }[] = [];
  const words = [task.created.goal, ...task.created.criteria, ...task.created.constraints];
  for (const event of events) {
    if (taskActed.is(event)) {
      const { action, target, outcome, summary, effects } = event.payload;
      for (const effect of effects) if (effect.op === "put" && effect.item.source !== undefined) files.add(effect.item.source.path);
      if (RUNS.has(action) && outcome !== "refused") commands.push({ command: target, result: summary });
    }
    if (taskVerified.is(event)) for (const check of event.payload.checks) commands.push({ command: check.command, result: check.summary });
    if (taskAnswered.is(event)) words.push(event.payload.text);
  }
  return { root, files: [...files], commands: commands.filter(({ command }) => command.trim() !== ""), words };
}
