/** One model call for one step, with one repair when its answer cannot be used (CTX-022). */
import { SylkError } from "../kernel/index.ts";
import { requestPriority, type ModelPicture, type ModelRequest, type ModelResult } from "../model/index.ts";
import { STREAMS } from "../protocol/events/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import type { BuiltContext } from "./context/build-context.ts";
import { parseAnswer, type AnswerRules, type ParsedAnswer } from "./parse-answer.ts";
import { loadPictures } from "./pictures.ts";
import { profileOf, type StepRun } from "./step-run.ts";
import type { TaskState } from "./task-state.ts";
import { taskView } from "./task-view.ts";

type Answered = Extract<ModelResult, { kind: "ok" }>;

export interface StepUsage {
  input: number;
  output: number;
  cached: number;
  cost_usd: number | null;
}

export type Asked =
  | { kind: "answered"; result: Answered; parsed: ParsedAnswer; repaired: boolean; usage: StepUsage }
  | { kind: "unavailable"; result: Exclude<ModelResult, { kind: "ok" }> }
  /** The person paused the task: the call was given up, and nothing came of it. */
  | { kind: "paused" };

function requestFor(
  role: RoleSpec,
  state: TaskState,
  step: number,
  context: BuiltContext,
  ask: { user: string; purpose: string; pictures: readonly ModelPicture[] },
): ModelRequest {
  return {
    model: state.created.model,
    system: context.system,
    user: ask.user,
    pictures: ask.pictures,
    tools: context.tools,
    maxOutputTokens: profileOf(state).maxOutput,
    role: state.created.role,
    session: state.created.session,
    sessionUsd: state.created.session_usd,
    task: state.created.id,
    step,
    phase: state.phase,
    purpose: ask.purpose,
    priority: requestPriority(role, "agent"),
    lane: "pipeline",
    inputTokens: context.tokens,
    cachePrefix: { system: true, userChars: context.stableChars },
  };
}

function add(a: StepUsage, result: ModelResult): StepUsage {
  const { usage, costUsd } = result;
  return {
    input: a.input + usage.inputTokens,
    output: a.output + usage.outputTokens,
    cached: a.cached + usage.cacheReadTokens,
    cost_usd: costUsd === undefined ? a.cost_usd : (a.cost_usd ?? 0) + costUsd,
  };
}

const TELL_AFTER_MS = 20_000;
/** Made once: an abort without a reason makes an error with its stack every time. */
const ANSWERED = new Error("answered");

/** The call's result. Whoever looks on is told when nothing was heard for a while. */
async function heard({ engine }: Hearing, request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
  const { clock, gate } = engine;
  const stream = gate.stream(request, signal);
  const began = clock.monotonic();
  const over = new AbortController();
  let [provider, attempt, attempts, said] = [request.model, 1, 1, false];
  const telling = (async () => {
    for (;;) {
      await clock.sleep(TELL_AFTER_MS, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      const waited = Math.round(clock.monotonic() - began);
      if (!said) engine.onWaiting?.({ task: request.task, provider, attempt, attempts, waited_ms: waited, limit_ms: engine.stepTimeoutMs });
      said = false;
    }
  })();
  try {
    for await (const part of stream) {
      if (part.type === "start") ({ provider, attempt, of: attempts } = part);
      else if (part.type !== "restart") said = true;
    }
    return await stream.result();
  } finally {
    over.abort(ANSWERED);
    await telling;
  }
}

type Hearing = Pick<StepRun, "engine" | "role" | "signal" | "type" | "taskId">;

/** Aborted when the person pauses the task; nobody waits for an answer that is not wanted now. */
function pauseOf({ engine: { store }, taskId }: Hearing): { signal: AbortSignal } & AsyncDisposable {
  const stream = STREAMS.task(taskId);
  const paused = new AbortController();
  const over = new AbortController();
  const hint = store.journal.subscribe({ stream });
  const look = async (): Promise<void> => {
    if ((await store.journal.get(taskView, stream))?.pauseAsked === true) paused.abort(new Error("paused by the person"));
  };
  const watching = (async () => {
    while (!paused.signal.aborted && (await hint.next(over.signal)) === "maybe") await look();
    // A store that fails is found by whoever writes to it next.
  })().catch(() => undefined);
  return {
    signal: paused.signal,
    async [Symbol.asyncDispose]() {
      over.abort(ANSWERED);
      hint[Symbol.dispose]();
      await watching;
    },
  };
}

function tooLate(result: ModelResult, ms: number): ModelResult {
  const error = new SylkError({
    code: "MODEL_TIMEOUT",
    tier: "transient",
    message: `${result.provider === "" ? "the model" : result.provider} gave no whole answer within ${Math.round(ms / 1000)} s, in ${result.attempts} attempt${result.attempts === 1 ? "" : "s"}`,
    fix: "try again later or with another model (`sylk task resume -m …`); `llm.step_timeout` sets how long one step may wait",
  });
  return result.kind === "aborted" ? { ...result, kind: "failed", error } : result;
}

/** All attempts of a step, the repair included, share one deadline. */
export async function askModel(run: Hearing, state: TaskState, step: number, context: BuiltContext): Promise<Asked> {
  const { clock, stepTimeoutMs } = run.engine;
  const late = new AbortController();
  const over = new AbortController();
  const timer = clock.sleep(stepTimeoutMs, over.signal).then(
    () => late.abort(new Error("the step's deadline passed")),
    () => undefined,
  );
  await using pause = pauseOf(run);
  const signal = AbortSignal.any([run.signal, late.signal, pause.signal]);
  try {
    const pictures = await loadPictures(run.engine.store.blobs, state.created.pictures);
    const asked = await askTwice(run, context, async (ask) => {
      const result = await heard(run, requestFor(run.role, state, step, context, { ...ask, pictures }), signal);
      return late.signal.aborted && !run.signal.aborted ? tooLate(result, stepTimeoutMs) : result;
    });
    return asked.kind === "unavailable" && pause.signal.aborted ? { kind: "paused" } : asked;
  } finally {
    over.abort(ANSWERED);
    await timer;
  }
}

type Ask = (ask: { user: string; purpose: string }) => Promise<ModelResult>;

async function askTwice({ engine, type }: Hearing, context: BuiltContext, ask: Ask): Promise<Asked> {
  const rules: AnswerRules = {
    find: (name) => engine.registry.get(name, type),
    allowed: context.tools.map((tool) => tool.name),
    maxReads: context.maxReads,
  };
  const first = await ask({ user: context.user, purpose: "step" });
  if (first.kind !== "ok") return { kind: "unavailable", result: first };
  const usage = add({ input: 0, output: 0, cached: 0, cost_usd: null }, first);
  const parsed = parseAnswer(first, rules);
  if (parsed.kind === "calls") return { kind: "answered", result: first, parsed, repaired: false, usage };
  const complaint = `${context.user}\n\n# Your last answer could not be used\n${parsed.reason}\nAnswer again with a valid action.`;
  const second = await ask({ user: complaint, purpose: "repair" });
  if (second.kind !== "ok") return { kind: "unavailable", result: second };
  return {
    kind: "answered",
    result: second,
    parsed: parseAnswer(second, rules),
    repaired: true,
    usage: add(usage, second),
  };
}
