/**
 * What the person wants, as it stands now. It is captured once; each thing the person says later makes the next revision,
 * and the earlier ones are kept. What a plan inferred never outranks what was said: whether it stands is decided here.
 */
import type { CHOICES } from "../protocol/index.ts";
import type { Intent, Plan } from "../protocol/plan/index.ts";

/** A plan as it is handed in. */
export type Draft = Omit<Plan, "left">;
type Assertion = Plan["assertions"][number];
type Left = Plan["left"][number];
type Level = (typeof CHOICES.inferredLevel)[number];

const NOT_WANTED = "Not wanted: ";
const plain = (text: string): string => text.replaceAll(/\s+/gu, " ").trim().toLowerCase();

const ON: Readonly<Record<Intent["said"][number]["on"], string>> = {
  reading: "Asked what this means, the person said",
  choice: "Of what this may mean, the person chose",
  plan: "Of the plan the person said",
  question: "Asked by the team, the person said",
  piece: "Of a piece of it the person said",
  addition: "While it was built the person added",
};

/** The first words as they are, then what was said since. */
export const goalOf = ({ words, said }: Intent): string => [words, ...said.map((one) => `${ON[one.on]}: ${one.words}`)].join("\n\n");

export const explicitOf = ({ criteria }: Intent): string[] => criteria.flatMap((one) => (one.source === "explicit" ? [one.text] : []));

export const criteriaLines = ({ criteria }: Intent): string[] =>
  criteria.map((one) => (one.source === "explicit" ? one.text : `${one.text} (not said by the person; ${one.level})`));

/** The same words in answer to the same question are said once. */
export function saidAlso(intent: Intent, one: Intent["said"][number]): Intent {
  const isKnown = one.question !== undefined && intent.said.some(({ question }) => question === one.question);
  if (one.words.trim() === "" || isKnown) return intent;
  return { ...intent, revision: intent.revision + 1, said: [...intent.said, one] };
}

export const unwanted = (intent: Intent, text: string): Intent => ({
  ...intent,
  revision: intent.revision + 1,
  constraints: [...intent.constraints, `${NOT_WANTED}${text}`],
});

/** What an approved plan adds to it. */
export function enriched(intent: Intent, { plan_version: version, plan }: { plan_version: number; plan: Plan }): Intent {
  const known = new Set(intent.criteria.map(({ text }) => text));
  const inferred = plan.assertions.flatMap((one) =>
    one.from === "inferred" && !known.has(one.text) ? [{ source: "inferred" as const, text: one.text, level: levelOf(one) }] : [],
  );
  if (inferred.length === 0) return intent;
  return {
    ...intent,
    revision: intent.revision + 1,
    criteria: [...intent.criteria, ...inferred],
    inferred_from: `plan ${version}`,
  };
}

const levelOf = ({ level = "recommended" }: Assertion): Level => level;

/** Why something inferred does not stand beside what the person said; undefined: it does. Explicit wins, whatever its level. */
function leftOut(one: Assertion, said: { constraints: readonly string[]; criteria: readonly string[] }): Left | undefined {
  const left = (why: Left["why"], what: string): Left => ({ text: one.text, level: levelOf(one), why, what });
  const refused = said.constraints.find((text) => plain(text) === plain(`${NOT_WANTED}${one.text}`));
  if (refused !== undefined) return left("removed", "you took it out");
  // Where the person set no limit there is nothing it could go against.
  const unsaid = said.constraints.length + said.criteria.length > 0 ? "undecided" : "unrelated";
  const { beside = unsaid, why = "" } = one;
  if (beside !== "unrelated") return left(beside, why);
  return levelOf(one) === "optional" && why === "" ? left("not_relevant", why) : undefined;
}

function withoutAssertions(plan: Plan, gone: ReadonlySet<string>): Plan {
  const nodes = plan.nodes.map((node) => ({ ...node, assertions: node.assertions.filter((id) => !gone.has(id)) }));
  const empty = new Set(
    nodes.filter((node, at) => node.assertions.length === 0 && plan.nodes[at]?.assertions.length !== 0).map(({ id }) => id),
  );
  // Whoever came after a piece that is gone comes after what that one needed.
  const needs = (id: string): string[] => (empty.has(id) ? (nodes.find((node) => node.id === id)?.after ?? []).flatMap(needs) : [id]);
  return {
    ...plan,
    assertions: plan.assertions.filter(({ id }) => !gone.has(id)),
    nodes: nodes.flatMap((node) => (empty.has(node.id) ? [] : [{ ...node, after: [...new Set(node.after.flatMap(needs))] }])),
  };
}

/** A plan with only those inferred assertions that stand, and a word on each of the others. */
export function settleInferred(draft: Draft, said: { constraints: readonly string[]; criteria: readonly string[] }): Plan {
  const left = new Map<string, Left>();
  for (const one of draft.assertions) {
    const out = one.from === "inferred" ? leftOut(one, said) : undefined;
    if (out !== undefined) left.set(one.id, out);
  }
  return withoutAssertions({ ...draft, left: [...left.values()] }, new Set(left.keys()));
}

/** What the user can take out of a plan by one word: what they did not ask for, unless nothing would be left of it. */
export const removable = ({ assertions }: Plan): Assertion[] => {
  const inferred = assertions.filter(({ from }) => from === "inferred");
  return inferred.length === assertions.length ? [] : inferred;
};

export function removeFrom(plan: Plan, one: Assertion): Plan {
  const left: Left = { text: one.text, level: levelOf(one), why: "removed", what: "you took it out" };
  return withoutAssertions({ ...plan, left: [...plan.left, left] }, new Set([one.id]));
}
