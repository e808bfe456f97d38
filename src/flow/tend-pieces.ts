/**
 * The pieces of a request: which may begin, which are held up, which are let go. Worked out anew at every look from what
 * the journal says.
 */
import type { Run } from "../journal/index.ts";
import { must, newId } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM, type NewEvent, type Payload } from "../protocol/events/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import { judgeWhole } from "./judge-whole.ts";
import { kindOf, tooLate, type FlowParts } from "./parts.ts";
import { isAtWork, type PipelineState } from "./pipeline-state.ts";
import { replan } from "./replan.ts";
import { askUser, end, pipelinesOf, type Next } from "./request-hands.ts";
import type { RequestState } from "./request-state.ts";
import { blockedBy, isMet, needsOf } from "./what-needs.ts";

type PlanNode = Plan["nodes"][number];

const BY = { actor: SYSTEM.engine };
/** How often memory is looked at while there is too little of it. */
const ROOM_LOOK_MS = 2_000;

/** Pieces that may begin: what they need is merged, somebody has hands free, and nobody at work changes the same files. */
function ready(state: RequestState, known: ReadonlyMap<string, PipelineState>, writers: number): PlanNode[] {
  const atWork = state.nodes.filter((node) => {
    const piece = known.get(node.id);
    return piece !== undefined && isAtWork(piece);
  });
  const started: PlanNode[] = [];
  for (const node of state.nodes) {
    if (node.id in state.pipelines || node.id in state.skipped || !needsOf(state, node).every((id) => isMet(state, known, id))) continue;
    const now = [...atWork, ...started];
    if (now.length >= writers) break;
    if (!now.some((other) => other.files.some((file) => node.files.includes(file)))) started.push(node);
  }
  return started;
}

async function spawn(parts: FlowParts, run: Run<RequestState>, node: PlanNode): Promise<void> {
  const { created, plan, integration, pipelines } = run.state;
  const id = pipelines[node.id] ?? newId("pipe", parts.clock.now());
  if (pipelines[node.id] === undefined) await run.append(EVENTS.request.spawned.create({ node: node.id, pipeline: id }, BY));
  const { tree, failing } = must(integration);
  const opened: Payload<"pipeline.opened"> = {
    id,
    request: created.id,
    node,
    assertions: must(plan).plan.assertions.filter((one) => node.assertions.includes(one.id)),
    ...(created.model === undefined ? {} : { model: created.model }),
    profile: created.profile,
    ...(created.budget_usd === undefined ? {} : { budget_usd: created.budget_usd }),
    checks: created.checks,
    allowed: run.state.allowed,
    integration: tree,
    failing_before: failing,
  };
  const stream = STREAMS.pipeline(id);
  if ((await parts.store.journal.head(stream)) === 0)
    await parts.store.journal.append(stream, 0, [EVENTS.pipeline.opened.create(opened, BY)]);
  await parts.store.work.offer([{ key: stream, kind: kindOf(created.id) }]);
}

/** What is told of a piece that ended without a merge, or that needs one left out; undefined: there is nothing to tell. */
function leftOut(state: RequestState, known: ReadonlyMap<string, PipelineState>, node: PlanNode): NewEvent | undefined {
  const own = known.get(node.id)?.ended;
  if (node.id in state.skipped || own?.how === "merged") return undefined;
  if (own !== undefined) return EVENTS.request.skipped.create({ node: node.id, why: own.why, goes_on: own.how === "without" }, BY);
  const needs = known.has(node.id) ? undefined : needsOf(state, node).find((id) => id in state.skipped && !isMet(state, known, id));
  return needs === undefined
    ? undefined
    : EVENTS.request.skipped.create({ node: node.id, why: `it needs ${needs}, which was left out` }, BY);
}

/** Whoever is held up is told so, and told when it no longer is. */
function heldUp(state: RequestState, known: ReadonlyMap<string, PipelineState>, noRoomFor: readonly string[]): NewEvent[] {
  const now = blockedBy(state, known, noRoomFor);
  return [
    ...[...now].flatMap(([node, { by, why }]) =>
      state.blocked[node] === by ? [] : [EVENTS.request.blocked.create({ node, by, why }, BY)],
    ),
    ...Object.keys(state.blocked).flatMap((node) =>
      now.has(node) || node in state.skipped ? [] : [EVENTS.request.unblocked.create({ node }, BY)],
    ),
  ];
}

/** Begins what may begin, lets go what waits for something left out, and rests until a piece of work does. */
export async function tend(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const after = await parts.store.journal.head(run.id);
  const { state } = run;
  // Written down and never opened: whoever wrote it died. What was left out meanwhile stays so.
  for (const node of state.nodes) if (node.id in state.pipelines && !(node.id in state.skipped)) await reopen(parts, run, node);
  const known = await pipelinesOf(parts, state);
  for (const node of state.nodes) {
    const own = known.get(node.id);
    if (own?.ended?.how === "aborted") return end(run, "failed", `stopped by you at ${node.id}: ${own.ended.why}`);
    if (own?.ended?.how === "replanned" && !(node.id in state.skipped)) return replan(parts, run, own);
    const told = leftOut(state, known, node);
    if (told === undefined) continue;
    await run.append(told);
    return "again";
  }
  const able = ready(state, known, parts.limits.writers);
  const hasRoom = able.length === 0 || parts.hasRoom();
  const next = hasRoom ? able : [];
  for (const node of next) await spawn(parts, run, node);
  const told = heldUp(state, known, hasRoom ? [] : able.map(({ id }) => id));
  if (told.length > 0) await run.append(...told);
  if (next.length > 0 || told.length > 0) return "again";
  if (state.nodes.every((node) => node.id in state.skipped || known.get(node.id)?.ended !== undefined)) return judgeWhole(parts, run);
  const until = await untilLate(parts, state, known);
  if (hasRoom) return { wait: { stream: run.id, after, until } };
  if ([...known.values()].some(isAtWork)) return { wait: { stream: run.id, after, until: parts.clock.now() + ROOM_LOOK_MS } };
  return waitForRoom(parts, run);
}

/** Nobody is at work who would wake it: it looks again by itself, for as long as a piece may take. */
async function waitForRoom(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { clock, limits } = parts;
  if (clock.now() - run.state.updatedAt < limits.pipelineMs) {
    await clock.sleep(ROOM_LOOK_MS, run.signal);
    return "again";
  }
  const said = await askUser(parts, run, "memory", `memory/${run.state.resumedAt}`, "There is still no memory for its pieces.", {
    kind: "choice",
    options: [
      { value: "again", label: "wait on", hint: "or free memory, or raise team.memory_mark" },
      { value: "stop", label: "stop here", hint: "nothing reaches your folder" },
    ],
  });
  if ("next" in said) return said.next;
  if (said.value === "stop") return end(run, "failed", "stopped by you: there was no memory for its pieces");
  await run.append(EVENTS.request.resumed.create({}, BY));
  return "again";
}

/** Pieces at work past their time are told so, whoever holds them; when to look again for the next. */
async function untilLate(parts: FlowParts, state: RequestState, known: ReadonlyMap<string, PipelineState>): Promise<number | undefined> {
  const { clock, limits, store } = parts;
  const now = clock.now();
  const ends: number[] = [];
  for (const piece of known.values()) {
    const { opened, since, late } = piece;
    if (!isAtWork(piece) || late !== undefined) continue;
    const by = Math.max(since, state.resumedAt) + limits.pipelineMs;
    if (by > now) ends.push(by);
    else
      await store.journal.append(STREAMS.pipeline(opened.id), "any", [
        EVENTS.pipeline.late.create({ why: tooLate("it was not merged", limits.pipelineMs, "team.pipeline_timeout").message }, BY),
      ]);
  }
  return ends.length === 0 ? undefined : Math.min(...ends);
}

async function reopen(parts: FlowParts, run: Run<RequestState>, node: PlanNode): Promise<void> {
  const id = run.state.pipelines[node.id];
  if (id !== undefined && (await parts.store.journal.head(STREAMS.pipeline(id))) === 0) await spawn(parts, run, node);
}
