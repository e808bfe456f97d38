/** One task of a larger piece of work: made under an id that was written down before, run, and what came of it. */
import { isAbort, messageOf, SylkError, type Clock } from "../kernel/index.ts";
import { EVENTS, STREAMS, USER, type Payload } from "../protocol/events/index.ts";
import { taskView, type NewTask, type TaskState } from "../step/index.ts";
import { YIELDS } from "./brief.ts";
import type { FlowParts } from "./parts.ts";
import { requestView, type RequestState } from "./request-state.ts";

export type PhaseEnd =
  | { kind: "complete"; task: TaskState }
  /** It rests for an answer of the user. */
  | { kind: "asks"; question: string; text: string }
  /** It came to no end by itself. */
  | { kind: "stuck"; why: string; tier: SylkError["tier"] }
  /** The user paused it, or an earlier piece is in its way. */
  | { kind: "paused" }
  /** The money is spent. */
  | { kind: "spent"; why: string }
  /** No model could be had, however often it was asked for: the task rests where it stood. */
  | { kind: "no_model"; why: string }
  /** The agent shows that it cannot be done; `names`: the test that it contests, or the assertion. */
  | { kind: "cannot"; why: string; names: string };

export type PhaseTask = Omit<NewTask, "model" | "sessionUsd"> & { id: string; model?: string | undefined };

/** Answers of these are the user's to give; with any other the piece of work itself decides what follows. */
const ASKS: readonly TaskState["why"][] = ["agent_asks", "checks_cannot_run", "waits_for_answer"];
/** A model that cannot be had is asked for again after so long, then each time after the longest. */
const AGAIN_MS = [2_000, 10_000, 30_000];
const LONGEST_MS = 60_000;
/** Asking again does not help against these: somebody has to change something first. */
const FOR_A_PERSON: ReadonlySet<string> = new Set([
  "MODEL_AUTH",
  "MODEL_QUOTA",
  "MODEL_NO_KEY",
  "MODEL_NOT_FOUND",
  "MODEL_NO_BASE_URL",
  "MODEL_NO_PROVIDER",
  "MODEL_NONE_SET_UP",
  "MODEL_PROVIDER_DISABLED",
  "MODEL_UNKNOWN",
]);

class Late extends Error {}

/** How long a task that is told to stop is waited for. */
const LET_GO_MS = 30_000;

/** By the engine's clock: whoever works past it is stopped, and who does not stop is not waited for. */
async function within<T>(clock: Clock, ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = new AbortController();
  const given = Promise.withResolvers<never>();
  const watching = async (): Promise<void> => {
    await clock.sleep(ms, over.signal);
    late.abort(new Late());
    await clock.sleep(LET_GO_MS, over.signal);
    given.reject(late.signal.reason);
  };
  const watch = watching().catch(() => undefined);
  try {
    return await Promise.race([work(AbortSignal.any([signal, late.signal])), given.promise]);
  } catch (error) {
    if (late.signal.aborted && !signal.aborted) throw late.signal.reason;
    throw error;
  } finally {
    over.abort();
    await watch;
  }
}

function endOf(state: TaskState): PhaseEnd {
  if (state.status === "complete") return { kind: "complete", task: state };
  if (ASKS.includes(state.why) && state.questionId !== undefined)
    return { kind: "asks", question: state.questionId, text: state.question ?? "" };
  const gaveUp = state.history.at(-1)?.actions.find(({ action }) => action === "cannot_satisfy");
  if (gaveUp !== undefined) return { kind: "cannot", why: gaveUp.summary, names: gaveUp.target };
  if (state.status === "paused" && state.why === "model_unavailable")
    return { kind: "no_model", why: [state.reason, state.report].filter((text) => text !== undefined).join("; ") };
  return { kind: "stuck", why: state.report ?? state.reason, tier: "permanent" };
}

/** What the person said belongs to the request from here on; heard twice it counts once. */
export async function heard({ store }: Pick<FlowParts, "store">, request: string, said: Payload<"request.said">): Promise<void> {
  await store.journal.append(STREAMS.request(request), "any", [EVENTS.request.said.create(said, { actor: USER })]);
}

/** Answers to what a task asked are for everybody who works later, not only for the task. */
async function takeAnswers(parts: FlowParts, { created, intent }: RequestState, task: string): Promise<void> {
  for (const { id, answer } of await parts.questions.list(task)) {
    const words = answer?.kind === "said" ? answer.text : answer?.kind === "chosen" ? (answer.words ?? "") : "";
    if (words !== "" && !intent.said.some(({ question }) => question === id))
      await heard(parts, created.id, { on: "question", question: id, words });
  }
}

/** `modelMs`: how long a model that cannot be had is asked for again and again. */
export async function runPhase(
  parts: FlowParts,
  wanted: PhaseTask,
  signal: AbortSignal,
  modelMs: number = parts.limits.modelMs,
): Promise<PhaseEnd> {
  const { store, tasks, clock, limits } = parts;
  const stream = STREAMS.task(wanted.id);
  const look = (): Promise<TaskState | undefined> => store.journal.get(taskView, stream);
  // What the user allows may have changed since whoever asks for this was begun.
  const request = await store.journal.get(requestView, STREAMS.request(wanted.session));
  const sessionUsd = request?.created.budget_usd;
  if (request !== undefined) await takeAnswers(parts, request, wanted.id);
  if ((await look()) === undefined)
    await tasks.create({ ...wanted, signal, sessionUsd, pictures: request?.created.pictures, yields: YIELDS });
  const until = clock.now() + limits.phaseMs;
  for (let [tries, left] = [0, modelMs]; ; tries += 1) {
    if ((await look())?.status === "paused") await tasks.reopen(wanted.id, { extraSteps: 0, sessionUsd });
    try {
      await within(clock, Math.max(0, until - clock.now()), signal, (stop) => tasks.run(wanted.id, stop));
    } catch (error) {
      if (error instanceof Late) return { kind: "stuck", why: "it took longer than a phase may", tier: "transient" };
      if (isAbort(error) || signal.aborted || !SylkError.is(error)) throw error;
      return { kind: "stuck", why: messageOf(error), tier: error.tier };
    }
    const state = await look();
    if (state === undefined) return { kind: "stuck", why: "nothing is known of its task", tier: "permanent" };
    // Told something in the moment it came to rest, it is to go on; whoever asked for the rest decides when.
    if (state.status === "running" || (state.status === "paused" && state.why === "user_pauses")) return { kind: "paused" };
    if (state.status === "paused" && state.code === "MODEL_BUDGET") return { kind: "spent", why: state.reason };
    if (state.status !== "paused" || state.why !== "model_unavailable" || left <= 0 || FOR_A_PERSON.has(state.code ?? ""))
      return endOf(state);
    const wait = Math.min(left, AGAIN_MS[tries] ?? LONGEST_MS);
    left -= wait;
    await clock.sleep(wait, signal);
  }
}

/** A task that nobody has to work on, and why: it stands for what it would have looked at. */
export async function needlessTask(parts: FlowParts, wanted: PhaseTask, why: string): Promise<void> {
  const known = await parts.store.journal.get(taskView, STREAMS.task(wanted.id));
  if (known === undefined) await parts.tasks.create({ ...wanted, yields: YIELDS });
  await stopTask(parts, wanted.id, why);
}

/** Until when a request rests that the user paused; undefined when it goes on. */
export async function whilePaused(
  { store }: Pick<FlowParts, "store">,
  request: string,
): Promise<{ wait: { stream: string; after: number } } | "ended" | undefined> {
  const stream = STREAMS.request(request);
  // Measured first, so that a resumption meanwhile is not slept through.
  const after = await store.journal.head(stream);
  const state = await store.journal.get(requestView, stream);
  if (state?.ended !== undefined) return "ended";
  return state?.paused === true ? { wait: { stream, after } } : undefined;
}

/** A question that something inside an advance needs answered first: whose it is, and until when to rest. */
export async function openQuestion(
  { questions }: Pick<FlowParts, "questions">,
  error: unknown,
): Promise<{ id: string; text: string; wait: { stream: string; after: number } } | undefined> {
  const id = SylkError.is(error, "QUESTION_OPEN") ? error.details["question"] : undefined;
  const question = typeof id === "string" ? await questions.get(id) : undefined;
  if (question === undefined) return undefined;
  return { id: question.id, text: question.message, wait: { stream: STREAMS.question(question.asker.id, question.id), after: 1 } };
}

/** A task that has not come to its end is ended. */
export async function stopTask({ tasks, store }: Pick<FlowParts, "tasks" | "store">, id: string, reason: string): Promise<void> {
  const state = await store.journal.get(taskView, STREAMS.task(id));
  if (state !== undefined && ["running", "escalated", "paused", "failed"].includes(state.status)) await tasks.cancel(id, reason);
}
