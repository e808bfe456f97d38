/**
 * What a task is given to know beside its goal (skills it may load, what its role remembers), and what
 * its role keeps when the task ends. Everything is bounded by the profile and backed by a source.
 */
import path from "node:path";
import { isoTime, newId, type Clock, type ProjectDirs } from "../kernel/index.ts";
import type { Store } from "../journal/index.ts";
import { skillLines, SKILLS_INPUT, type Catalogue } from "../forge/index.ts";
import {
  agentsWithMemory,
  evidenceLine,
  findEvidence,
  loadSidecar,
  matrixWarnings,
  memoryHistory,
  readDeclarations,
  readMemoryConfig,
  recallText,
  saveSession,
  staleReferences,
  type BudgetStatus,
  type Decision,
  type Witness,
} from "../memory/index.ts";
import type { Roles } from "../team/index.ts";
import { readProjectRules, rulesWithSecrets } from "./project-rules.ts";
import { keepLearned, learnedInputs } from "./task-learning.ts";
import { standsAt, type TaskState } from "../step/index.ts";
import { agentActor, decodeTask, memoryEvents, memoryStream, taskStream, type JournalEvent } from "../protocol/events/index.ts";

/** Tokens of the pinned text that skills, memory and what was learnt of the person may take, by profile. */
interface Room {
  skills: number;
  memory: number;
  learned: number;
}
const SMALLEST: Room = { skills: 250, memory: 500, learned: 200 };
const ROOM: Record<string, Room> = {
  minimal: SMALLEST,
  standard: { skills: 1_000, memory: 3_000, learned: 800 },
  wide: { skills: 2_000, memory: 8_000, learned: 2_000 },
};
const MEMORY_INPUT = "what you noted in earlier tasks";
/** Task input that names the project's own checks that may not run here. */
export const HELD_CHECKS_INPUT = "checks of the project that nobody allowed to run here";

export interface TaskMemory {
  /** Further pinned text for a new task. */
  inputsFor(task: { role: string; profile: string; root: string; words: string }): Promise<Record<string, string>>;
  /** What the person should know before work begins or goes on. */
  noticesFor(task: TaskState): Promise<Notice[]>;
  /** Keeps what the task found out, once; tells what was kept, what was only a guess, and when the memory is nearly full. */
  keep(task: TaskState, signal: AbortSignal): Promise<Notice[]>;
}

export interface Notice {
  about: "memory" | "skills" | "project";
  target: string;
  outcome:
    | "stale_reference"
    | "memory_warning"
    | "cross_reference_downgraded"
    | "untrusted_skills"
    | "ignored_overrides"
    | "role_problem"
    | "checks_not_run"
    | "secret_in_rules"
    | "rules_not_read"
    | "kept"
    | "not_kept"
    | "memory_budget";
  summary: string;
}

function keptNotices(role: string, kept: readonly string[], guesses: readonly string[], budget: BudgetStatus | undefined): Notice[] {
  const notice = (outcome: Notice["outcome"], summary: string): Notice => ({ about: "memory", target: role, outcome, summary });
  const full = budget !== undefined && budget.status !== "ok" && budget.status !== "no_budget";
  return [
    ...(kept.length === 0 ? [] : [notice("kept", `kept for later tasks: ${kept.join(", ")}`)]),
    ...(guesses.length === 0 ? [] : [notice("not_kept", `without a source, so not kept: ${guesses.join(", ")}`)]),
    ...(full ? [notice("memory_budget", `${budget.message} are in use; \`sylk memory hygiene\` shows what can go`)] : []),
  ];
}

function heldNotice(task: TaskState): Notice[] {
  const held = task.created.inputs[HELD_CHECKS_INPUT];
  if (held === undefined) return [];
  const summary =
    "no check could be run: there is no sandbox, and nobody trusted what these commands run; read it and `sylk trust`, or name one yourself with --check";
  return [{ about: "project", target: held, outcome: "checks_not_run", summary }];
}

/** The newest load of this role before the task began is the one it was given. */
async function loadedFor({ journal }: Store, { created, createdAt }: TaskState) {
  const events = await journal.read(memoryStream(created.role));
  const load = events.findLast((event) => memoryEvents.loaded.is(event) && event.at <= createdAt);
  return load !== undefined && memoryEvents.loaded.is(load) ? load.payload : undefined;
}

export interface TaskMemoryParts {
  store: () => Promise<Store>;
  project: ProjectDirs;
  memoryDir: () => string;
  clock: Clock;
  /** Whoever wrote these files by hand may have left a secret in them. */
  redact: (text: string) => string;
  catalogue: () => Catalogue;
  roles: Roles;
  /** The project's task types and prompts that are not used. */
  ignored: () => { files: string[]; reason: string } | undefined;
}

export function createTaskMemory(parts: TaskMemoryParts): TaskMemory {
  const { project, clock } = parts;
  const { memoryDir } = parts;
  const agentsDir = path.join(project.root, "agents");
  return {
    async inputsFor({ role, profile, root, words }) {
      const room = ROOM[profile] ?? SMALLEST;
      const inputs: Record<string, string> = {};
      const skills = skillLines(parts.catalogue(), room.skills);
      if (skills !== "") inputs[SKILLS_INPUT] = parts.redact(skills);
      const config = readMemoryConfig(
        memoryDir(),
        parts.roles.all().map(({ spec }) => spec),
      );
      const loaded = loadSidecar({ memoryDir: memoryDir(), config, agent: role, nowMs: clock.now(), limitTokens: room.memory * 4 });
      const recalled = recallText(loaded, path.resolve(project.project, root), room.memory);
      const { journal } = await parts.store();
      Object.assign(inputs, await learnedInputs(journal, { learns: parts.roles.get(role).spec.learns, words, roomTokens: room.learned }));
      const warnings = [...matrixWarnings(config, readDeclarations(agentsDir), agentsWithMemory(memoryDir())), ...loaded.warnings];
      if (recalled.text !== "") inputs[MEMORY_INPUT] = parts.redact(recalled.text);
      if (recalled.text === "" && loaded.downgrades.length === 0 && warnings.length === 0) return inputs;
      const references = loaded.references.map(({ agent, file, mode, sha256, tokens }) => ({ agent, file, mode, sha256, tokens }));
      await journal.append(memoryStream(role), "any", [
        memoryEvents.loaded.create(
          {
            agent: role,
            load: newId("load", clock.now()),
            decisions: loaded.decisions.length,
            references,
            downgrades: loaded.downgrades,
            warnings,
            stale: recalled.stale,
            tokens: loaded.tokens.own + loaded.tokens.references,
          },
          { actor: agentActor(role) },
        ),
      ]);
      return inputs;
    },
    async noticesFor(task) {
      const load = await loadedFor(await parts.store(), task);
      if (task.step > 0)
        return staleReferences(memoryDir(), MEMORY_INPUT in task.created.inputs ? (load?.references ?? []) : []).map((target) => ({
          about: "memory",
          target,
          outcome: "stale_reference",
          summary: `${target} changed since this task was given it`,
        }));
      const ignored = parts.ignored();
      const untrusted = parts.catalogue().skills.filter((skill) => !skill.trusted);
      return [
        ...(load?.warnings ?? []).map((summary): Notice => ({
          about: "memory",
          target: task.created.role,
          outcome: "memory_warning",
          summary,
        })),
        ...(load?.downgrades ?? []).map((summary): Notice => ({
          about: "memory",
          target: task.created.role,
          outcome: "cross_reference_downgraded",
          summary,
        })),
        ...(untrusted.length === 0
          ? []
          : [
              {
                about: "skills" as const,
                target: untrusted.map(({ name }) => name).join(", "),
                outcome: "untrusted_skills" as const,
                summary: "not used: this project's skills are not trusted; read them, then `sylk trust`",
              },
            ]),
        ...heldNotice(task),
        ...parts.roles.get(task.created.role).problems.map(({ file, field, message }): Notice => ({
          about: "project",
          target: file,
          outcome: "role_problem",
          summary: field === undefined ? message : `${field} ${message}`,
        })),
        ...readProjectRules(project.project, path.resolve(project.project, task.created.root)).refused.map((one): Notice => ({
          about: "project",
          target: one.path,
          outcome: "rules_not_read",
          summary: `${one.path} ${one.reason}, so agents do not see it`,
        })),
        ...rulesWithSecrets(project.project, task.created.rules, parts.redact).map((target): Notice => ({
          about: "project",
          target,
          outcome: "secret_in_rules",
          summary: `${target} holds a secret; agents see [REDACTED] instead, and it belongs elsewhere`,
        })),
        ...(ignored === undefined
          ? []
          : [
              {
                about: "project" as const,
                target: ignored.files.join(", "),
                outcome: "ignored_overrides" as const,
                summary: ignored.reason,
              },
            ]),
      ];
    },
    async keep(task, signal) {
      const { role, id } = task.created;
      if (!standsAt("reported", task) || task.memory.facts.length === 0) return [];
      const store = await parts.store();
      const note = `task ${id}`;
      const events = await store.journal.read(taskStream(id));
      const witness = witnessOf(task, events, path.resolve(project.project, task.created.root));
      const learned = await keepLearned(store.journal, clock, task, witness);
      if ((await memoryHistory(store, role)).some((change) => change.note === note))
        return keptNotices(role, learned.kept, learned.guesses, undefined);
      const date = isoTime(clock.now()).slice(0, 10);
      const guesses = [...learned.guesses];
      const findings = task.memory.facts.filter((fact) => fact.kind === undefined);
      const decisions = findings.flatMap(({ subject, text }): Decision[] => {
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
      const config = readMemoryConfig(
        memoryDir(),
        parts.roles.all().map(({ spec }) => spec),
      );
      const kept = [...learned.kept, ...decisions.map((decision) => decision.title)];
      if (decisions.length === 0) return keptNotices(role, kept, guesses, undefined);
      const load = await loadedFor(store, task);
      const references = load?.references.reduce((sum, one) => sum + one.tokens, 0) ?? 0;
      const loaded = load === undefined ? undefined : { own: load.tokens - references, references };
      const request = { actor: agentActor(role), agent: role, decisions, summary, loaded, mayArchive: false, note };
      const { session } = await saveSession({ memoryDir: memoryDir(), store, clock }, config, request, signal);
      return keptNotices(role, kept, guesses, session);
    },
  };
}

const RUNS = new Set(["run_command", "run_checks", "run_tests"]);

function witnessOf(task: TaskState, events: readonly JournalEvent[], root: string): Witness {
  const files = new Set<string>(Object.keys(task.changedFiles));
  const commands: { command: string; result: string }[] = [];
  const words = [task.created.goal, ...task.created.criteria, ...task.created.constraints];
  for (const happened of events) {
    const event = decodeTask(happened);
    switch (event?.type) {
      case "task.acted": {
        const { action, target, outcome, summary, effects } = event.payload;
        for (const effect of effects) if (effect.op === "put" && effect.item.source !== undefined) files.add(effect.item.source.path);
        if (RUNS.has(action) && outcome !== "refused") commands.push({ command: target, result: summary });
        break;
      }
      case "task.verified":
        for (const check of event.payload.checks) commands.push({ command: check.command, result: check.summary });
        break;
      case "task.answered":
        words.push(event.payload.text);
        break;
      default:
        break;
    }
  }
  return { root, files: [...files], commands: commands.filter(({ command }) => command.trim() !== ""), words };
}
