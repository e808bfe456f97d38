/** What every part of a request does: ask the user and rest, open a task of its own, look at its pieces, end. */
import type { Run, RunHandler } from "../journal/index.ts";
import { SylkError } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type Actor, type Payload } from "../protocol/events/index.ts";
import { newTaskId } from "./bring-together.ts";
import type { Brief } from "./brief.ts";
import { RAISE, raiseOwn } from "./budget.ts";
import type { FlowParts } from "./parts.ts";
import { pipelineView, type PipelineState } from "./pipeline-state.ts";
import { purposeKey, type RequestState } from "./request-state.ts";
import { stopTask, type PhaseEnd, type PhaseTask } from "./run-phase.ts";
import { dropWays } from "./ways.ts";
import { dropTestTree } from "./write-tests.ts";

export type Next = Awaited<ReturnType<RunHandler<RequestState>["advance"]>>;
type Why = Payload<"request.waits">["why"];
type Asked = Parameters<FlowParts["questions"]["put"]>[0]["ask"];

const BY = { actor: SYSTEM.engine };

/** Assertions that nothing shows, by number. */
export function withoutEvidence({ plan, judged }: RequestState): string[] {
  return (plan?.plan.assertions ?? []).map(({ id }) => id).filter((id) => judged?.evidence[id] === undefined);
}

/** What the person added and never came into a plan; said again later it may have. */
function notBuilt({ unbuilt, intent }: RequestState): string[] {
  const taken = new Set(intent.said.flatMap(({ on, words }) => (on === "addition" ? [words] : [])));
  return unbuilt.flatMap(({ words, why }) => (taken.has(words) ? [] : [`you added: ${words}; not built: ${why}`]));
}

/** Nothing that the person added and that is not built ends as done. */
export async function end(
  run: Run<RequestState>,
  how: Payload<"request.ended">["how"],
  summary: string,
  files: string[] = [],
  /** What else the user should know of. */
  notes: string[] = [],
): Promise<Next> {
  const { plan, skipped, judged, nodes } = run.state;
  const bare = how === "done" ? withoutEvidence(run.state) : [];
  if (bare.length > 0)
    throw new SylkError({ code: "REQUEST_WITHOUT_EVIDENCE", tier: "permanent", message: `done, and nothing shows ${bare.join(", ")}` });
  const left = Object.entries(skipped).map(([id, why]) => `${id} ${nodes.find((node) => node.id === id)?.title ?? ""}: ${why}`);
  const missed = notBuilt(run.state);
  const deferred = [...(plan?.plan.deferred ?? []), ...left, ...missed, ...notes];
  const isShort = how === "done" && missed.length > 0;
  const ending = isShort ? { how: "not_shown" as const, summary: `${summary}\nNot built: what you added` } : { how, summary };
  await run.append(EVENTS.request.ended.create({ ...ending, deferred, files, evidence: judged?.evidence ?? {} }, BY));
  return "again";
}

/** The answer to a question of the request; while there is none it rests. Asked again under the same key it is the same question. */
export async function askUser(
  { questions }: FlowParts,
  run: Run<RequestState>,
  why: Why,
  key: string,
  message: string,
  ask: Asked,
): Promise<{ value: string; words: string } | { next: Next }> {
  const { id } = run.state.created;
  const question = await questions.put({ asker: { kind: "request", id }, session: id, key, message, ask, by: SYSTEM.engine });
  if (question.answer?.kind === "chosen") return { value: question.answer.value, words: question.answer.words ?? "" };
  if (run.state.waits?.question !== question.id)
    await run.append(EVENTS.request.waits.create({ why, question: question.id, text: message }, BY));
  return { next: { wait: { stream: STREAMS.question(id, question.id), after: 1 } } };
}

/** The money is spent: more of it, or the end. */
async function askBudget(parts: FlowParts, run: Run<RequestState>, why: string): Promise<Next> {
  const said = await askUser(parts, run, "budget", `budget/${run.state.created.budget_usd ?? 0}`, why, {
    kind: "choice",
    options: [RAISE, { value: "stop", label: "stop here", hint: "nothing reaches your folder" }],
  });
  if ("next" in said) return said.next;
  if (said.value !== RAISE.value) return end(run, "failed", `stopped by you: ${why}`);
  await raiseOwn(run, said.words);
  return "again";
}

/** No model can be had: asked for again when the user says so, or the end. */
async function askModel(parts: FlowParts, run: Run<RequestState>, why: string): Promise<Next> {
  const said = await askUser(parts, run, "model", `model/${run.state.resumedAt}`, why, {
    kind: "choice",
    options: [
      { value: "again", label: "try again", hint: "it goes on where it stood" },
      { value: "stop", label: "stop here", hint: "nothing reaches your folder" },
    ],
  });
  if ("next" in said) return said.next;
  if (said.value !== "again") return end(run, "failed", `stopped by you: ${why}`);
  await run.append(EVENTS.request.resumed.create({}, BY));
  return "again";
}

type Resting = Extract<PhaseEnd, { kind: "asks" | "paused" | "spent" | "no_model" }>;

/** What a task of the request itself rests for; or what it came to. */
export async function restFor(
  parts: FlowParts,
  run: Run<RequestState>,
  done: PhaseEnd,
  task: string,
): Promise<{ next: Next } | { done: Exclude<PhaseEnd, Resting> }> {
  switch (done.kind) {
    case "asks":
      return { next: await restForTask(run, done, task) };
    case "paused":
      return { next: "again" };
    case "spent":
      return { next: await askBudget(parts, run, done.why) };
    case "no_model":
      return { next: await askModel(parts, run, done.why) };
    default:
      return { done };
  }
}

async function restForTask(run: Run<RequestState>, done: Extract<PhaseEnd, { kind: "asks" }>, task: string): Promise<Next> {
  if (run.state.waits?.question !== done.question)
    await run.append(EVENTS.request.waits.create({ why: "task_asks", question: done.question, text: done.text }, BY));
  return { wait: { stream: STREAMS.question(task, done.question), after: 1 } };
}

/** The Architect's task, for a first plan and for another. */
export function planTask(created: RequestState["created"], id: string, brief: Brief): PhaseTask {
  return {
    id,
    type: "plan_request",
    role: "architect",
    ...brief,
    checks: [],
    model: created.model,
    profile: created.profile,
    maxSteps: undefined,
    session: created.id,
    folder: ".",
  };
}

export async function openTask(
  parts: FlowParts,
  run: Run<RequestState>,
  purpose: Payload<"request.task_opened">["purpose"],
  round: number,
): Promise<string> {
  const known = run.state.tasks[purposeKey(purpose, round)];
  if (known !== undefined) return known;
  const task = newTaskId(parts);
  await run.append(EVENTS.request.taskOpened.create({ purpose, round, task }, BY));
  return task;
}

export async function pipelinesOf({ store }: Pick<FlowParts, "store">, state: RequestState): Promise<Map<string, PipelineState>> {
  const found = new Map<string, PipelineState>();
  for (const [node, id] of Object.entries(state.pipelines)) {
    const pipeline = await store.journal.get(pipelineView, STREAMS.pipeline(id));
    if (pipeline !== undefined) found.set(node, pipeline);
  }
  return found;
}

/** Whatever of it is still at work stops, or only these pieces: nothing of it is waited for, and nobody asks for it. */
export async function stopPieces(
  parts: FlowParts,
  state: RequestState,
  reason: string,
  { actor = SYSTEM.engine, only }: { actor?: Actor; only?: readonly string[] } = {},
): Promise<void> {
  for (const [node, { opened, ended, tasks }] of await pipelinesOf(parts, state)) {
    if (only?.includes(node) === false) continue;
    if (only !== undefined) await withdraw(parts, [opened.id, ...tasks], reason);
    if (ended !== undefined) continue;
    await parts.store.journal.append(STREAMS.pipeline(opened.id), "any", [
      EVENTS.pipeline.ended.create({ how: "cancelled", why: reason }, { actor }),
    ]);
    for (const task of tasks) await stopTask(parts, task, reason);
  }
}

/** Nobody will look for these answers any more. */
async function withdraw({ questions }: FlowParts, askers: readonly string[], why: string): Promise<void> {
  for (const asker of askers)
    for (const question of await questions.list(asker))
      if (question.status === "open") await questions.withdraw(question.id, why, SYSTEM.engine);
}

/** Work that is whole and not in the user's folder stays where it is; of everything else what was not merged stays reachable by a ref. */
export async function tidy(parts: FlowParts, state: RequestState): Promise<void> {
  for (const { tree, ended, attempt } of (await pipelinesOf(parts, state)).values())
    if (tree !== undefined && ended?.how !== "merged") {
      await dropTestTree(parts, tree, attempt);
      await dropWays(parts, tree);
      await parts.trees.discard(tree);
    }
  const own = [state.created.id, ...Object.values(state.pipelines), ...Object.values(state.tasks)];
  const tasks = [...(await pipelinesOf(parts, state)).values()].flatMap((piece) => piece.tasks);
  await withdraw(parts, [...own, ...tasks], "its request has ended");
  const { ended, judged } = state;
  const isKept = judged !== undefined && ended?.how !== "done" && ended?.how !== "cancelled" && ended?.files.length === 0;
  if (!isKept) await discardCommon(parts, state);
}

/** Of a request that ended, also what was kept for the user. */
export async function throwAway(parts: FlowParts, state: RequestState): Promise<void> {
  await tidy(parts, state);
  await discardCommon(parts, state);
}

async function discardCommon({ trees }: FlowParts, { baseline, integration }: RequestState): Promise<void> {
  const common = integration?.tree ?? baseline?.tree;
  if (common !== undefined) await trees.discard(common);
}
