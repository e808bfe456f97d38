import { expect, test } from "vitest";
import { createOutput } from "./output.ts";
import { reviewPlan } from "./review-plan.ts";
import type { Prompts } from "./prompts.ts";

/** What can be commented on in a plan, and what is said while it is. */
async function review(plan: string, comments: Readonly<Record<string, string>> = {}): Promise<{ steps: string[]; said: string[] }> {
  const said: string[] = [];
  const out = createOutput(
    { json: false, quiet: false, color: false },
    {
      interactive: true,
      draws: true,
      columns: undefined,
      result: () => undefined,
      note: (text) => void said.push(text),
      progress: () => undefined,
      region: () => undefined,
      ring: () => undefined,
      notify: () => undefined,
      title: () => undefined,
      paged: () => false,
    },
  );
  let steps: string[] | undefined;
  const left = Object.keys(comments);
  let now = "";
  const never = (): Promise<never> => Promise.reject(new Error("nobody asks that"));
  const ask: Prompts = {
    choice: ({ options }) => {
      steps ??= options.flatMap(({ label, hint }) => (label.startsWith("comment on ") ? [`${label.slice(11)} ${hint ?? ""}`] : []));
      now = left.shift() ?? "";
      return Promise.resolve(options.find(({ label }) => label === (now === "" ? "reject" : `comment on ${now}`))?.value);
    },
    text: () => Promise.resolve(comments[now]),
    yesNo: never,
    hidden: never,
  };
  const asked = { kind: "plan" as const, plan };
  await reviewPlan("so?", asked, { ask, out }, new AbortController().signal);
  return { steps: steps ?? [], said };
}

test.each([
  ["what will be true", "  A1: it adds (shown by a test)", ["A1 it adds (shown by a test)"]],
  ["a piece of work", "  n2 quiet  (A2)", ["n2 quiet (A2)"]],
  ["a numbered step", "1. first\n 2) second", ["1 first", "2 second"]],
  ["a name with a dot or a bracket", "A1. one\nn1) two", ["A1 one", "n1 two"]],
  ["the first of a name counts", "n1 one\nn1 again", ["n1 one"]],
  ["a line that begins with a number is no step", "3 files change\n2026-11-17 is a day\n1.5 times", []],
  ["nor is a word that begins like a name", "A1x is none\nn1000x\nAnd so on\nno", []],
  ["nor a name alone", "A1:\nn1\n1.", []],
])("steps of a plan: %s", async (_what, plan, steps) => {
  expect((await review(plan)).steps).toEqual(steps);
});

test("a comment on a step stays to be read, and so does that it was taken back", async () => {
  expect((await review("A1: first\nn2 second", { n2: "no capitals", A1: " " })).said).toEqual([
    "  on n2: no capitals",
    "  no comment on A1",
  ]);
});
