/**
 * What a task's role remembers goes in, what the task found out is kept when it has ended, once. Everything is
 * bounded by the profile and backed by a source. What a process that died at the wrong moment left undone is made
 * up for by the next; that this fails must not keep new work from starting.
 */
import path from "node:path";
import { isoTime, messageOf, newId, once, type Clock, type Log, SylkError } from "../../kernel/index.ts";
import { owning, type Store } from "../../journal/index.ts";
import {
  evidenceLine,
  findEvidence,
  keepLearned,
  learnedInputs,
  loadSidecar,
  matrixWarnings,
  memoryHistory,
  readMemoryConfig,
  recallText,
  saveSession,
  staleReferences,
  type BudgetStatus,
  type Decision,
  type EvidenceSources,
} from "../../memory/index.ts";
import type { Role } from "../../protocol/index.ts";
import { EVENTS, STREAMS, decode, agentActor, SYSTEM, type JournalEvent } from "../../protocol/events/index.ts";
import type { Notice, StepExtension } from "../extension.ts";
import { standsAt, type TaskState } from "../task-state.ts";
import { taskView } from "../task-view.ts";
import { lastingFacts } from "../fact-files.ts";
import { placeFolder } from "../place-folder.ts";

/** Tokens of the pinned text that memory and what was learnt of the user may take, by profile. */
interface Room {
  memory: number;
  learned: number;
}
const SMALLEST: Room = { memory: 500, learned: 200 };
const ROOM: Record<string, Room> = {
  minimal: SMALLEST,
  default: { memory: 1_200, learned: 400 },
  standard: { memory: 3_000, learned: 800 },
  wide: { memory: 8_000, learned: 2_000 },
};
const MEMORY_INPUT = "what you noted in earlier tasks";
/** Told only to roles that learn; the others could not use it. */
const LEARNING_INPUT = "what later tasks may learn from this one";
const LEARNING =
  'note_fact with the subject preference:code_style.<name> keeps what the person wants in general, in their words; with mistake:<what was tried> and "error -> what helped" it keeps what to avoid.';
/** How many tasks back are looked at for what was not kept. */
const LOOKED_BACK = 20;
/** Another process has the task, or took it over meanwhile, and keeps what it found out. */
const OTHERS = new Set(["RUN_TAKEN", "RUN_LOST", "JOURNAL_FENCED"]);
const never = new AbortController().signal;

/** Subjects of what a task noted, by what became of them. */
interface Sorted {
  kept: readonly string[];
  guesses: readonly string[];
  local: readonly string[];
}

function keptNotices(role: string, { kept, guesses, local }: Sorted, budget: BudgetStatus | undefined): Notice[] {
  const notice = (outcome: string, summary: string): Notice => ({ about: "memory", target: role, outcome, summary });
  const full = budget !== undefined && budget.status !== "ok" && budget.status !== "no_budget";
  return [
    ...(kept.length === 0 ? [] : [notice("kept", `kept for later tasks: ${kept.join(", ")}`)]),
    ...(guesses.length === 0 ? [] : [notice("not_kept", `without a source, so not kept: ${guesses.join(", ")}`)]),
    ...(local.length === 0
      ? []
      : [notice("not_kept", `true of this task only, or its file changed since, so not kept: ${local.join(", ")}`)]),
    ...(full ? [notice("memory_budget", `${budget.message} are in use; \`sylk memory hygiene\` shows what can go`)] : []),
  ];
}

/** The newest load of this role before the task began is the one it was given. */
async function loadedFor({ journal }: Store, { created, createdAt }: TaskState) {
  const events = await journal.read(STREAMS.memory(created.role));
  const load = events.findLast((event) => EVENTS.memory.loaded.is(event) && event.at <= createdAt);
  return load !== undefined && EVENTS.memory.loaded.is(load) ? load.payload : undefined;
}

export interface RecallParts {
  store: () => Promise<Store>;
  /** The project's own folder, and where its roles declare what they read. */
  projectDir: string;
  agentsDir: string;
  memoryDir: () => string;
  /** Told before the first write into a folder. */
  beforeWrite: (folder: string) => void;
  clock: Clock;
  log: Log;
  /** Whoever wrote these files by hand may have left a secret in them. */
  redact: (text: string) => string;
  roles: () => Pick<Role, "spec" | "problems">[];
  roleOf: (id: string) => Pick<Role, "spec" | "problems">;
}

export function createRecall(parts: RecallParts): StepExtension {
  const { clock, memoryDir, agentsDir, projectDir } = parts;
  const configOf = () =>
    readMemoryConfig(
      memoryDir(),
      parts.roles().map(({ spec }) => spec),
    );
  /** Keeps what the task found out; tells what was kept, what was only a guess, and when the memory is nearly full. */
  const keep = async (task: TaskState, signal: AbortSignal): Promise<Notice[]> => {
    const { role, id } = task.created;
    if (!standsAt("reported", task) || task.memory.facts.length === 0) return [];
    const store = await parts.store();
    const note = `task ${id}`;
    const events = await store.journal.read(STREAMS.task(id));
    const witness = witnessOf(task, events, placeFolder(projectDir, task.created.place));
    const { facts, local } = lastingFacts(task);
    const learned = await keepLearned(store.journal, clock, { id, role, session: task.created.session, facts }, witness);
    if ((await memoryHistory(store, role)).some((change) => change.note === note))
      return keptNotices(role, { kept: learned.kept, guesses: learned.guesses, local }, undefined);
    const date = isoTime(clock.now()).slice(0, 10);
    const guesses = [...learned.guesses];
    const findings = facts.filter((fact) => fact.kind === undefined);
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
    const kept = [...learned.kept, ...decisions.map((decision) => decision.title)];
    if (decisions.length === 0) return keptNotices(role, { kept, guesses, local }, undefined);
    const load = await loadedFor(store, task);
    const references = load?.references.reduce((sum, one) => sum + one.tokens, 0) ?? 0;
    const loaded = load === undefined ? undefined : { own: load.tokens - references, references };
    const request = { actor: agentActor(role), agent: role, decisions, summary, loaded, mayArchive: false, note };
    const { session } = await saveSession(
      { memoryDir: memoryDir(), store, clock, beforeWrite: parts.beforeWrite },
      configOf(),
      request,
      signal,
    );
    return keptNotices(role, { kept, guesses, local }, session);
  };
  const kept = (notices: number) => EVENTS.task.kept.create({ notices }, { actor: SYSTEM.engine });
  const catchUp = once(async () => {
    const { journal, work } = await parts.store();
    for (const { key, state } of await journal.list(taskView, { prefix: "task/", reverse: true, limit: LOOKED_BACK })) {
      if (state.kept || !standsAt("ended", state) || (await work.holder(key)) !== undefined) continue;
      try {
        await owning({ work, clock }, key, { signal: never }, async ({ fence }) => {
          const now = await journal.get(taskView, key);
          if (now === undefined || now.kept || !standsAt("ended", now)) return;
          await journal.append(key, "any", [kept((await keep(now, never)).length)], fence);
        });
      } catch (error) {
        // Another process has the task and keeps it.
        if (SylkError.is(error) && OTHERS.has(error.code)) continue;
        parts.log.warn("what a task learnt was not kept", { task: state.created.id, reason: messageOf(error) });
      }
    }
  });
  return {
    name: "recall",
    async given({ role, profile, folder, goal, criteria, constraints, session }) {
      await catchUp.get();
      const room = ROOM[profile] ?? SMALLEST;
      const { learns } = parts.roleOf(role).spec;
      const inputs: Record<string, string> = learns.length === 0 ? {} : { [LEARNING_INPUT]: LEARNING };
      const config = configOf();
      const loaded = loadSidecar({ memoryDir: memoryDir(), config, agent: role, nowMs: clock.now(), limitTokens: room.memory * 4 });
      const recalled = recallText(loaded, path.resolve(projectDir, folder), room.memory);
      const { journal } = await parts.store();
      const words = [goal, ...criteria, ...constraints].join("\n");
      Object.assign(inputs, await learnedInputs(journal, { learns, words, session, roomTokens: room.learned }));
      const warnings = [...matrixWarnings(config, { agentsDir, memoryDir: memoryDir() }), ...loaded.warnings];
      if (recalled.text !== "") inputs[MEMORY_INPUT] = parts.redact(recalled.text);
      if (recalled.text === "" && loaded.downgrades.length === 0 && warnings.length === 0) return { inputs };
      const references = loaded.references.map(({ agent, file, mode, sha256, tokens }) => ({ agent, file, mode, sha256, tokens }));
      await journal.append(STREAMS.memory(role), "any", [
        EVENTS.memory.loaded.create(
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
      return { inputs };
    },
    async begins(task) {
      await catchUp.get();
      const { role } = task.created;
      const load = await loadedFor(await parts.store(), task);
      const notice = (outcome: string, target: string, summary: string): Notice => ({ about: "memory", target, outcome, summary });
      if (task.step > 0)
        return staleReferences(memoryDir(), MEMORY_INPUT in task.created.inputs ? (load?.references ?? []) : []).map((target) =>
          notice("stale_reference", target, `${target} changed since this task was given it`),
        );
      return [
        ...(load?.warnings ?? []).map((summary) => notice("memory_warning", role, summary)),
        ...(load?.downgrades ?? []).map((summary) => notice("cross_reference_downgraded", role, summary)),
        ...parts.roleOf(role).problems.map(({ file, field, message }) => ({
          about: "project",
          target: file,
          outcome: "role_problem",
          summary: field === undefined ? message : `${field} ${message}`,
        })),
      ];
    },
    async rests(task, signal) {
      if (task.kept) return { notices: [], facts: [] };
      const notices = await keep(task, signal);
      return { notices, facts: standsAt("ended", task) ? [kept(notices.length)] : [] };
    },
  };
}

const RUNS = new Set(["run_command", "run_tests"]);

function witnessOf(task: TaskState, events: readonly JournalEvent[], root: string): EvidenceSources {
  const files = new Set<string>(Object.keys(task.changedFiles));
  const commands: { command: string; result: string }[] = [];
  const words = [task.created.goal, ...task.created.criteria, ...task.created.constraints];
  for (const happened of events) {
    const event = decode(EVENTS.task, happened);
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
