/** What the look at the whole found goes to the Architect, who makes pieces of work of it; after some rounds to the user. */
import type { Run } from "../journal/index.ts";
import { must } from "../kernel/index.ts";
import { EVENTS, SYSTEM, type Payload } from "../protocol/events/index.ts";
import { cutText } from "./brief.ts";
import { blockedText, briefingOf, correctionsTo, fact, gated, type Correction } from "./gate.ts";
import type { FlowParts } from "./parts.ts";
import { planText } from "./plan-text.ts";
import { planAnew } from "./replan.ts";
import { askUser, end, withoutEvidence, type Next } from "./request-hands.ts";
import type { RequestState } from "./request-state.ts";

type Judged = Payload<"request.judged">;

const BY = { actor: SYSTEM.engine };
/** How a finding begins that says only that there was no review. */
export const NOT_REVIEWED = "nobody reviewed it";

const isPassed = ({ checks }: Judged): boolean => checks.every((check) => check.passed);

/** What nobody looked at cannot be mended by building more. */
const isOnlyUnseen = (judged: Judged): boolean =>
  isPassed(judged) && judged.findings.every((one) => !one.blocks || one.text.startsWith(NOT_REVIEWED));

/** Whose pieces of work it takes: what the findings speak of and what nothing shows, or where that is nothing everything. */
function assertionsOf(state: RequestState, { findings }: Judged): string[] {
  const all = must(state.plan).plan.assertions.map(({ id }) => id);
  const bare = new Set([...withoutEvidence(state), ...findings.flatMap((one) => (one.blocks ? (one.assertion ?? []) : []))]);
  const touched = all.filter((id) => bare.has(id));
  return touched.length === 0 ? all : touched;
}

const storyOf = ({ plan, nodes }: RequestState, corrections: readonly Correction[]): string =>
  [
    `The plan before:\n${planText(must(plan).plan)}`,
    `All of it is built and merged: ${nodes.map(({ id, title }) => `${id} ${title}`).join("; ")}`,
    `The whole was looked at, and this is wrong:\n${briefingOf(corrections)}`,
    "Plan what mends it: hand in only the pieces still to do. Where a test is what is wrong, say so in a piece's goal, with the test's name: its Tester corrects it before anybody builds.",
  ].join("\n\n");

/** The user says what is to become of it. */
async function askWhole(parts: FlowParts, run: Run<RequestState>, wrong: string): Promise<Next | "as it is"> {
  const message = `The pieces are built, and together they are not right:\n${cutText(wrong, 1_500)}`;
  const said = await askUser(parts, run, "whole", `whole/${run.state.looks}`, message, {
    kind: "choice",
    options: [
      { value: "merge", label: "take it as it is", hint: "into your folder, not called done" },
      { value: "stop", label: "stop here", hint: "nothing reaches your folder" },
    ],
  });
  if ("next" in said) return said.next;
  return said.value === "merge" ? "as it is" : end(run, "failed", "stopped: the whole is not right");
}

export async function repair(parts: FlowParts, run: Run<RequestState>, judged: Judged): Promise<Next | "as it is"> {
  const { repairs, intent, created } = run.state;
  const { sent, blocked } = gated(
    judged.findings.filter((one) => one.blocks),
    intent,
  );
  const corrections = [
    ...judged.checks.filter((check) => !check.passed).map((check) => fact(`${check.name} fails: ${check.summary}`, "", "tester")),
    ...sent,
  ];
  const wrong = [briefingOf(corrections), blockedText(blocked)].filter((text) => text !== "");
  if (repairs >= parts.limits.repairs || isOnlyUnseen(judged) || corrections.length === 0) return askWhole(parts, run, wrong.join("\n"));
  const anew = await planAnew(parts, run, { story: storyOf(run.state, corrections), wanted: assertionsOf(run.state, judged), as: "mend" });
  if ("next" in anew) return anew.next;
  if ("none" in anew) return askWhole(parts, run, [...wrong, anew.none].join("\n"));
  const round = repairs + 1;
  const message = correctionsTo("architect", run.state, `${created.id}/repair/${round}`, parts.clock.now(), corrections);
  await run.append(EVENTS.request.repairing.create({ round, nodes: anew.nodes, message }, BY));
  return "again";
}
