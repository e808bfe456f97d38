/**
 * What a user tells one piece of work: pause, go on, stop, set a judge aside, or words. It goes to that piece's stream and
 * to nobody else; whoever works on the piece acknowledges it, within five seconds also while a command of it still runs.
 */
import type { Run, Store } from "../journal/index.ts";
import { isAbort, SylkError } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, USER, type NewEvent, type Payload } from "../protocol/events/index.ts";
import { taskView, type TaskState } from "../step/index.ts";
import { ask } from "./ask-about-piece.ts";
import type { FlowParts } from "./parts.ts";
import { end, type Next } from "./piece.ts";
import { pipelineView, type PipelineState } from "./pipeline-state.ts";
import { requestView } from "./request-state.ts";
import { heard as keepWords, stopTask } from "./run-phase.ts";
import { dependentsOf } from "./what-needs.ts";

export type PieceSignal = Payload<"pipeline.signalled">["signal"];
export type Acknowledged = Payload<"pipeline.acknowledged">;

const BY = { actor: SYSTEM.engine };
/** Whoever works on it has so long to come to a rest by itself; then it is acknowledged with what still runs. */
const GRACE_MS = 3_000;
/** How long whoever told it waits to hear that it was heard. */
const ACK_WITHIN_MS = 5_000;

/** Its tasks that have not come to their end or rest. */
export async function runningTasks({ store }: Pick<FlowParts, "store">, { triedBy }: PipelineState): Promise<TaskState[]> {
  const states = await Promise.all(triedBy.map((task) => store.journal.get(taskView, STREAMS.task(task))));
  return states.filter((state): state is TaskState => state?.status === "running");
}

/** What of it is under way and will be brought to its end: an action of a task, or the phase where there is none. */
async function runningOf(parts: Pick<FlowParts, "store">, state: PipelineState): Promise<string[]> {
  const tasks = await runningTasks(parts, state);
  return tasks.flatMap(({ pending }) => pending?.calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`.slice(0, 200)) ?? []);
}

const standsAfter = (signal: PieceSignal, { paused }: PipelineState): Acknowledged["stands"] =>
  signal === "pause" ? "paused" : signal === "cancel" ? "ended" : signal === "resume" || !paused ? "at_work" : "paused";

async function acknowledge(parts: Pick<FlowParts, "store">, state: PipelineState, signal: PieceSignal): Promise<NewEvent> {
  const after = await parts.store.journal.head(STREAMS.pipeline(state.opened.id));
  const running = signal === "pause" ? await runningOf(parts, state) : [];
  return EVENTS.pipeline.acknowledged.create({ signal, stands: standsAfter(signal, state), after, running }, BY);
}

/** What it was told and has not obeyed yet; stopping goes before everything else. Undefined: nothing. */
export async function obey(parts: FlowParts, run: Run<PipelineState>): Promise<Next | undefined> {
  const { state } = run;
  const signal = state.signals.find((one) => one === "cancel") ?? state.signals[0];
  if (signal === undefined) return undefined;
  await run.append(await acknowledge(parts, state, signal));
  if (signal === "ignore_inspector" || signal === "ignore_tester") {
    if (state.waits !== undefined)
      await parts.questions.withdraw(state.waits.question, "answered by what the piece was told", SYSTEM.engine);
    await run.append(EVENTS.pipeline.answered.create({ choice: signal, words: "" }, BY));
  }
  return signal === "cancel" ? stop(parts, run) : "again";
}

/** What needs it must not wait for ever: then the user says what becomes of that. */
async function stop(parts: FlowParts, run: Run<PipelineState>): Promise<Next> {
  const { opened, triedBy, waits } = run.state;
  for (const task of triedBy) await stopTask(parts, task, "stopped by the user");
  if (waits !== undefined) await parts.questions.withdraw(waits.question, "the piece was stopped", SYSTEM.engine);
  const request = await parts.store.journal.get(requestView, STREAMS.request(opened.request));
  const needing = request === undefined ? [] : dependentsOf(request, opened.node.id).filter((id) => !(id in request.skipped));
  if (needing.length === 0) return end(run, "cancelled", `${opened.node.id} was stopped by the user`);
  return ask({ parts, run }, "stopped", `you stopped it, and ${needing.join(", ")} ${needing.length === 1 ? "needs" : "need"} it`);
}

/** It rests until it is told to go on; undefined: it is not paused. */
export async function whilePieceRests({ store }: Pick<FlowParts, "store">, id: string): Promise<Next | undefined> {
  // Measured first, so that what is told meanwhile is not slept through.
  const after = await store.journal.head(id);
  const state = await store.journal.get(pipelineView, id);
  return state?.paused === true && state.signals.length === 0 ? { wait: { stream: id, after } } : undefined;
}

/** While a piece is worked on, what it is told is acknowledged in time, also when something of it cannot be left at once. */
export async function acknowledging<T>(parts: FlowParts, run: Run<PipelineState>, work: () => Promise<T>): Promise<T> {
  const { store, clock } = parts;
  const over = new AbortController();
  using hint = store.journal.subscribe({ stream: run.id });
  const look = async (): Promise<void> => {
    const told = (await store.journal.get(pipelineView, run.id))?.signals[0];
    if (told !== "pause") return;
    await clock.sleep(GRACE_MS, over.signal);
    const state = await store.journal.get(pipelineView, run.id);
    if (state?.signals[0] === told) await store.journal.append(run.id, "any", [await acknowledge(parts, state, told)]);
  };
  const watching = (async () => {
    while ((await hint.next(over.signal)) === "maybe") await look();
  })().catch((error: unknown) => {
    if (!isAbort(error) && !over.signal.aborted) parts.log.warn("a signal was not acknowledged in time", { reason: String(error) });
  });
  try {
    return await work();
  } finally {
    over.abort();
    await watching;
  }
}

function wrongPiece(node: string, known: readonly string[]): SylkError {
  return new SylkError({
    code: "REQUEST_NO_PIECE",
    tier: "user_fixable",
    message: `there is no piece ${node} at work`,
    fix: known.length === 0 ? "nothing of it has begun yet" : `these have begun: ${known.join(", ")}`,
  });
}

/** By its id in the plan, or by its number. */
async function pieceOf(store: Store, pipelines: Readonly<Record<string, string>>, node: string): Promise<PipelineState> {
  const id = pipelines[node] ?? pipelines[`n${node}`];
  const state = id === undefined ? undefined : await store.journal.get(pipelineView, STREAMS.pipeline(id));
  if (state === undefined || state.ended !== undefined) throw wrongPiece(node, Object.keys(pipelines));
  return state;
}

/** Undefined: whoever works on it has not answered in time; it is written down and holds all the same. */
async function heard(parts: FlowParts, stream: string, signal: PieceSignal, after: number): Promise<Acknowledged | undefined> {
  const { store, clock } = parts;
  const late = new AbortController();
  const timer = clock.sleep(ACK_WITHIN_MS, late.signal).then(
    () => late.abort(),
    () => undefined,
  );
  using hint = store.journal.subscribe({ stream });
  try {
    for (;;) {
      for (const event of await store.journal.read(stream, { from: after + 1 }))
        if (EVENTS.pipeline.acknowledged.is(event) && event.payload.signal === signal) return event.payload;
      if ((await hint.next(late.signal)) !== "maybe") return undefined;
    }
  } finally {
    late.abort();
    await timer;
  }
}

export async function signalPiece(
  parts: FlowParts,
  pipelines: Readonly<Record<string, string>>,
  node: string,
  signal: PieceSignal,
): Promise<Acknowledged | undefined> {
  const { store, tasks, questions } = parts;
  const state = await pieceOf(store, pipelines, node);
  const stream = STREAMS.pipeline(state.opened.id);
  const after = await store.journal.head(stream);
  await store.journal.append(stream, "any", [EVENTS.pipeline.signalled.create({ signal, reason: "asked by the user" }, { actor: USER })]);
  if (signal === "pause") for (const task of await runningTasks(parts, state)) await tasks.pause(task.created.id);
  // A piece that rests for an answer hears nothing else; that answer is not wanted any more.
  if (signal === "cancel" && state.waits !== undefined) await questions.withdraw(state.waits.question, "the piece was stopped", USER);
  if ((await store.work.holder(stream)) === undefined && signal === "pause") {
    const now = await pieceOf(store, pipelines, node);
    await store.journal.append(stream, "any", [await acknowledge(parts, now, signal)]);
  }
  return heard(parts, stream, signal, after);
}

/** A task that ended hears nothing; the next one of its piece does. */
const HEARS: readonly TaskState["status"][] = ["running", "paused", "escalated"];

/** Words for whoever works on it: in its next step, and in every task of the piece that begins later. */
export async function tellPiece(parts: FlowParts, pipelines: Readonly<Record<string, string>>, node: string, words: string): Promise<void> {
  const state = await pieceOf(parts.store, pipelines, node);
  // Whoever looks at the whole is to hear it too.
  const question = `${state.opened.id}/${await parts.store.journal.head(STREAMS.pipeline(state.opened.id))}`;
  await keepWords(parts, state.opened.request, { on: "piece", question, words });
  await parts.store.journal.append(STREAMS.pipeline(state.opened.id), "any", [EVENTS.pipeline.told.create({ words }, { actor: USER })]);
  const last = state.triedBy.at(-1);
  const task = last === undefined ? undefined : await parts.store.journal.get(taskView, STREAMS.task(last));
  if (task !== undefined && HEARS.includes(task.status)) await parts.tasks.answer(task.created.id, words);
}
