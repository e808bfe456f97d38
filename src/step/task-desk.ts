/** Tasks for surfaces: start, watch, answer, stop, and everything the journal knows of them. */
import { existsSync } from "node:fs";
import path from "node:path";
import { SylkError, type Clock, type Json, type ProjectDirs, shortIds } from "../kernel/index.ts";
import type { createScreenPrompt } from "../guard/index.ts";
import { endedQuestion, type Questions, type Store } from "../journal/index.ts";
import { taskUsage } from "../model/index.ts";
import type { Result, Input } from "../protocol/api/index.ts";
import type { Role } from "../protocol/index.ts";
import { goalStatsView, type GoalStats } from "./monitor/goal-events.ts";
import { loadTask } from "./load-task.ts";
import { nowAsking } from "./under-way.ts";
import { takeAnswer, withdrawQuestions } from "./wait-for-answer.ts";
import { taskListView } from "./task-list-view.ts";
import { leftRunning } from "./left-running.ts";
import { changedSoFar } from "./task-files.ts";
import { standsAt, type TaskState } from "./task-state.ts";
import type { NewTask } from "./extension.ts";
import type { StepEngine } from "./engine.ts";
import { keepPictures, type WorkTree } from "../workspace/index.ts";
import { EVENTS, STREAMS, DEFAULT_SESSION, USER, type Actor } from "../protocol/events/index.ts";
import { placeFolder } from "./place-folder.ts";

type TaskDetail = Result<"task.show">;
type TaskSummary = Result<"task.list">[number];

export interface TaskApi {
  start(options: Input<"task.start">["options"], signal?: AbortSignal): Promise<string>;
  /** A task of a larger piece of work, whose words were checked already; the role's own model when none is named. */
  create(task: Omit<NewTask, "model"> & { model?: string | undefined }): Promise<string>;
  /** Runs until it ends or waits. */
  run(id: string, signal: AbortSignal): Promise<TaskDetail>;
  /** Newest first; all when no limit is given. */
  list(options?: { limit?: number | undefined }): Promise<TaskSummary[]>;
  count(): Promise<number>;
  show(id: string): Promise<TaskDetail>;
  /** Whether somebody works on it now. */
  isRunning(id: string): Promise<boolean>;
  /** Whether it has come to its end. */
  isOver(id: string): Promise<boolean>;
  answer(id: string, text: string): Promise<void>;
  /** Makes a waiting task ready to run again, with another model when one is named. */
  reopen(id: string, options: { extraSteps: number; model?: string | undefined; sessionUsd?: number | undefined }): Promise<void>;
  /** `by`: the person unless it is said. */
  pause(id: string, by?: { actor: Actor; reason: string }): Promise<void>;
  /** Ends it on the user's word, verified or not. */
  accept(id: string, reason: string, signal: AbortSignal): Promise<void>;
  /** The user stopped what ran, on purpose. */
  stopped(id: string): Promise<void>;
  cancel(id: string, reason: string): Promise<void>;
  rebuild(id: string): Promise<string>;
  /** Exactly what the model saw at a step; when none is named, at the one under way or the last. */
  context(id: string, step?: number): Promise<Result<"task.context">>;
  /** A whole id from its beginning or end; the newest task for `last`. */
  resolve(id: string): Promise<string>;
  goalStats(): Promise<GoalStats[]>;
}

/** So far back is looked for what the user means by the last. */
const RECENT = 100;
/** Of a role that names none. */
const DEFAULT_TIER = "balanced";

export interface TaskApiParts {
  /** Undefined while the project has no store; the engine would create it. */
  existing: () => Promise<Store | undefined>;
  engine: () => Promise<StepEngine>;
  project: ProjectDirs;
  clock: Clock;
  /** Throws for a role nobody knows. */
  roleOf: (id: string) => Role;
  /** The model a role works with when none is named. */
  modelOf: (role: Role) => string | undefined;
  screen: ReturnType<typeof createScreenPrompt>;
  questions: Pick<Questions, "list">;
  /** Makes a work tree and what belongs to it; without the latter the tree goes too. */
  withNewTree: <T>(make: (tree: WorkTree) => Promise<T>) => Promise<T>;
}

export function createTaskApi(parts: TaskApiParts): TaskApi {
  const tasksDir = parts.project.tasks;

  /** Stopped while it waited, a task did not come to say so: its question is still open. */
  const openQuestion = async (id: string): Promise<Pick<TaskSummary, "question" | "question_id">> => {
    const open = (await parts.questions.list(id)).find(({ status }) => status === "open");
    return open === undefined ? {} : { question: open.message, question_id: open.id };
  };

  const summary = async (state: TaskState): Promise<TaskSummary> => {
    const held = state.status === "running" ? await (await parts.existing())?.work.holder(STREAMS.task(state.created.id)) : undefined;
    const interrupted = state.status === "running" && held === undefined;
    return {
      id: state.created.id,
      session: state.created.session,
      goal: state.created.goal,
      type: state.created.type,
      role: state.created.role,
      status: interrupted ? "interrupted" : state.status,
      ...(interrupted && state.stopped ? { stopped: true as const } : {}),
      verified: state.verified,
      phase: state.phase,
      // A first step that was cut off had begun.
      step: state.step === 0 && state.usage.calls > 0 ? 1 : state.step,
      step_limit: state.limit,
      created_at: state.createdAt,
      updated_at: state.updatedAt,
      model: state.created.model,
      ...(state.created.pictures === undefined ? {} : { pictures: state.created.pictures.map(({ name }) => name) }),
      cost_usd: state.usage.costUsd,
      why: state.why,
      reason: state.reason,
      ...(state.code === undefined ? {} : { code: state.code }),
      ...(state.question === undefined ? {} : { question: state.question }),
      ...(state.questionId === undefined ? {} : { question_id: state.questionId }),
      ...(interrupted ? await openQuestion(state.created.id) : {}),
      ...(state.evidence === undefined ? {} : { evidence: state.evidence }),
      ...(state.report === undefined ? {} : { report: state.report }),
      ...(state.outputs === undefined ? {} : { outputs: state.outputs }),
      ...(treeOf(state) === undefined ? {} : { tree: treeOf(state) }),
    };
  };

  /** The same count as `sylk usage`: repairs, judgements and failed attempts are calls too. */
  const usageOf = async ({ created, createdAt }: TaskState): Promise<TaskDetail["usage"]> => {
    const { store } = await parts.engine();
    const sums = await taskUsage(store.journal, {
      session: created.session,
      task: created.id,
      fromMs: createdAt,
      toMs: parts.clock.now(),
    });
    return {
      input: sums.inputTokens,
      output: sums.outputTokens,
      cached: sums.cacheReadTokens,
      cost_usd: sums.costNanoUsd / 1e9,
      calls: sums.calls,
      failed: sums.failures,
    };
  };

  const cutOffOf = async (state: TaskState): Promise<Pick<TaskDetail, "still_runs">> => {
    if (state.pending === undefined || !existsSync(placeFolder(parts.project.project, state.created.place))) return {};
    await using workspace = (await parts.engine()).workspaceFor(state.created);
    const left = leftRunning(workspace, tasksDir, state);
    return left === undefined ? {} : { still_runs: left };
  };

  const detail = async (id: string): Promise<TaskDetail> => {
    const state = await loadTask(await parts.engine(), id);
    const shown = await summary(state);
    const { place } = state.created;
    const cutOff = shown.status === "interrupted" ? await cutOffOf(state) : {};
    const results = new Map((state.verification?.checks ?? []).map((check) => [check.name, check]));
    return {
      ...shown,
      criteria: state.created.criteria,
      constraints: state.created.constraints,
      checks: state.created.checks.map((check) => {
        const result = results.get(check.name);
        if (result === undefined) return check;
        const { passed, summary, could_not_run: cannot } = result;
        return { ...check, passed, summary, ...(cannot === undefined ? {} : { could_not_run: true }) };
      }),
      profile: state.created.profile,
      changed_files: Object.keys(shown.status === "interrupted" ? changedSoFar(state) : state.changedFiles),
      ...cutOff,
      usage: await usageOf(state),
      steps: state.history.map((record) => ({
        step: record.step,
        phase: record.phase,
        progress: record.progress,
        tokens: record.tokens,
        actions:
          record.invalid === undefined
            ? record.actions.map((action) => `${action.action} ${action.target} → ${action.ok ? "" : "FAILED "}${action.summary}`)
            : [`unusable answer: ${record.invalid}`],
      })),
      facts: state.memory.facts.map((fact) => `${fact.subject}: ${fact.text}`),
      folder: path.join(tasksDir, id),
      // Once merged or discarded there is no tree any more.
      ...(place.kind === "tree" && existsSync(place.folder) ? { work_tree: place.folder } : {}),
      ...(state.merged === undefined ? {} : { merged_files: state.merged.files.map((file) => file.path) }),
    };
  };

  const newestFirst = async (limit?: number): Promise<TaskState[]> => {
    const only = limit === undefined ? {} : { limit };
    const rows = (await (await parts.existing())?.journal.list(taskListView, { prefix: "task/", reverse: true, ...only })) ?? [];
    return rows.map((row) => row.state);
  };

  const append = async (id: string, event: Parameters<StepEngine["store"]["journal"]["append"]>[2][number]): Promise<void> => {
    await (await parts.engine()).store.journal.append(STREAMS.task(id), "any", [event]);
  };

  const mustBe = async (id: string, allowed: readonly TaskState["status"][], what: string): Promise<void> => {
    const state = await loadTask(await parts.engine(), id);
    if (!allowed.includes(state.status))
      throw new SylkError({ code: "TASK_WRONG_STATUS", tier: "user_fixable", message: `task ${id} is ${state.status}; ${what}` });
  };

  const modelFor = (engine: StepEngine, role: Role, wanted: string | undefined): string =>
    // Nobody named one: what the role's tier means with the keys that are there.
    wanted ?? parts.modelOf(role) ?? engine.gate.resolve(role.spec.model ?? DEFAULT_TIER);

  return {
    async create(task) {
      const engine = await parts.engine();
      const { createTask } = await import("./create-task.ts");
      return createTask(engine, { ...task, model: modelFor(engine, parts.roleOf(task.role), task.model) });
    },
    async start(options, signal) {
      if (options.goal.trim() === "")
        throw new SylkError({
          code: "USAGE_EMPTY_GOAL",
          tier: "user_fixable",
          message: "a task needs a goal",
          fix: 'say what you want, e.g. sylk task start "make the tests pass"',
        });
      const role = parts.roleOf(options.role);
      if (options.checks.some((check) => check.trim() === ""))
        throw new SylkError({
          code: "USAGE_EMPTY_CHECK",
          tier: "user_fixable",
          message: "a check is empty",
          fix: 'name a command, e.g. --check "npm test", or --no-checks for none',
        });
      if (options.reproduce?.trim() === "")
        throw new SylkError({
          code: "USAGE_EMPTY_CHECK",
          tier: "user_fixable",
          message: "the reproduction is empty",
          fix: 'name a command that fails now, e.g. --reproduce "node demo.mjs"',
        });
      const { type, profile } = options;
      const engine = await parts.engine();
      const model = modelFor(engine, role, options.model);
      const own = options.checks.length === 0 && options.discover_checks !== false;
      const pictures = await keepPictures({
        blobs: engine.store.blobs,
        words: options.goal,
        projectDir: parts.project.project,
        more: options.pictures,
        model,
        takes: (name) => engine.gate.takesPictures(name),
      });
      const task: NewTask = {
        goal: options.goal,
        signal,
        pictures,
        type,
        role: role.spec.id,
        criteria: options.criteria,
        constraints: options.constraints,
        checks: own ? "own" : named(options.checks),
        reproduce: options.reproduce,
        inputs: options.given ?? {},
        before: options.before,
        model,
        profile,
        maxSteps: options.max_steps,
        session: DEFAULT_SESSION,
        folder: folderOf(parts.project.project, options.folder),
      };
      const { createTask } = await import("./create-task.ts");
      if (options.worktree !== true) return createTask(engine, task);
      return parts.withNewTree((tree) => createTask(engine, { ...task, tree }));
    },
    async run(id, signal) {
      const engine = await parts.engine();
      const { runTask } = await import("./run-task.ts");
      await runTask({ engine, id, signal });
      return engine.turns.with(() => detail(id));
    },
    list: async ({ limit } = {}) => Promise.all((await newestFirst(limit)).map(summary)),
    count: async () => (await (await parts.existing())?.journal.count(taskListView, "task/")) ?? 0,
    show: async (id) => (await parts.engine()).turns.with(() => detail(id)),
    async isRunning(id) {
      const { store } = await parts.engine();
      const held = await store.work.holder(STREAMS.task(id));
      return held !== undefined && (await store.journal.get(taskListView, STREAMS.task(id)))?.status === "running";
    },
    async isOver(id) {
      const state = await (await parts.existing())?.journal.get(taskListView, STREAMS.task(id));
      return state !== undefined && standsAt("ended", state);
    },
    async answer(id, text) {
      if (text.trim() === "")
        throw new SylkError({
          code: "USAGE_EMPTY_ANSWER",
          tier: "user_fixable",
          message: "the answer is empty",
          fix: "say what it should do",
        });
      await mustBe(id, ["escalated", "paused", "running"], "only a task that waits can be answered");
      const engine = await parts.engine();
      const state = await loadTask(engine, id);
      if (state.questionId === undefined)
        return append(id, EVENTS.task.answered.create({ text: await parts.screen(text) }, { actor: USER }));
      const answer = state.why === "plan_ready" ? { kind: "chosen" as const, value: "edit", words: text } : { kind: "said" as const, text };
      if ((await engine.questions.answer(state.questionId, answer, USER)) === "too_late") throw endedQuestion(state.questionId);
      await takeAnswer(engine, state);
    },
    async reopen(id, { extraSteps, model, sessionUsd }) {
      await mustBe(id, ["escalated", "paused", "failed", "running"], "it cannot be resumed");
      const engine = await parts.engine();
      const before = await loadTask(engine, id);
      // Going on is the approval, unless this process is one that may only plan.
      if (before.why === "plan_ready" && before.questionId !== undefined && !engine.plansOnly)
        await engine.questions.answer(before.questionId, { kind: "chosen", value: "approve" }, USER);
      const state = await takeAnswer(engine, before);
      if (state.status === "escalated" && state.why !== "waits_for_answer")
        await withdrawQuestions(engine.questions, id, "the task went on without an answer");
      const used = state.step >= state.limit;
      const changed = model === state.created.model ? undefined : model;
      if (changed !== undefined) (await import("./create-task.ts")).checkModel(engine.gate, changed);
      // Whoever goes on with it no longer wants it to stop.
      const mode = engine.keeps === (state.created.mode ?? "default") ? undefined : engine.keeps;
      const goesOn = state.status === "running" && !state.pauseAsked && !used;
      if (goesOn && extraSteps === 0 && changed === undefined && mode === undefined) return;
      const extra = extraSteps > 0 ? extraSteps : used ? 10 : 0;
      const more = {
        ...(changed === undefined ? {} : { model: changed }),
        ...(sessionUsd === undefined ? {} : { session_usd: sessionUsd }),
        ...(mode === undefined ? {} : { mode }),
      };
      await append(id, EVENTS.task.resumed.create({ extra_steps: extra, ...more }, { actor: USER }));
    },
    async pause(id, { actor, reason } = { actor: USER, reason: "asked by the person" }) {
      await mustBe(id, ["running"], "only a running task can be paused");
      await append(id, EVENTS.task.pauseAsked.create({ reason }, { actor }));
    },
    async accept(id, reason, signal) {
      const { acceptTask } = await import("./accept-task.ts");
      await acceptTask(await parts.engine(), id, await parts.screen(reason), signal);
    },
    async stopped(id) {
      const { status } = await loadTask(await parts.engine(), id);
      if (status === "running") await append(id, EVENTS.task.stopped.create({}, { actor: USER }));
    },
    async cancel(id, reason) {
      await mustBe(id, ["running", "escalated", "paused", "failed"], "it has ended already");
      const { cancelTask } = await import("./cancel-task.ts");
      await cancelTask(await parts.engine(), id, reason);
    },
    async rebuild(id) {
      const engine = await parts.engine();
      const state = await loadTask(engine, id);
      const { createTaskFolder } = await import("./task-folder.ts");
      const folder = createTaskFolder(tasksDir, id, engine.store.blobs, engine.clock);
      folder.rebuild(await engine.store.journal.read(STREAMS.task(id)), state);
      await folder.written();
      return folder.dir;
    },
    async context(id, wanted) {
      const engine = await parts.engine();
      const now = nowAsking(engine, id);
      if (now !== undefined && (wanted === undefined || wanted === now.step)) {
        const { system, user, tools, tokens, sections, cuts } = now.context;
        return { step: now.step, system, user, tools: JSON.parse(JSON.stringify(tools)) as Json, tokens, sections, cuts };
      }
      const state = await loadTask(engine, id);
      const step = wanted ?? state.pending?.step ?? state.step;
      const event = (await engine.store.journal.read(STREAMS.task(id))).find(
        (one) => EVENTS.task.stepped.is(one) && one.payload.step === step,
      );
      if (event === undefined || !EVENTS.task.stepped.is(event))
        throw new SylkError({
          code: "TASK_NO_SUCH_STEP",
          tier: "user_fixable",
          message: step === 0 ? `task ${id} has not made a step yet` : `task ${id} has no step ${step}`,
          fix: step === 0 ? `\`sylk task resume ${id}\` runs it` : `\`sylk task show ${id}\` lists its steps`,
        });
      const { context, usage } = event.payload;
      const text = async (ref: string): Promise<string> =>
        Buffer.from(await engine.store.blobs.get(ref as Parameters<typeof engine.store.blobs.get>[0])).toString("utf8");
      return {
        step,
        system: await text(context.system),
        user: await text(context.user),
        tools: JSON.parse(await text(context.tools)) as Json,
        tokens: context.tokens,
        counted_tokens: usage.input,
        sections: context.sections,
        cuts: context.cuts,
      };
    },
    async goalStats() {
      const rows = await (await parts.existing())?.journal.list(goalStatsView);
      return rows?.map((row) => row.state) ?? [];
    },
    async resolve(id) {
      if (id === "last") {
        const [newest] = await newestFirst(1);
        const last = isOwn(newest) ? newest : lastOf(await newestFirst(RECENT));
        if (last !== undefined) return last.created.id;
        throw new SylkError({
          code: "TASK_NOT_FOUND",
          tier: "user_fixable",
          message: "there is no task here yet",
          fix: '`sylk "make the tests pass"` starts one',
        });
      } else if (((await (await parts.existing())?.journal.head(STREAMS.task(id))) ?? 0) > 0) return id;
      const keys = (await (await parts.existing())?.journal.keys(taskListView, STREAMS.task(""))) ?? [];
      const ids = keys.map((key) => key.slice(STREAMS.task("").length));
      const found = shortIds.match(id, ids);
      if (found.kind === "one") return found.id;
      throw new SylkError({
        code: "TASK_NOT_FOUND",
        tier: "user_fixable",
        message: found.kind === "none" ? `there is no task ${id}` : `${id} could be ${found.ids.length} tasks`,
        fix: "`sylk task list` shows the ids; the last characters are enough",
      });
    },
  };
}

const isOwn = (task: TaskState | undefined): boolean => task?.created.session === DEFAULT_SESSION;

/** What a user means by it where the newest is a request's: what reached their folder, or what they started; not those who only looked. */
function lastOf(recent: readonly TaskState[]): TaskState | undefined {
  const [newest] = recent;
  const merged = recent.find((task) => task.created.session === newest?.created.session && task.merged !== undefined);
  return merged ?? recent.find(isOwn) ?? newest;
}

function treeOf({ tree, merged }: TaskState): TaskSummary["tree"] {
  if (merged !== undefined) return "merged";
  return tree === undefined ? undefined : tree.discarded ? "discarded" : "open";
}

function named(checks: readonly string[]): NewTask["checks"] {
  return checks.map((command, index) => ({ name: checks.length === 1 ? "check" : `check ${index + 1}`, command, from: "person" }));
}

function folderOf(project: string, folder: string | undefined): string {
  const relative = path.relative(project, path.resolve(project, folder ?? "."));
  if (relative.startsWith("..") || path.isAbsolute(relative)) {
    throw new SylkError({
      code: "USAGE_OUTSIDE_PROJECT",
      tier: "user_fixable",
      message: `${folder} is outside the project ${project}`,
      fix: "name a folder inside it, or start Sylk there with -C",
    });
  }
  return relative === "" ? "." : relative;
}
