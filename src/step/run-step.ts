/**
 * One step (CTX-019): load state, build a bounded context, one model call, one checked action,
 * verify, append, decide. Killed anywhere, the next call goes on from what the journal says.
 */
import path from "node:path";
import { must } from "../kernel/index.ts";
import { redactStrings } from "../guard/index.ts";
import type { Performed } from "../journal/index.ts";
import { changesWorld, type Action, type ActionContext, type ActionResult } from "./actions/action.ts";
import { askModel, type Asked } from "./ask-model.ts";
import type { BuiltContext } from "./context/build-context.ts";
import { decide } from "./decide.ts";
import { allowed, changeNews, refusalOf, reviewed, vetted } from "./run-extensions.ts";
import { asking } from "./wait-for-answer.ts";
import type { ParsedCall } from "./parse-answer.ts";
import { planIntent, settleIntent, signatureOf } from "./perform.ts";
import { recordIn } from "./check-record.ts";
import { runChecks } from "./run-checks.ts";
import { judgeCompletion } from "./verdict/judge-completion.ts";
import { ranAtStart } from "./start-of-task.ts";
import { after, verify, type Verified } from "./verdict/verify-step.ts";
import type { StepEngine } from "./engine.ts";
import { ToolGuard } from "./tool-guard.ts";
import { contextFor, diffOf } from "./step-context.ts";
import { loadTask } from "./load-task.ts";
import { mustHaveTree } from "./trees/tree-in-place.ts";
import { profileOf, recordsOf, type Done, type StepRun } from "./step-run.ts";
import type { PendingStep, StepRecord, TaskState } from "./task-state.ts";
import { withResult } from "./task-view.ts";
import { tellAsking } from "./under-way.ts";
import { EVENTS, SYSTEM, type NewEvent, agentActor, type Actor } from "../protocol/events/index.ts";
import type { RecordedChange } from "./task-facts.ts";

type PendingCall = PendingStep["calls"][number];

const SAID_MEANWHILE = "While you completed, the person said something more (above, what they answered): see to it, then complete again.";

const actorOf = (state: TaskState): Actor => agentActor(state.created.role);

/** The texts an event names are committed with it. */
function append(run: StepRun, events: readonly NewEvent[]): Promise<TaskState> {
  return run.texts.with(() => run.durable.append(...events));
}

/** What it is given is words for later, not something to be done as it stands. */
function takesWords({ effect, ends }: Action): boolean {
  return effect === "memory" || effect === "record" || ends !== undefined;
}

/** Arguments that may not be used are refused before anything of them is written down. */
async function screened(run: StepRun, state: TaskState, { action, args }: ParsedCall): Promise<PendingCall> {
  const refused = await refusalOf(run.engine, { action, args }, state.created);
  const redacted = (): typeof args => redactStrings(args, (text) => run.engine.redact(text));
  // What is noted or reported is words, and words need no secret; what is written or run must stay as it was asked for.
  if (refused === undefined) return { name: action.name, args: takesWords(action) ? redacted() : args };
  return { name: action.name, args: redacted(), refused: run.engine.redact(refused) };
}

/** Whoever has a say may take long: nobody else waits for it. */
async function heard(run: StepRun, state: TaskState, { action }: ParsedCall, call: PendingCall): Promise<PendingCall> {
  if (call.refused !== undefined) return call;
  const said = await allowed(run, state, { action, args: call.args });
  run.signal.throwIfAborted();
  if (said.kind === "refused") return { ...call, refused: run.engine.redact(said.reason) };
  return { name: call.name, args: said.args, ...(said.note === undefined ? {} : { note: run.engine.redact(said.note) }) };
}

/** The calls of an answer as they will be kept. */
async function callsOf(run: StepRun, state: TaskState, { parsed }: Extract<Asked, { kind: "answered" }>): Promise<PendingCall[]> {
  const calls: PendingCall[] = [];
  for (const call of parsed.kind === "calls" ? parsed.calls : [])
    calls.push(await heard(run, state, call, await run.engine.turns.with(() => screened(run, state, call))));
  return calls;
}

function refusal(call: { action: Action; refused?: string | undefined }): ActionResult | undefined {
  return call.refused === undefined
    ? undefined
    : { ok: false, outcome: "refused", summary: `${call.action.name} was refused: ${call.refused}` };
}

async function recordAsked(
  run: StepRun,
  state: TaskState,
  context: BuiltContext,
  asked: Extract<Asked, { kind: "answered" }>,
  calls: PendingCall[],
): Promise<TaskState> {
  const blobs = run.texts;
  const [system, tools, user] = await Promise.all([
    blobs.put(context.system),
    blobs.put(JSON.stringify(context.tools)),
    blobs.put(context.user),
  ]);
  const step = state.step + 1;
  const { parsed } = asked;
  const stepped = EVENTS.task.stepped.create(
    {
      step,
      phase: state.phase,
      context: {
        tokens: context.tokens,
        sections: context.sections,
        cuts: context.cuts,
        prefix_hash: context.prefixHash,
        prefix_tokens: context.prefixTokens,
        system,
        tools,
        user,
      },
      text: run.engine.redact(asked.result.text),
      calls,
      skipped: parsed.kind === "calls" ? parsed.skipped.map((why) => run.engine.redact(why)) : [],
      invalid: parsed.kind === "invalid" ? run.engine.redact(parsed.reason) : undefined,
      repaired: asked.repaired,
      usage: asked.usage,
      model: `${asked.result.provider}/${asked.result.model}`,
    },
    { actor: actorOf(state) },
  );
  return append(run, [stepped]);
}

function recordDirOf(run: StepRun, state: TaskState): string {
  return path.join(recordsOf(run.engine, state.created.id), String(state.pending?.step ?? state.step + 1));
}

function actionContext(run: StepRun, state: TaskState, index: number): ActionContext {
  const step = state.pending?.step ?? state.step + 1;
  return {
    workspace: run.workspace,
    state,
    step,
    callId: `${state.created.id}_${step}_${index}`,
    profile: profileOf(state),
    blobs: run.texts,
    signal: run.signal,
    recordDir: recordDirOf(run, state),
    track: () => (run.track ??= run.engine.trees.trackFor(state.created.place)),
    credentials: run.engine.credentialsFor(state.created),
    findKnowledge: run.engine.findKnowledge,
    relatedFiles: run.engine.relatedFiles,
    narrowTests: run.engine.narrowTests,
    diff: () => diffOf(run, state),
    runChecks: (filter) =>
      runChecks({
        workspace: run.workspace,
        blobs: run.texts,
        checks: state.created.checks.filter(
          (check) => filter === undefined || check.name.includes(filter) || (filter === "test" && /test/i.test(check.command)),
        ),
        ranBefore: ranAtStart(state.atStart),
        record: recordIn({ engine: run.engine, task: state.created, workspace: run.workspace }, { isCopy: false }),
        signal: run.signal,
      }),
    runCheck: async (check) => {
      const { workspace, texts: blobs, signal } = run;
      return must((await runChecks({ workspace, blobs, checks: [check], signal }))[0]);
    },
  };
}

interface Call {
  index: number;
  action: Action;
  args: unknown;
  refused: string | undefined;
}

/** Carries out what the journal says the step wants, from wherever it stands: first the change, then what looks at it. */
async function performPending(run: StepRun, state: TaskState): Promise<{ state: TaskState; done: Done[] }> {
  const pending = state.pending;
  if (pending === undefined) return { state, done: [] };
  const calls = pending.calls.flatMap((call, index): Call[] => {
    const action = run.engine.registry.get(call.name, run.type);
    return action === undefined ? [] : [{ index, action, args: call.args, refused: call.refused }];
  });
  const change = calls.find(({ action, args }) => changesWorld(action, args));
  const done: Done[] = change === undefined ? [] : [{ ...change, result: await performChange(run, pending, change) }];
  const rest = calls.filter((call) => call !== change);
  if (rest.length > 0) await run.durable.mustOwn();
  let seen = run.durable.state;
  for (const { result } of done) seen = withResult(seen, result, pending.step);
  for (const call of rest) {
    const context = actionContext(run, seen, call.index);
    const result = refusal(call) ?? (await guarded(run, call.action, () => call.action.execute(call.args, context)));
    done.push({ ...call, result });
    seen = withResult(seen, result, pending.step);
  }
  return { state: run.durable.state, done };
}

/** Exactly once: its intent is in the journal before it happens. */
async function performChange(run: StepRun, pending: PendingStep, { index, action, args, refused }: Call): Promise<ActionResult> {
  const no = refusal({ action, refused });
  if (no !== undefined) return no;
  const known = pending.intended.find((intent) => intent.index === index);
  const context = (): ActionContext => actionContext(run, run.durable.state, index);
  let note: string | undefined;
  const inTool = (work: () => Promise<ActionResult>): Promise<ActionResult> => guarded(run, action, work);
  const performed = await run.durable.perform<ActionResult, RecordedChange[], ActionResult>(
    {
      pending: known?.files,
      intend: async (files) => {
        const intent = { step: pending.step, index, action: action.name, args, files };
        await append(run, [EVENTS.task.intended.create(intent, { actor: actorOf(run.durable.state) })]);
      },
    },
    {
      plan: async () => {
        const intent = await planIntent(action, args, context());
        if (intent.kind === "refused") return { declined: intent.result };
        const said = await vetted(run, run.durable.state, { action, args }, intent.files);
        if (said?.kind === "refused") return { declined: declinedBy(action, said.reason, run) };
        if (said !== undefined) note = run.engine.redact(said.note);
        const paths = intent.files.map((file) => file.path);
        if (paths.length > 0)
          for (const extension of run.engine.extensions) await extension.changing?.(run.durable.state, run.workspace, paths);
        return { plan: intent.files };
      },
      act: () => inTool(() => action.execute(args, context())),
      settle: async (files) => {
        if (action.effect === "files") return { value: await inTool(() => settleIntent(action, args, files, context())) };
        return (await action.recover?.(args, context())) ?? "act";
      },
    },
  );
  const result = resultOf(performed, action);
  return note === undefined ? result : { ...result, summary: `${result.summary}; ${note}` };
}

function declinedBy({ name }: Action, reason: string, { engine }: StepRun): ActionResult {
  return { ok: false, outcome: "refused", summary: `${name} was not done: ${engine.redact(reason)}` };
}

function resultOf(performed: Performed<ActionResult, unknown, ActionResult>, { name }: Action): ActionResult {
  if (performed.kind === "done") return performed.value;
  if (performed.kind === "declined") return performed.why;
  return { ok: false, outcome: "cut_off", summary: `${name} was cut off by a crash; it may have happened: look before repeating it` };
}

/** Tools are shared by the tasks of a process; so is what is known of their health. */
const guards = new WeakMap<StepEngine, ToolGuard>();

function guarded({ engine, signal }: StepRun, action: Action, work: () => Promise<ActionResult>): Promise<ActionResult> {
  const guard = guards.get(engine) ?? new ToolGuard(engine.clock);
  guards.set(engine, guard);
  return guard.run(action, work, signal);
}

async function actedEvents(run: StepRun, state: TaskState, done: readonly Done[]): Promise<NewEvent[]> {
  const step = state.pending?.step ?? state.step + 1;
  return Promise.all(
    done.map(async ({ index, action, args, result }) =>
      EVENTS.task.acted.create(
        {
          step,
          index,
          action: action.name,
          target: action.target(args),
          ok: result.ok,
          outcome: result.outcome,
          summary: result.summary,
          signature: result.newsKey === undefined || !result.ok ? signatureOf(action, args) : result.newsKey,
          files: result.files ?? [],
          ...(result.tracked === undefined ? {} : { tracked: result.tracked }),
          effects: result.effects ?? [],
          detail: result.detail === undefined || result.detail === "" ? undefined : await run.texts.put(result.detail),
          news: result.newsKey !== undefined && !state.seen.includes(result.newsKey),
        },
        { actor: actorOf(state) },
      ),
    ),
  );
}

function seesNews(state: TaskState, done: readonly Done[]): boolean {
  return done.some(({ result }) => result.newsKey !== undefined && !state.seen.includes(result.newsKey));
}

async function finish(
  run: StepRun,
  state: TaskState,
  { done, ending }: Awaited<ReturnType<typeof judgeCompletion>>,
  verified: Verified,
  heardAnswers: number,
): Promise<TaskState> {
  const step = state.pending?.step ?? state.step + 1;
  const events: NewEvent[] = await actedEvents(run, state, done);
  if (verified.fresh)
    events.push(EVENTS.task.verified.create({ step, checks: verified.checks, ready: verified.ready }, { actor: SYSTEM.engine }));
  for (const { result } of done)
    if (result.reproduction !== undefined)
      events.push(EVENTS.task.reproduced.create({ step, check: result.reproduction }, { actor: SYSTEM.engine }));
  const passing = verified.checks.filter((check) => check.passed).length;
  const last = done.at(-1);
  const record: StepRecord = {
    ...(state.current as StepRecord),
    actions: done.map(({ action, args, result }) => ({
      action: action.name,
      target: action.target(args),
      ok: result.ok,
      outcome: result.outcome,
      summary: result.summary,
      signature: signatureOf(action, args),
      tracked: result.tracked,
    })),
    news: seesNews(state, done),
    failing: verified.fresh ? verified.checks.filter((check) => !check.passed).map((check) => check.signature) : undefined,
  };
  const end = last?.action.ends;
  const said = (await loadTask(run.engine, state.created.id)).answers.slice(heardAnswers);
  const { question, ...verdict } = decide({
    type: run.type,
    state,
    record,
    result: last?.result,
    endAction: end,
    changed: done.some(({ result }) => (result.files?.length ?? 0) > 0),
    newlyPassing: verified.fresh && passing > state.bestPassing,
    news: seesNews(state, done),
    ready: verified.ready,
    checks: verified.checks,
    changedFiles: Object.keys(after(state, done).changedFiles),
    ending,
    unheard: said.length > 0,
  });
  const { why, report } = verdict;
  const asks = await asking(run.engine, state, `step/${step}`, { why, question, plan: why === "plan_ready" ? report : undefined });
  if (ending !== undefined && said.length > 0) events.push(EVENTS.task.advised.create({ text: SAID_MEANWHILE }, { actor: SYSTEM.engine }));
  events.push(EVENTS.task.decided.create({ step, ...verdict, ...asks }, { actor: SYSTEM.engine }));
  const next = await append(run, events);
  // The journal has the result now; what the command recorded beside it is no longer needed.
  if (done.some(({ action }) => action.effect === "process")) run.workspace.processes.forget(recordDirOf(run, state));
  return next;
}

/** The model cannot be had: the task waits, nothing is lost. */
async function pause(run: StepRun, state: TaskState, result: Extract<Asked, { kind: "unavailable" }>["result"]): Promise<TaskState> {
  const error = result.kind === "failed" || result.kind === "budget" ? result.error : undefined;
  const decided = EVENTS.task.decided.create(
    {
      step: state.step,
      decision: "paused",
      why: "model_unavailable",
      phase: state.phase,
      reason: error?.message ?? "stopped",
      progress: false,
      limit: state.limit,
      report: error?.fix,
      code: result.kind === "budget" ? "MODEL_BUDGET" : (error?.code ?? "STOPPED"),
    },
    { actor: SYSTEM.engine },
  );
  return append(run, [decided]);
}

export async function runStep(run: StepRun, state: TaskState): Promise<TaskState> {
  const { turns } = run.engine;
  let current = state;
  mustHaveTree(current);
  if (current.pending === undefined) {
    const context = await turns.with(() => contextFor(run, current));
    using _asking = tellAsking(run.engine, run.taskId, { step: current.step + 1, context });
    const asked = await askModel(run, current, current.step + 1, context);
    run.signal.throwIfAborted();
    if (asked.kind === "paused") return current;
    if (asked.kind === "unavailable") return await pause(run, current, asked.result);
    mustHaveTree(current);
    const calls = await callsOf(run, current, asked);
    current = await turns.with(() => recordAsked(run, current, context, asked, calls));
  }
  // A command, the formatter of a change, or a question to the index or a model, may take long; everything else is short and takes its turn.
  const runs =
    current.pending?.calls.some((call) => {
      const action = run.engine.registry.get(call.name, run.type);
      return action?.effect === "process" || action?.effect === "files" || action?.slow === true;
    }) === true;
  const performed = runs ? await performPending(run, current) : await turns.with(() => performPending(run, current));
  run.signal.throwIfAborted();
  const told = await Promise.all(
    performed.done.map(async (one) => ({ ...one, result: await changeNews(run, performed.state, one.result) })),
  );
  const done: Done[] = [];
  for (const one of told)
    done.push({ ...one, result: await reviewed(run, performed.state, one, performed.state.pending?.calls[one.index]?.note) });
  const verified = await verify(run, performed.state, done);
  const judged = await judgeCompletion(run, performed.state, done, verified);
  return turns.with(() => finish(run, performed.state, judged, verified, state.answers.length));
}
