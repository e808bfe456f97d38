/** A request as surfaces see it: in a line of a list, and whole. Worked out at every look from what the journal says. */
import type { Questions, Store } from "../journal/index.ts";
import { wording, type Clock } from "../kernel/index.ts";
import {
  blockedBy,
  isAtWork,
  pipelinesOf,
  planText,
  purposeKey,
  todayIn,
  waitingForMemory,
  type PipelineState,
  type RequestState,
} from "../flow/index.ts";
import { taskUsage } from "../model/index.ts";
import type { Result } from "../protocol/api/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import { optionsOf } from "../protocol/index.ts";
import { taskView, type TaskState } from "../step/index.ts";

type Detail = Result<"request.show">;
export type Summary = Result<"request.list">[number];
type Piece = Detail["work"][number];
type Known = ReadonlyMap<string, PipelineState>;

export interface Look {
  store: Store;
  questions: Questions;
  clock: Clock;
  /** Whether this process runs it, be it between two moves. */
  isDriven: (request: string) => boolean;
}

function stateOf(
  node: string,
  state: RequestState,
  known: PipelineState | undefined,
  held: { why: string } | undefined,
): Pick<Piece, "state" | "why"> {
  const skipped = state.skipped[node];
  if (known?.ended !== undefined) return { state: known.ended.how, why: known.ended.why };
  if (skipped !== undefined) return { state: "skipped", why: skipped };
  if (known === undefined) return held === undefined ? { state: "waiting", why: "" } : { state: "blocked", why: held.why };
  if (known.waits !== undefined) return { state: "needs_you", why: known.waits.text };
  if (known.paused) return { state: "paused", why: "" };
  if (known.held !== undefined)
    return { state: "blocked", why: `${known.held.by} changes ${known.held.symbols.join(", ")} too; it goes on when that is through` };
  if (known.merged !== undefined || known.merging !== undefined || known.judged?.passed === true) return { state: "merging", why: "" };
  return { state: known.phase?.phase ?? "waiting", why: known.briefing?.failure_analysis ?? "" };
}

/** Rests until a model can be had; whoever drives it asks again. */
const isAwaitingModel = ({ status, why }: TaskState): boolean => status === "paused" && why === "model_unavailable";

/** Who works on a task, in which step, and what it does or said last. */
async function doingOf(store: Store, id: string | undefined, which = (_task: TaskState): boolean => true): Promise<Pick<Piece, "doing">> {
  const task = id === undefined ? undefined : await store.journal.get(taskView, STREAMS.task(id));
  if (task === undefined || id === undefined || !which(task)) return {};
  const { status, step, created } = task;
  const does = isAwaitingModel(task)
    ? `the model is asked again by itself: ${task.reason}`
    : (task.pending?.calls.map(({ name }) => name).join(", ") ?? task.words.at(-1) ?? "");
  return { doing: { task: id, role: created.role, step: step + 1, status, does: wording.oneLine(does, 200) } };
}

/** Who looked at the whole; its merge is the request's. */
const wholeOf = ({ tasks, looks }: RequestState): string | undefined => tasks[purposeKey("inspect", looks)];

/** It came into the user's folder, and was taken out of it again. */
async function isUndone({ store }: Look, state: RequestState): Promise<boolean> {
  const whole = state.ended === undefined || state.ended.files.length === 0 ? undefined : wholeOf(state);
  return whole !== undefined && (await store.journal.get(taskView, STREAMS.task(whole)))?.why === "taken_back";
}

function statusOf(state: RequestState, known: Known, hasOpen: boolean): Exclude<Summary["status"], "undone"> {
  if (state.ended !== undefined) return state.ended.how;
  if (state.paused) return "paused";
  // Only a plan was wanted: it is there, and whoever wants more says so.
  if (hasOpen && state.created.approve === "plan-only" && state.shaped === undefined && !state.approved && state.waits?.why === "plan")
    return "planned";
  if (hasOpen) return "needs_you";
  if ([...known.values()].some((piece) => piece.paused && piece.ended === undefined)) return "paused";
  if (state.shaped === undefined) return "planning";
  return state.nodes.every((node) => node.id in state.skipped || known.get(node.id)?.ended !== undefined) ? "judging" : "building";
}

const AT_WORK: readonly Summary["status"][] = ["planning", "building", "judging"];

/** What was only written down was not interrupted: its first move leaves a trace. */
const isBegun = ({ tasks, assessed, baseline }: RequestState): boolean =>
  Object.keys(tasks).length > 0 || assessed !== undefined || baseline !== undefined;

/** Every task of it, of its pieces too. */
const tasksOf = (state: RequestState, known: Known): string[] => [
  ...Object.values(state.tasks),
  ...[...known.values()].flatMap((piece) => piece.tasks),
];

/** Of a task, or of everything that was done for it: those who were only asked something count too, whenever that was. */
async function costOf({ store, clock }: Look, { created, createdAt, updatedAt, ended }: RequestState, task?: string) {
  const toMs = ended === undefined ? Math.max(createdAt, clock.now()) : updatedAt;
  const used = await taskUsage(store.journal, { session: created.id, task, fromMs: createdAt, toMs });
  return {
    input: used.inputTokens,
    output: used.outputTokens,
    calls: used.calls,
    model_ms: Math.round(used.latencyMs),
    usd: used.costNanoUsd / 1e9,
  };
}

/** Questions of the request, of its pieces and of their tasks. */
async function openOf({ store, questions }: Look, state: RequestState, known: Known): Promise<Detail["questions"]> {
  if (state.ended !== undefined) return [];
  const askers = [state.created.id, ...Object.values(state.pipelines), ...tasksOf(state, known)];
  const lists = await Promise.all(askers.map((asker) => questions.list(asker)));
  const waiting = lists.flat().filter(({ status }) => status === "open");
  const live: Detail["questions"] = [];
  for (const one of waiting) {
    const task = one.asker.kind === "task" ? await store.journal.get(taskView, STREAMS.task(one.asker.id)) : undefined;
    // In journals of before, a task that gave up asked too; its piece of work decides about that by itself.
    if (one.asker.kind !== "task" || task?.why === "agent_asks" || task?.why === "waits_for_answer" || task?.why === "checks_cannot_run")
      live.push({ id: one.id, text: one.message, answers: optionsOf(one.ask).map(({ value }) => value) });
  }
  return live;
}

async function standingOf(look: Look, state: RequestState) {
  const { store } = look;
  const { created } = state;
  const known = await pipelinesOf({ store }, state);
  const questions = await openOf(look, state, known);
  const cost = await costOf(look, state);
  const held = await store.work.holder(STREAMS.request(created.id));
  const pieces = await Promise.all(Object.values(state.pipelines).map((id) => store.work.holder(STREAMS.pipeline(id))));
  const running = held !== undefined || pieces.some((one) => one !== undefined);
  const status = statusOf(state, known, questions.length > 0);
  const isLeft = AT_WORK.includes(status) && !running && isBegun(state) && !look.isDriven(created.id);
  return {
    known,
    questions,
    cost,
    summary: {
      id: created.id,
      words: state.intent.words,
      status: (await isUndone(look, state)) ? "undone" : isLeft ? "interrupted" : status,
      running,
      ...(state.stopped && isLeft ? { stopped: true as const } : {}),
      ...(state.ended === undefined && waitingForMemory(state).length > 0 ? { waits_for: "memory" as const } : {}),
      created_at: state.createdAt,
      updated_at: Math.max(state.updatedAt, ...[...known.values()].map((piece) => piece.updatedAt)),
      pieces: state.nodes.length,
      merged: [...known.values()].filter((piece) => piece.merged !== undefined).length,
      cost_usd: cost.usd,
    } satisfies Summary,
  };
}

export const summaryOf = async (look: Look, state: RequestState): Promise<Summary> => (await standingOf(look, state)).summary;

/** The questions of a plan that was all that was wanted; undefined: it is not that which is waited for. */
export async function onlyPlanned(look: Look, state: RequestState): Promise<Detail["questions"] | undefined> {
  const { summary, questions } = await standingOf(look, state);
  return summary.status === "planned" ? questions : undefined;
}

export async function detailOf(look: Look, state: RequestState): Promise<Detail> {
  const { store } = look;
  const { summary: shown, known, questions, cost } = await standingOf(look, state);
  const work: Piece[] = [];
  const blocked = blockedBy(state, known);
  for (const { id: node, title, assertions, after, files } of state.nodes) {
    const piece = known.get(node);
    work.push({
      id: node,
      title,
      assertions,
      after,
      files: piece?.merged?.files ?? files,
      ...stateOf(node, state, piece, blocked.get(node)),
      ...(piece?.ended === undefined ? await doingOf(store, piece?.tasks.at(-1)) : {}),
      ...(piece === undefined || !isAtWork(piece) ? {} : { since: piece.since }),
      attempt: piece?.attempt ?? 0,
      ...(piece === undefined ? {} : { pipeline: piece.opened.id }),
      tasks: piece?.tasks ?? [],
      cost_usd: (await Promise.all((piece?.tasks ?? []).map((task) => costOf(look, state, task)))).reduce((sum, one) => sum + one.usd, 0),
    });
  }
  const { created, classified, plan, shaped, ended } = state;
  const whole = wholeOf(state);
  const isOwnWork = (task: TaskState): boolean => task.status === "running" || (questions.length === 0 && isAwaitingModel(task));
  return {
    ...shown,
    intent: state.intent,
    before: created.before ?? [],
    ...(created.pictures === undefined ? {} : { pictures: created.pictures.map(({ name }) => name) }),
    earlier: state.earlier,
    approve: created.approve,
    ...(classified === undefined
      ? {}
      : {
          reading: { kind: classified.kind, confidence: classified.confidence, reading: classified.reading, by: classified.by },
        }),
    ...(shaped === undefined ? {} : { shape: { mode: shaped.mode, why: shaped.why } }),
    ...(plan === undefined
      ? {}
      : {
          plan: {
            version: plan.plan_version,
            approved: state.approved,
            plan: plan.plan,
            text: planText(plan.plan, { today: todayIn(state) }),
          },
        }),
    work,
    ...(ended === undefined ? await doingOf(store, Object.values(state.tasks).at(-1), isOwnWork) : {}),
    questions,
    findings: state.judged?.findings ?? [],
    usage: { input: cost.input, output: cost.output, calls: cost.calls, model_ms: cost.model_ms },
    took_ms: (shown.running ? Math.max(look.clock.now(), shown.updated_at) : shown.updated_at) - state.createdAt,
    ...(whole === undefined ? {} : { whole }),
    ...(ended === undefined ? {} : { end: ended }),
  };
}
