/**
 * Back to the Architect, who plans for the same assertions in another way: a piece that does not get there, with whatever
 * needs it, hearing how every try failed; or what the pieces together get wrong. What is merged stays.
 */
import type { Run } from "../journal/index.ts";
import { must } from "../kernel/index.ts";
import { EVENTS, SYSTEM } from "../protocol/events/index.ts";
import { PLAN, type Plan } from "../protocol/plan/index.ts";
import { failuresText, healthText } from "./assess.ts";
import { briefOf, INPUT, withInputs } from "./brief.ts";
import { anewProblems } from "./check-plan.ts";
import type { FlowParts } from "./parts.ts";
import { lastNumber } from "./piece-numbers.ts";
import type { PipelineState } from "./pipeline-state.ts";
import { planText } from "./plan-text.ts";
import { askUser, openTask, planTask, restFor, type Next } from "./request-hands.ts";
import type { RequestState } from "./request-state.ts";
import { triedText } from "./retry-briefing.ts";
import { runPhase } from "./run-phase.ts";
import { dependentsOf } from "./what-needs.ts";

type PlanNode = Plan["nodes"][number];

const BY = { actor: SYSTEM.engine };

/** What the Architect hears of what went wrong, and of what stands. */
function storyOf({ nodes, plan, skipped }: RequestState, failed: PipelineState, replaces: readonly string[]): string {
  const { node } = failed.opened;
  const others = nodes.filter(({ id }) => !replaces.includes(id) && !(id in skipped)).map(({ id, title }) => `${id} ${title}`);
  return [
    `The plan before:\n${planText(must(plan).plan)}`,
    `${node.id} ${node.title} did not get there. Tried, each in vain:\n${triedText(failed.tried)}`,
    `What is said of it now: ${failed.ended?.why ?? ""}`,
    ...(others.length === 0 ? [] : [`These stay as they are, built or under way: ${others.join("; ")}`]),
    `Plan ${replaces.join(", ")} anew, in another way: hand in only the pieces still to do.`,
  ].join("\n\n");
}

/** Under numbers that are still free; what comes after what keeps its order. */
function numbered(nodes: readonly PlanNode[], taken: number): PlanNode[] {
  const ids = new Map(nodes.map(({ id }, index) => [id, `n${taken + index + 1}`]));
  return nodes.map((node) => ({ ...node, id: must(ids.get(node.id)), after: node.after.map((id) => must(ids.get(id))) }));
}

/** Left out after all: no plan came of it. */
async function leave(run: Run<RequestState>, node: string, why: string): Promise<Next> {
  await run.append(EVENTS.request.skipped.create({ node, why }, BY));
  return "again";
}

type Planned = { nodes: PlanNode[]; task: string } | { next: Next } | { none: string };

/** The Architect plans some assertions anew, hearing `story`; its pieces get numbers that are free. `none`: why no plan came of it. */
export async function planAnew(
  parts: FlowParts,
  run: Run<RequestState>,
  { story, wanted, as }: { story: string; wanted: readonly string[]; as: "anew" | "mend" },
): Promise<Planned> {
  const { created, intent, assessed, plan, nodes, replanRound, replanRemarks } = run.state;
  const assertions = must(plan).plan.assertions.filter(({ id }) => wanted.includes(id));
  const task = await openTask(parts, run, "replan", replanRound);
  const remarks = replanRemarks.map((words) => `The user says of your last plan for this: ${words}`);
  const brief = withInputs(briefOf(intent, undefined, assertions), {
    // As it was found before the first plan.
    ...(assessed === undefined ? {} : { [INPUT.health]: healthText(assessed), [INPUT.failures]: failuresText(assessed) }),
    [INPUT.remarks]: [story, ...remarks].join("\n\n"),
    [INPUT[as]]: wanted.join(", "),
  });
  const rested = await restFor(parts, run, await runPhase(parts, planTask(created, task, brief), run.signal), task);
  if ("next" in rested) return rested;
  const { done } = rested;
  if (done.kind !== "complete") return { none: `the Architect found no other way: ${done.why}` };
  const text = done.task.outputs?.["plan"];
  const parsed = PLAN.plan.safeParse(typeof text === "string" ? JSON.parse(text) : undefined);
  if (!parsed.success) return { none: "the Architect found no other way: it handed in no plan" };
  const problems = anewProblems(parsed.data, brief.inputs) ?? [];
  if (problems.length > 0) return { none: `the Architect found no other way: ${problems.join("; ")}` };
  const said = await approved(parts, run, parsed.data);
  if (said !== "approved") return "next" in said ? said : { none: said.rejected };
  return { nodes: numbered(parsed.data.nodes, lastNumber(nodes)), task };
}

export async function replan(parts: FlowParts, run: Run<RequestState>, failed: PipelineState): Promise<Next> {
  const { nodes, pipelines } = run.state;
  const { id: node } = failed.opened.node;
  const replaces = [node, ...dependentsOf(run.state, node).filter((id) => !(id in pipelines))];
  const wanted = [...new Set(nodes.filter(({ id }) => replaces.includes(id)).flatMap((one) => one.assertions))];
  const anew = await planAnew(parts, run, { story: storyOf(run.state, failed, replaces), wanted, as: "anew" });
  if ("next" in anew) return anew.next;
  if ("none" in anew) return leave(run, node, anew.none);
  await run.append(EVENTS.request.replanned.create({ replaces, nodes: anew.nodes, task: anew.task }, BY));
  return "again";
}

/** Where the user approves plans, this one too. */
async function approved(parts: FlowParts, run: Run<RequestState>, anew: Plan): Promise<"approved" | { next: Next } | { rejected: string }> {
  const { created, replanRound, plan } = run.state;
  if (created.approve === "auto") return "approved";
  const said = await askUser(parts, run, "plan", `replan/${replanRound}`, "Is this how it should be done instead?", {
    kind: "plan",
    plan: planText(anew),
  });
  if ("next" in said) return said;
  if (said.value === "approve") return "approved";
  if (said.value === "reject")
    return { rejected: said.words === "" ? "the new plan was rejected" : `the new plan was rejected: ${said.words}` };
  await run.append(EVENTS.request.commented.create({ plan_version: must(plan).plan_version, words: said.words }, BY));
  return { next: "again" };
}
