/** What processes do in a simulation of whole tasks: workers run what is to be run, a person starts, stops, merges and takes back. */
import { isAbort, SylkError } from "../../../src/kernel/index.ts";
import { wireApp } from "../../../src/app/wire-app.ts";
import { sqliteDriver, type Store, type StoreOptions } from "../../../src/journal/index.ts";
import type { Api } from "../../../src/protocol/api/index.ts";
import { storeOf, type Fate, type Ground } from "../sim-store.ts";
import type { Life } from "../timeline.ts";
import { nothingMerged } from "./look-back.ts";
import { checkOf, type SimProject } from "./sim-project.ts";
import type { TaskPlan, TaskScenario } from "./task-scenario.ts";
import type { SeenTask, TaskWitness } from "./task-witness.ts";

/** Bugs that a test puts in, to see them found. */
export interface TaskPlants {
  store?: (ground: Ground) => Ground;
  /** Tells the person that a task is over without waiting for it. */
  hastyCancel?: boolean;
  /** What a life sees of a file it has seen before is what it saw then. */
  blind?: boolean;
  /** A file is put in its place later than the life is told. */
  lateRename?: boolean;
  /** Checks are not run. */
  trustingChecks?: boolean;
  /** Nothing is synced. */
  unsynced?: boolean;
  /** What was left half written is not removed. */
  untidy?: boolean;
}

/** What the person knows; it outlives every process. */
export interface Diary {
  asked: Set<string>;
  reopened: Map<number, number>;
  settled: Set<number>;
  /** Files the person decided about against the task. */
  kept: Set<string>;
  /** Entries that were told to be kept, and those that may be. */
  saved: Set<string>;
  tried: Set<string>;
}

export interface TaskStage {
  scenario: TaskScenario;
  project: SimProject;
  fate: Fate;
  witness: TaskWitness;
  diary: Diary;
  plants: TaskPlants;
  opened(store: Store): void;
}

const POLL_MS = 400;
const entryOf = (n: number): string => `entry${n}x`;
const MAX_REOPENED = 8;
const NEVER = new AbortController().signal;
/** What may be said when the store, the disk, the model or another life is in the way. */
const EXPECTED = [
  "STORE_IO",
  "STORE_FULL",
  "RUN_LOST",
  "RUN_TAKEN",
  "JOURNAL_FENCED",
  "JOURNAL_CONFLICT",
  "TASK_RUNS_ELSEWHERE",
  "TASK_RUNS",
  "TASK_WRONG_STATUS",
  "TASK_STILL_HELD",
  "FILE_WRITE_FAILED",
  "ENOSPC",
];

async function openLife(life: Life, stage: TaskStage): Promise<Api> {
  const { fate, project, plants } = stage;
  const clock = fate.timeline.clockOf(life);
  const open = async (options: StoreOptions): Promise<Store> => {
    // The store waits for nobody: a step of the timeline is over when it has answered.
    const store = await sqliteDriver.open({
      ...options,
      durability: "process",
      clock: { ...clock, sleep: () => new Promise((resolve) => setImmediate(resolve)) },
    });
    stage.opened(store);
    const bare = storeOf(life, store, fate);
    return { ...store, ...(plants.store?.(bare) ?? bare) };
  };
  const app = await wireApp({ cwd: project.dir, env: project.env, clock, driver: { ...sqliteDriver, open } });
  return app.api;
}

/** Tries again what was in the way; anything else is a finding. */
async function tolerant(life: Life, { fate }: TaskStage, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!life.alive) return new Promise(() => undefined);
    const code = SylkError.is(error) ? error.code : (error as { code?: string }).code;
    if (!EXPECTED.includes(code ?? "") && !isAbort(error))
      fate.witness.breaks("only expected trouble", `${code ?? ""} ${String((error as Error).stack ?? error)}`);
    fate.timeline.note(`${life.name} met ${code ?? "an abort"}`);
    return false;
  }
}

async function opened(life: Life, stage: TaskStage): Promise<Api> {
  let api: Api | undefined;
  while (api === undefined) {
    await tolerant(life, stage, async () => void (api = await openLife(life, stage)));
    await stage.fate.timeline.clockOf(life).sleep(POLL_MS);
  }
  return api;
}

export async function workOnTasks(life: Life, stage: TaskStage): Promise<void> {
  const { fate, diary, witness } = stage;
  const clock = fate.timeline.clockOf(life);
  const api = await opened(life, stage);
  for (;;) {
    await tolerant(life, stage, async () => {
      for (const { id, goal, status } of await api.query({ type: "task.list" })) {
        const index = Number(/^task (\d)/u.exec(goal)?.[1]);
        if (status === "paused" || status === "escalated" || status === "failed") {
          const times = diary.reopened.get(index) ?? 0;
          if (times >= MAX_REOPENED) continue;
          diary.reopened.set(index, times + 1);
          await api.send({ type: "task.reopen", id, extra_steps: 10 });
        } else if (status !== "interrupted" && !(status === "running" && fate.random() < 0.2)) continue;
        if (witness.taskAt(index)?.over === true) continue;
        await api.send({ type: "task.run", id });
      }
    });
    await clock.sleep(POLL_MS * (1 + fate.random()));
  }
}

async function start(api: Api, index: number, plan: TaskPlan, witness: TaskWitness): Promise<void> {
  if (witness.taskAt(index) !== undefined) return;
  await api.send({
    type: "task.start",
    options: {
      goal: `task ${index}: do all of it`,
      type: "implement_feature",
      role: "engineer",
      criteria: [],
      constraints: [],
      checks: [checkOf(index)],
      discover_checks: false,
      model: "sim/m",
      profile: "minimal",
      max_steps: 25,
      worktree: plan.tree,
    },
  });
}

async function merge(api: Api, task: SeenTask, { diary, witness, project }: TaskStage): Promise<void> {
  const { id, index } = task;
  if (task.merged === "no") {
    let told = await api.send({ type: "task.merge", id }, NEVER);
    if (told.kind === "conflicts") {
      for (const { path } of told.conflicts) diary.kept.add(path);
      nothingMerged(witness, task, project);
      told = await api.send({ type: "task.merge", id, prefer: "mine" }, NEVER);
    }
    if (told.kind === "refused" || told.kind === "conflicts") return;
    if (told.kind === "nothing_to_merge") return void diary.settled.add(index);
  }
  if (task.plan.afterwards === "merge_undo" && task.merged === "merged")
    await api.send({ type: "task.undo", id, dry_run: false, force: false });
  diary.settled.add(index);
}

async function lookAfter(life: Life, api: Api, task: SeenTask, stage: TaskStage): Promise<void> {
  const { fate, diary, witness, plants } = stage;
  const { id, index, plan, status } = task;
  const once = (what: string): boolean => !diary.asked.has(`${what} ${index}`) && diary.asked.add(`${what} ${index}`) !== undefined;
  const isOpen = ["running", "paused", "escalate", "failed"].includes(status);
  if (plan.pauseAfterMs !== null && fate.timeline.now > plan.pauseAfterMs && status === "running" && once("pause"))
    await api.send({ type: "task.pause", id });
  if (plan.cancelAfterMs !== null && fate.timeline.now > plan.cancelAfterMs && isOpen) {
    const cancelling = api.send({ type: "task.cancel", id, reason: "the simulation wills it" });
    if (plants.hastyCancel !== true) await cancelling;
    else await Promise.race([cancelling, fate.timeline.clockOf(life).sleep(1)]);
    witness.over(task);
  }
  if (status !== "complete" || diary.settled.has(index)) return;
  if (plan.afterwards === "undo") {
    await api.send({ type: "task.undo", id, dry_run: false, force: false });
    diary.settled.add(index);
  } else if (plan.tree && plan.afterwards !== "nothing") await merge(api, task, stage);
  else diary.settled.add(index);
}

async function save(api: Api, entry: string, { diary }: TaskStage): Promise<void> {
  diary.tried.add(entry);
  await api.send({
    type: "memory.save",
    agent: "architect",
    entry: { title: entry, body: "because", type: "process", status: "active", sprint: "", related: [] },
    dry_run: false,
    archive: false,
  });
  diary.saved.add(entry);
}

export async function liveAsPerson(life: Life, stage: TaskStage): Promise<void> {
  const { scenario, fate, witness, diary } = stage;
  const clock = fate.timeline.clockOf(life);
  const api = await opened(life, stage);
  for (;;) {
    for (const [index, plan] of scenario.tasks.entries()) await tolerant(life, stage, () => start(api, index, plan, witness));
    for (const task of witness.tasks.values()) await tolerant(life, stage, () => lookAfter(life, api, task, stage));
    for (let n = 0; n < scenario.saves; n += 1)
      if (!diary.tried.has(entryOf(n))) await tolerant(life, stage, () => save(api, entryOf(n), stage));
    await clock.sleep(POLL_MS * (1 + fate.random()));
  }
}
