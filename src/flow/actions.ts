/** What agents of a flow may do beside what every task may: hand in a plan or a review, say that it cannot be done. */
import { z } from "zod";
import { PLAN } from "../protocol/plan/index.ts";
import type { Store } from "../journal/index.ts";
import { defineAction, type StepExtension } from "../step/index.ts";
import { INPUT } from "./brief.ts";
import { anewProblems, inOneLine, planProblems } from "./check-plan.ts";
import { settleInferred, type Draft } from "./intent.ts";
import { saidBefore } from "./said-before.ts";
import { unnamed } from "./shown-tests.ts";

const submitPlan = defineAction<Draft>({
  name: "submit_plan",
  summary: "Hand in the plan. Ends the task.",
  effect: "none",
  ends: "complete",
  schema: PLAN.draft,
  target: () => "",
  execute(given, { state }) {
    const args = inOneLine(given);
    const { constraints, criteria, inputs } = state.created;
    const anew = anewProblems(args, inputs);
    // Of a plan that is changed, criteria may be held by what is merged: that is looked at with the whole of it.
    const asIs = anew ?? planProblems(args, INPUT.changed in inputs ? "elsewhere" : criteria);
    // What is planned anew was settled with the plan before.
    const plan = asIs.length > 0 ? undefined : anew === undefined ? settleInferred(args, { constraints, criteria }) : { ...args, left: [] };
    const problems = plan?.assertions.length === 0 ? ["nothing in it is what the person asked for"] : asIs;
    if (problems.length > 0)
      return Promise.resolve({ ok: false, outcome: "refused", summary: `the plan cannot be carried out: ${problems.join("; ")}` });
    return Promise.resolve({
      ok: true,
      outcome: "complete",
      summary: args.summary,
      detail: args.summary,
      outputs: { plan: JSON.stringify(plan) },
    });
  },
});

const review = z.object({ summary: z.string().min(1), findings: z.array(PLAN.finding).max(20) });

const submitReview = defineAction<z.infer<typeof review>>({
  name: "submit_review",
  summary:
    "Hand in the review. A finding holds the work up only with evidence: a failing test, the words of a project rule, or a command that fails. Ends the task.",
  effect: "none",
  ends: "complete",
  schema: review,
  target: () => "",
  execute({ summary, findings }, { state }) {
    // What is found in a piece of work goes back to its builder, and nothing does without this.
    const goesBack = INPUT.assertions in state.created.inputs;
    const bare = findings.filter(({ evidence, fix }) => goesBack && evidence !== undefined && fix === undefined);
    if (bare.length > 0)
      return Promise.resolve({
        ok: false,
        outcome: "refused",
        summary: `say in \`fix\` what would mend it, which limits that breaks and whether it is the cause: ${bare.map(({ text }) => text).join("; ")}`,
      });
    return Promise.resolve({
      ok: true,
      outcome: "complete",
      summary,
      detail: summary,
      outputs: { findings: findings.map((one) => JSON.stringify(one)) },
    });
  },
});

const cannot = z.object({
  assertion: z.string().regex(/^A[1-9]\d?$/u),
  test: z.string().min(1).optional(),
  why: z.string().min(1),
  evidence: z.string().min(1),
});

const cannotSatisfy = defineAction<z.infer<typeof cannot>>({
  name: "cannot_satisfy",
  summary:
    "Stop honestly: an assertion cannot be true as it stands (it contradicts another, a test or a rule). Name what shows it, and in `test` the test that asks for something else.",
  effect: "none",
  ends: "escalate",
  schema: cannot,
  target: ({ assertion, test }) => test ?? assertion,
  // A reviewer reviews: what it finds goes into its review.
  offeredTo: ({ inputs }) => INPUT.assertions in inputs && !(INPUT.diff in inputs),
  execute: ({ assertion, test, why, evidence }) => {
    const by = test === undefined ? "" : ` as "${test}" wants it`;
    return Promise.resolve({ ok: true, outcome: "escalate", summary: `${assertion} cannot be satisfied${by}: ${why} (${evidence})` });
  },
});

/** Files a task may look at and not change, whatever its type allows. */
const protectedOf = (inputs: Readonly<Record<string, string>>): Set<string> =>
  new Set((inputs[INPUT.readOnly] ?? "").split("\n").filter((line) => line !== ""));

/** Every place an argument names. */
function named(args: unknown): string[] {
  if (typeof args === "string") return [args.replace(/^\.\//u, "")];
  return typeof args === "object" && args !== null ? Object.values(args).flatMap(named) : [];
}

/** A plan that rests on nothing is not taken, whoever started its task. */
const unassessed = (inputs: Readonly<Record<string, string>>): string | undefined =>
  INPUT.health in inputs && INPUT.failures in inputs
    ? undefined
    : 'the health of the place and its past failures are not on record: a plan is made by a request (`sylk plan "…"`), which looks at both first';

const handedTests = z.object({ shows: z.array(z.string()).default([]) });

/** Why tests cannot be handed in: an assertion that needs one has none named. */
function unshown(wanted: string, args: unknown): string | undefined {
  const given = handedTests.safeParse(args);
  const bare = unnamed(wanted.split(", "), given.success ? given.data.shows : []);
  return bare.length === 0
    ? undefined
    : `say in shows which test shows ${bare.join(", ")}, one line each: \`${bare[0] ?? "A1"}: test/file.test.js > name of the test\``;
}

export function createFlowExtension(store: () => Promise<Store>): StepExtension {
  return {
    name: "flow",
    actions: [submitPlan, submitReview, cannotSatisfy],
    given: async (task) => ({ said: await saidBefore(await store(), task) }),
    before({ action, args }, { inputs }) {
      if (action.name === submitPlan.name) return Promise.resolve(unassessed(inputs));
      if (action.ends === "complete" && INPUT.wanted in inputs) return Promise.resolve(unshown(inputs[INPUT.wanted] ?? "", args));
      const kept = protectedOf(inputs);
      if (kept.size === 0 || action.effect !== "files") return Promise.resolve(undefined);
      const touched = named(args).find((file) => kept.has(file));
      return Promise.resolve(touched === undefined ? undefined : `${touched} says what must be true; it is not yours to change`);
    },
  };
}
