/**
 * The plan, changed for what the person adds while it is carried out. What is merged stays; a piece that the new plan holds
 * word for word goes on; any other that was not merged is stopped, and its tree kept to the end of the request. Nothing is
 * merged from the moment the person spoke until the new plan is decided.
 */
import type { Run, Store } from "../journal/index.ts";
import { must } from "../kernel/index.ts";
import { EVENTS, STREAMS, SYSTEM } from "../protocol/events/index.ts";
import { PLAN, type Plan } from "../protocol/plan/index.ts";
import { assertionLine } from "./brief.ts";
import type { FlowParts } from "./parts.ts";
import { lastNumber, numberOf } from "./piece-numbers.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { planText } from "./plan-text.ts";
import { pipelinesOf, stopPieces, type Next } from "./request-hands.ts";
import { requestView, type RequestState } from "./request-state.ts";
import { stopTask } from "./run-phase.ts";

type PlanNode = Plan["nodes"][number];
type Assertion = Plan["assertions"][number];
type Known = ReadonlyMap<string, PipelineState>;

const BY = { actor: SYSTEM.engine };
const plain = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();
const sorted = (values: readonly string[]): string => values.toSorted().join("\n");
const names = (nodes: readonly PlanNode[]): string => nodes.map(({ id, title }) => `${id} ${title}`).join("; ");

/** Merged, or in the middle of it: nothing of it can be taken out any more. */
function isMerged(known: Known, id: string): boolean {
  const piece = known.get(id);
  return piece?.merged !== undefined || (piece?.merging !== undefined && piece.ended === undefined);
}

/** What is merged, and what may still change. */
function partsOf({ nodes, skipped }: RequestState, known: Known): { merged: PlanNode[]; open: PlanNode[] } {
  const live = nodes.filter(({ id }) => !(id in skipped));
  return { merged: live.filter(({ id }) => isMerged(known, id)), open: live.filter(({ id }) => !isMerged(known, id)) };
}

/** What is merged, and what was let go, is waited for no more. */
function waitingOnly(nodes: readonly PlanNode[]): PlanNode[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.map((node) => ({ ...node, after: node.after.filter((id) => ids.has(id)) }));
}

/** Assertions that are told to hold no more, and why: `A1: why`, and no other words count as that. */
const letGo = ({ deferred }: Pick<Plan, "deferred">): Map<string, string> =>
  new Map(deferred.flatMap((line) => [...line.matchAll(/^(A\d+): *(\S.*)$/gsu)].map(([, id = "", why = ""]) => [id, why] as const)));

/** What the Architect hears of how far it is; the ids of what is merged. */
export function amendStory(state: RequestState, known: Known): { merged: string; told: string } {
  const { plan } = must(state.amending).plan;
  const { merged, open } = partsOf(state, known);
  const begun = open.filter(({ id }) => known.has(id));
  const left = waitingOnly(open);
  return {
    merged: merged.length === 0 ? "none yet" : names(merged),
    told: [
      `The plan that is being carried out:\n${planText({ ...plan, nodes: left })}`,
      ...(begun.length === 0
        ? []
        : [`Under way: ${names(begun)}. What you change of these is stopped and begun anew; rather add a piece.`]),
      ...heldCriteria(plan),
      "Change it for what the person adds: hand in only the pieces still to do. One that stays is written word for word, with its number.",
      "So is an assertion, built or not: its number, its words and how it is shown. What is to be different or is new gets the next number.",
      "Of those above each is brought about by a piece you hand in or by a merged one, or it is in the plan no more and `deferred` says why,",
      "beginning with its number and a colon (`A1: why`).",
    ].join("\n"),
  };
}

/** Which of the person's own criteria each assertion holds. */
function heldCriteria({ assertions }: Plan): string[] {
  const held = assertions.flatMap(({ id, criteria = [] }) => (criteria.length === 0 ? [] : [`${id} holds ${criteria.join(", ")}`]));
  return held.length === 0 ? [] : [`Of the person's criteria, by number: ${held.join("; ")}.`];
}

/** Whether it is the very piece that stands; that assertions of one number are the same is seen to elsewhere. */
const isSame = (one: PlanNode, old: PlanNode): boolean =>
  plain(one.goal) === plain(old.goal) && sorted(one.files) === sorted(old.files) && sorted(one.assertions) === sorted(old.assertions);

/** Whether it says what the old one says and is shown as that was; criteria that are not named are those of the old one. */
const isKept = (one: Assertion, old: Assertion): boolean =>
  plain(one.text) === plain(old.text) &&
  one.shown_by === old.shown_by &&
  plain(one.command ?? "") === plain(old.command ?? "") &&
  sorted((one.criteria ?? old.criteria ?? []).map(String)) === sorted((old.criteria ?? []).map(String));

/** Numbers that are free for whatever is new or changed; what stays keeps its own. A merged one that is handed in once more, under whatever number, is done. */
function numbered(state: RequestState, known: Known, draft: Plan): PlanNode[] {
  const { merged, open } = partsOf(state, known);
  const done = new Set(draft.nodes.filter((node) => merged.some((old) => isSame(node, old))).map(({ id }) => id));
  const todo = draft.nodes.filter(({ id }) => !done.has(id)).map((node) => ({ ...node, after: node.after.filter((id) => !done.has(id)) }));
  const stays = new Set<string>();
  // One that waits for a changed one waits for something else from now on, unless it began already.
  for (let grew = true; grew;) {
    const more = todo.filter((node) => {
      const old = open.find(({ id }) => id === node.id);
      if (stays.has(node.id) || old === undefined || !isSame(node, old)) return false;
      const needs = old.after.filter((id) => open.some((one) => one.id === id));
      return known.has(node.id) || (sorted(needs) === sorted(node.after) && needs.every((id) => stays.has(id)));
    });
    for (const { id } of more) stays.add(id);
    grew = more.length > 0;
  }
  let last = lastNumber(state.nodes);
  const ids = new Map(todo.map(({ id }) => [id, stays.has(id) ? id : `n${(last += 1)}`]));
  return todo.map((node) => {
    const old = stays.has(node.id) ? open.find(({ id }) => id === node.id) : undefined;
    return old ?? { ...node, id: must(ids.get(node.id)), after: node.after.map((id) => must(ids.get(id))) };
  });
}

/** As many as a plan may defer. */
const MAX_DEFERRED = 20;

/** What is more than a plan can hold together with what is merged, and the plan as far as it can. */
function bounded(plan: Plan): { plan: Plan; problems: string[] } {
  const { nodes, assertions } = plan;
  const { nodes: most, number } = PLAN.most;
  const known = nodes.filter(({ id }) => numberOf(id) <= number);
  const over = (count: number, what: string): string[] =>
    count > most ? [`${count} ${what} with what is merged, at most ${most} can be`] : [];
  return {
    plan: { ...plan, nodes: known.slice(0, most), assertions: assertions.slice(0, most) },
    problems: [
      ...over(nodes.length, "pieces"),
      ...over(assertions.length, "assertions"),
      ...(known.length < nodes.length ? [`no number is left for more pieces: the last one is n${number}`] : []),
    ],
  };
}

/** What is wrong with how a changed plan treats the assertions of the one before. */
function lost(before: Plan, draft: Plan, held: ReadonlySet<string>): string[] {
  const gone = letGo(draft);
  const now = new Map(draft.assertions.map((one) => [one.id, one]));
  return [
    ...before.assertions.flatMap((old) => {
      const { id } = old;
      const one = now.get(id);
      if (one !== undefined && !isKept(one, old))
        return [
          `${assertionLine(old)} is handed in as something else: what is to be different gets a number of its own, and \`deferred\` says why ${id} holds no more (\`${id}: why\`)`,
        ];
      if (one !== undefined && gone.has(id)) return [`${id} is in the plan, and \`deferred\` says that it holds no more: only one can be`];
      return held.has(id) || gone.has(id)
        ? []
        : [`${id} is in no piece any more: bring it about, or say in \`deferred\` why it holds no more (\`${id}: why\`)`];
    }),
    // What showed the old one would show this one too.
    ...[...letGo(before).keys()].filter((id) => now.has(id)).map((id) => `${id} was let go before: what is new gets a number of its own`),
  ];
}

/** The whole plan as it would stand, what is merged included; and what is wrong with it. */
export function amended(state: RequestState, known: Known, draft: Plan): { plan: Plan; problems: string[] } {
  const before = must(state.amending).plan.plan;
  const { merged } = partsOf(state, known);
  const gone = letGo(draft);
  const built = new Set(merged.flatMap((node) => node.assertions));
  const named = new Set(draft.assertions.map(({ id }) => id));
  const stays = before.assertions.filter(({ id }) => built.has(id) && !named.has(id) && !gone.has(id));
  const asBefore = (one: Assertion): Assertion => before.assertions.find((old) => old.id === one.id && isKept(one, old)) ?? one;
  const assertions = [...stays, ...draft.assertions.map(asBefore)].toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
  const held = new Set(assertions.map(({ id }) => id));
  const kept = merged
    .map((node) => ({ ...node, assertions: node.assertions.filter((id) => held.has(id)), after: [] }))
    .filter((node) => node.assertions.length > 0);
  // What was let go for something the person added earlier is still told.
  const earlier = [...letGo(before)].flatMap(([id, why]) => (gone.has(id) ? [] : [`${id}: ${why}`]));
  const deferred = [...earlier, ...draft.deferred];
  const tooMany = deferred.length > MAX_DEFERRED ? [`${deferred.length} lines are \`deferred\`, at most ${MAX_DEFERRED} can be`] : [];
  const nodes = [...kept, ...waitingOnly(numbered(state, known, draft))];
  const { plan, problems } = bounded({ ...draft, assertions, nodes, deferred: deferred.slice(0, MAX_DEFERRED) });
  return { plan, problems: [...lost(before, draft, held), ...tooMany, ...problems] };
}

/** In a line each: which pieces go on, are stopped, are new; what is to be true beside, and what holds no more. */
export function amendText(state: RequestState, plan: Plan, known: Known): string {
  const { open } = partsOf(state, known);
  const planned = new Set(plan.nodes.map(({ id }) => id));
  const old = new Set(state.nodes.map(({ id }) => id));
  const said = (label: string, nodes: readonly PlanNode[]): string[] => (nodes.length === 0 ? [] : [`${label} ${names(nodes)}`]);
  const before = must(state.amending).plan.plan.assertions;
  const without = (all: readonly Assertion[], some: readonly Assertion[]): Assertion[] =>
    all.filter(({ id }) => some.every((one) => one.id !== id));
  const reasons = letGo(plan);
  return [
    ...said(
      "goes on:",
      open.filter(({ id }) => planned.has(id)),
    ),
    ...said(
      "is stopped or left out:",
      open.filter(({ id }) => !planned.has(id)),
    ),
    ...said(
      "is new:",
      plan.nodes.filter(({ id }) => !old.has(id)),
    ),
    ...without(plan.assertions, before).map((one) => `is to be true beside: ${assertionLine(one)}`),
    ...without(before, plan.assertions).map((one) => `holds no more: ${assertionLine(one)}: ${reasons.get(one.id) ?? "you took it out"}`),
  ].join("\n");
}

/** Carries the approved change out: stops what is not in the plan any more, and lets begin what is new. */
export async function amend(parts: FlowParts, run: Run<RequestState>): Promise<Next> {
  const { state } = run;
  const { plan, plan_version: version, task } = must(state.plan);
  const known = await pipelinesOf(parts, state);
  const planned = new Set(plan.nodes.map(({ id }) => id));
  const old = new Set(state.nodes.map(({ id }) => id));
  const { merged, open } = partsOf(state, known);
  const gone = letGo(plan);
  // It was in the middle of its merge when the person spoke: the plan did not know yet.
  const late = merged.filter(({ id, assertions }) => !planned.has(id) && !assertions.every((one) => gone.has(one)));
  if (late.length > 0) {
    await run.append(EVENTS.request.refused.create({ plan_version: version, problems: [`merged meanwhile: ${names(late)}`] }, BY));
    return "again";
  }
  const replaces = open.flatMap(({ id }) => (planned.has(id) ? [] : [id]));
  const because = "the plan was changed for what you added";
  await stopPieces(parts, state, because, { only: replaces });
  for (const [purpose, id] of Object.entries(state.tasks)) if (purpose.startsWith("inspect ")) await stopTask(parts, id, because);
  const nodes = plan.nodes.filter(({ id }) => !old.has(id));
  parts.log.info("the plan was changed", { request: state.created.id, version, stopped: replaces, begun: nodes.map(({ id }) => id) });
  await run.append(EVENTS.request.replanned.create({ replaces, nodes, task }, BY));
  return "again";
}

/** What was added is not built: the plan before stands. */
export async function leaveUnchanged(run: Run<RequestState>, version: number, how: "failed" | "rejected", why: string): Promise<Next> {
  await run.append(EVENTS.request.unchanged.create({ plan_version: version, why, rejected: how === "rejected" }, BY));
  return "again";
}

/** Until when a piece waits with its merge; undefined: the plan is not being changed. */
export async function whileAmending({ journal }: Store, request: string): Promise<Next | undefined> {
  const stream = STREAMS.request(request);
  // Measured first, so that what is decided meanwhile is not slept through.
  const after = await journal.head(stream);
  const state = await journal.get(requestView, stream);
  return state?.amending === undefined ? undefined : { wait: { stream, after } };
}
