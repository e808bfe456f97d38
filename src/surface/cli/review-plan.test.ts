import { expect, test } from "vitest";
import { createOutput, type Output } from "./output.ts";
import { reviewPlan } from "./review-plan.ts";
import { optionsOf } from "../../protocol/index.ts";
import type { Prompts } from "./prompts.ts";

const outputTo = (said: string[]): Output =>
  createOutput(
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

const never = (): Promise<never> => Promise.reject(new Error("nobody asks that"));

/** What can be commented on in a plan, and what is said while it is. */
async function review(plan: string, comments: Readonly<Record<string, string>> = {}): Promise<{ steps: string[]; said: string[] }> {
  const said: string[] = [];
  const out = outputTo(said);
  let steps: string[] | undefined;
  const left = Object.keys(comments);
  let now = "";
  const ask: Prompts = {
    leavesTrace: true,
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

const PLAN = { kind: "plan" as const, plan: "A1: first\nn2 second" };
const LEAVES = Symbol("Ctrl+C");

type Pick = string | typeof LEAVES | [label: string, words: string | typeof LEAVES];

/** Labels that are picked, each with the words that are typed then; what was asked on the way, and the answer. */
async function pickedOf(plan: Parameters<typeof reviewPlan>[1], ...picks: Pick[]) {
  const asked: string[] = [];
  let words: string | undefined;
  const ask: Prompts = {
    leavesTrace: true,
    choice: ({ message, options, initial }) => {
      const [label, said] = [picks.shift() ?? LEAVES].flat();
      words = typeof said === "string" ? said : undefined;
      const hints = options.flatMap(({ label: one, hint }) => (one === "approve" || one === "reject" ? [`${one}: ${hint ?? "-"}`] : []));
      asked.push([message, `at ${options.find(({ value }) => value === initial)?.label}`, ...hints].join(" | "));
      return Promise.resolve(options.find((one) => one.label === label)?.value);
    },
    text: ({ message, initialValue }) => {
      asked.push(`${message} [${initialValue ?? ""}]`);
      return Promise.resolve(words);
    },
    yesNo: never,
    hidden: never,
  };
  const answer = await reviewPlan("so?", plan, { ask, out: outputTo([]) }, new AbortController().signal);
  return { answer, asked };
}

const picked = (...picks: Pick[]): ReturnType<typeof pickedOf> => pickedOf(PLAN, ...picks);

test("whoever leaves, at the choice or at the words, has answered nothing; the cursor stands on yes until something is to be sent, and on no where a yes would allow commands", async () => {
  expect(await picked(LEAVES)).toEqual({ answer: undefined, asked: ["so? | at approve | approve: - | reject: -"] });
  expect((await pickedOf({ ...PLAN, allows: ["npm run deploy"] }, LEAVES)).asked).toEqual(["so? | at reject | approve: - | reject: -"]);
  expect((await picked(["comment on A1", LEAVES], "approve")).answer).toBeUndefined();
  expect((await picked(["edit", LEAVES], "approve")).answer).toBeUndefined();
  expect((await picked(["comment on A1", "x"], "approve")).asked.at(-1)).toBe(
    "so? (1 comment: A1) | at send 1 comment | approve: your 1 comment not sent | reject: your 1 comment not sent",
  );
});

test("the newest comment on a step counts, its words stand there to be changed, and empty ones take it back", async () => {
  const both: [string, string][] = [
    ["comment on A1", "one"],
    ["comment on n2", " two "],
  ];
  const changed = await picked(...both, ["comment on A1", "other"], "send 2 comments");
  expect(changed.answer).toEqual({ kind: "chosen", value: "edit", words: "On n2: two\nOn A1: other" });
  expect(changed.asked).toContain("What about A1? (empty: no comment) [one]");
  expect((await picked(...both, ["comment on A1", " "], "send 1 comment")).answer).toEqual({
    kind: "chosen",
    value: "edit",
    words: "On n2: two",
  });
  expect((await picked(["comment on A1", "one"], ["comment on A1", ""])).asked.at(-1)).toMatch(/^so\? \| at approve/u);
});

test("words for all of it go with the comments; what needs words is not sent without them, and a whole text stays as it was typed", async () => {
  expect((await picked(["comment on A1", "one"], ["edit", " and shorter "])).answer).toEqual({
    kind: "chosen",
    value: "edit",
    words: "On A1: one\nand shorter",
  });
  expect((await picked(["edit", " "], "reject")).answer).toEqual({ kind: "chosen", value: "reject" });
  expect((await picked(["replace", "  A1: other\n"])).answer).toEqual({ kind: "chosen", value: "replace", words: "  A1: other\n" });
  expect((await picked("approve")).answer).toEqual({ kind: "chosen", value: "approve" });
});

test("yes and no, and the name of a step, may be typed for what they mean", async () => {
  const also = new Map<string, readonly string[] | undefined>();
  const ask: Prompts = {
    leavesTrace: true,
    choice: ({ options }) => {
      for (const one of options) also.set(one.label, one.also);
      return Promise.resolve(undefined);
    },
    text: never,
    yesNo: never,
    hidden: never,
  };
  await reviewPlan("so?", PLAN, { ask, out: outputTo([]) }, new AbortController().signal);
  expect(Object.fromEntries(also)).toEqual({
    ...Object.fromEntries(optionsOf(PLAN).map(({ label }) => [label, undefined])),
    approve: ["yes", "allow"],
    "comment on A1": ["A1"],
    "comment on n2": ["n2"],
    reject: ["no", "deny"],
  });
});
