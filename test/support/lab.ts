/** The product as tests ask it: the same Api as every surface, with its calls as methods. */
import { wireApp, type Wired } from "../../src/app/wire-app.ts";
import type { Command, Query, Result, Wire, Input } from "../../src/protocol/api/index.ts";
import type { WireEvent } from "../../src/protocol/index.ts";
import { runTask } from "../../src/surface/follow-task.ts";
import { askedThrough } from "./answering.ts";
import type { TaskLine } from "../../src/surface/task-line.ts";

export type StartTask = Omit<Command<"task.start">["options"], "max_steps" | "discover_checks"> & {
  maxSteps?: number | undefined;
  discoverChecks?: boolean | undefined;
};

function tasksOf({ api }: Wired) {
  return {
    start: async ({ maxSteps, discoverChecks, ...options }: StartTask): Promise<string> => {
      const all = { ...options, max_steps: maxSteps, discover_checks: discoverChecks };
      return (await api.send({ type: "task.start", options: all })).id;
    },
    run: (id: string, onLine: (line: TaskLine) => void, signal: AbortSignal): Promise<Result<"task.show">> =>
      runTask(api, { id }, onLine, signal),
    list: () => api.query({ type: "task.list" }),
    show: (id: string) => api.query({ type: "task.show", id }),
    answer: (id: string, text: string) => api.send({ type: "task.answer", id, text }),
    reopen: (id: string, { extraSteps, model }: { extraSteps: number; model?: string }) =>
      api.send({ type: "task.reopen", id, extra_steps: extraSteps, model }),
    pause: (id: string) => api.send({ type: "task.pause", id }),
    cancel: (id: string, reason: string) => api.send({ type: "task.cancel", id, reason }),
    rebuild: async (id: string) => (await api.send({ type: "task.rebuild", id })).folder,
    context: (id: string, step?: number): Promise<Result<"task.context">> => api.query({ type: "task.context", id, step }),
    resolve: async (id: string) => (await api.query({ type: "task.resolve", id })).id,
    goalStats: () => api.query({ type: "goal.stats" }),
  };
}

function treesOf({ api }: Wired) {
  return {
    merge: (id: string, prefer: "mine" | "task" | undefined, signal: AbortSignal): Promise<Result<"task.merge">> =>
      api.send({ type: "task.merge", id, prefer }, signal),
    discard: (id: string, { force }: { force: boolean }) => api.send({ type: "task.discard", id, force }),
  };
}

function changesOf({ api }: Wired) {
  return {
    diff: (id: string, signal: AbortSignal) => api.query({ type: "task.diff", id }, signal),
    undo: (id: string, { dryRun, force, signal }: { dryRun: boolean; force: boolean; signal: AbortSignal }): Promise<Result<"task.undo">> =>
      api.send({ type: "task.undo", id, dry_run: dryRun, force }, signal),
  };
}

function memoryOf({ api }: Wired) {
  type Feedback = Command<"memory.learn">["feedback"];
  type Entry = Command<"memory.save">["entry"];
  return {
    load: (agent: string, { recent }: { recent?: number | undefined } = {}) => api.query({ type: "memory.load", agent, recent }),
    save: (agent: string, entry: Entry, { dryRun, archive }: { dryRun: boolean; archive: boolean }, signal: AbortSignal) =>
      api.send({ type: "memory.save", agent, entry, dry_run: dryRun, archive }, signal),
    refresh: (
      {
        agent,
        incremental,
        dryRun,
        archive,
      }: { agent: string; incremental: boolean; dryRun: boolean; archive: boolean; onProgress?: unknown },
      signal: AbortSignal,
    ) => api.send({ type: "memory.refresh", agent, incremental, dry_run: dryRun, archive }, signal),
    log: (agent: string) => api.query({ type: "memory.log", agent }),
    learn: (feedback: Feedback) => api.send({ type: "memory.learn", feedback }),
    preferences: (category?: string, supposed?: Feedback) => api.query({ type: "memory.preferences", category, supposed }),
    mistakes: (approach?: string) => api.query({ type: "memory.mistakes", approach }),
    reportMistake: ({ pattern, error, fix }: { pattern: string; error: string; fix: string }, { dryRun }: { dryRun: boolean }) =>
      api.send({ type: "memory.report_mistake", pattern, error, fix, dry_run: dryRun }),
  };
}

function journalOf({ api }: Wired) {
  return {
    async *export({ filter, signal }: { filter: Wire<"eventFilter">; signal: AbortSignal }): AsyncGenerator<WireEvent> {
      const { position } = await api.query({ type: "journal.head" });
      yield* api.events({ ...filter, until: position }, 0, signal);
    },
    verify: () => api.query({ type: "journal.verify" }),
  };
}

const questionsOf = ({ api }: Wired) => ({
  ...askedThrough(api),
  list: (which: { ended: boolean }) => api.query({ type: "question.list", ...which }),
  find: (id: string) => api.query({ type: "question.show", id }),
  answer: (id: string, answer: Input<"question.answer">["answer"], signal: AbortSignal) =>
    api.send({ type: "question.answer", id, answer }, signal),
});

const restOf = ({ api }: Wired) => ({
  trust: {
    status: (options: { checks: "all" | "needed" | "none" }) => api.query({ type: "trust.status", ...options }),
    /** As `sylk trust --yes` does: for everything that is there now. */
    async decide(answer: "yes" | "no") {
      const { things } = await api.query({ type: "trust.status", checks: "all" });
      const shown = things.map(({ kind, name, hash }) => ({ kind, name, hash }));
      return api.send({ type: "trust.decide", answer, things: shown, earlier: "forget" });
    },
  },
  audit: {
    async *query(filter: Query<"audit.page">["filter"], signal: AbortSignal): AsyncGenerator<Result<"audit.page">["lines"][number]> {
      yield* (await api.query({ type: "audit.page", filter, after: 0 }, signal)).lines;
    },
  },
  usage: { report: (request: Omit<Query<"usage.report">, "type">) => api.query({ type: "usage.report", ...request }) },
});

const labOf = async (app: Wired) => ({
  ...app,
  ...restOf(app),
  knowledge: await app.knowledge(),
  skills: await app.skills(),
  tasks: tasksOf(app),
  trees: treesOf(app),
  changes: changesOf(app),
  memory: memoryOf(app),
  journal: journalOf(app),
  questions: questionsOf(app),
});

export type App = Awaited<ReturnType<typeof labOf>>;

export async function openApp(options: Parameters<typeof wireApp>[0]): Promise<App> {
  return labOf(await wireApp(options));
}
