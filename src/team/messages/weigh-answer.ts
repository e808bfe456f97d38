/**
 * What whoever asked makes of an answer, worked out and not guessed: how sure the whole chain is, which limits of the
 * person the answer leaves unmet, and whether to go on, to ask somebody else, or to ask the user.
 */
import type { Payload } from "../../protocol/events/index.ts";
import type { Message } from "./send-message.ts";

type Weighed = Payload<"message.weighed">;
type Decision = Weighed["decision"];

/** From this much on, in this order. */
const BANDS: readonly (readonly [from: number, decision: Decision])[] = [
  [0.65, "continue"],
  [0.5, "query_other"],
  [0, "escalate"],
];
const ORDER: readonly Decision[] = ["continue", "query_other", "escalate"];

/** The newest word of each counts; the product of all, and the least of them. */
function sureness(chain: Message["confidence"]): { cumulative: number; least: number } {
  const newest = [...new Map(chain.map(({ agent, confidence }) => [agent, confidence])).values()];
  const cumulative = newest.reduce((product, one) => product * one, 1);
  return { cumulative: Math.round(cumulative * 100_000) / 100_000, least: Math.min(1, ...newest) };
}

/** `others`: whom it could still ask; `asksUser`: whether it is its place to ask the user. */
export function weighAnswer(answer: Message, { others, asksUser }: { others: readonly string[]; asksUser: boolean }): Weighed {
  const { cumulative, least } = sureness(answer.confidence);
  const unmet = answer.body.kind === "answer" ? answer.body.unmet : [];
  const band = ORDER.indexOf(BANDS.find(([from]) => cumulative >= from)?.[1] ?? "escalate");
  // A limit that is not met weighs one step more than the figure alone.
  const wanted = ORDER[Math.min(ORDER.length - 1, band + (unmet.length > 0 ? 1 : 0))] ?? "escalate";
  const { decision, why } = possible(wanted, unmet.length > 0, others, asksUser);
  return {
    id: answer.id,
    by: answer.to,
    decision,
    cumulative,
    least,
    unmet_constraints: [...unmet],
    rationale: `together ${cumulative.toFixed(2)} sure${unmet.length === 0 ? "" : `, not met: ${unmet.join("; ")}`}: ${why}`,
  };
}

/** Whoever knows is asked before the user; whoever was itself asked leaves the user to its asker. */
function possible(wanted: Decision, isUnmet: boolean, others: readonly string[], asksUser: boolean): { decision: Decision; why: string } {
  if (wanted === "continue") return { decision: "continue", why: "go on" };
  if (others.length > 0) return { decision: "query_other", why: `ask ${others.join(" or ")} too` };
  if (!asksUser) return { decision: "continue", why: "say to whoever asked you how far it goes" };
  return wanted === "escalate" || isUnmet
    ? { decision: "escalate", why: "everybody who could know was asked: the person decides" }
    : { decision: "continue", why: "everybody who could know was asked: go on with care" };
}
