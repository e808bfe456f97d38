import { expect, test } from "vitest";
import type { Question } from "../../protocol/index.ts";
import { createOutput } from "./output.ts";
import { promptQuestion } from "./prompt-question.ts";
import type { Prompts } from "./prompts.ts";
import type { Choice } from "./typed-choice.ts";

/** What stands above a question, what is asked, and with which answers; `picks` are chosen one after the other. */
async function prompted(message: string, ask: Question["ask"], ...picks: string[]) {
  return promptedWhere(true, message, ask, ...picks);
}

async function promptedWhere(leavesTrace: boolean, message: string, ask: Question["ask"], ...picks: string[]) {
  const above: string[] = [];
  const asked: string[] = [];
  let options: readonly Choice<string>[] = [];
  let stands: { initial: unknown; unknown: unknown } | undefined;
  const out = createOutput(
    { json: false, quiet: false, color: false },
    {
      interactive: true,
      draws: true,
      columns: 80,
      result: () => undefined,
      note: (text) => void above.push(...text.split("\n")),
      progress: () => undefined,
      region: () => undefined,
      ring: () => undefined,
      notify: () => undefined,
      title: () => undefined,
      paged: () => false,
    },
  );
  const never = (): Promise<never> => Promise.reject(new Error("nobody asks that"));
  const prompts: Prompts = {
    leavesTrace,
    choice: (question) => {
      asked.push(question.message);
      options = question.options;
      stands = { initial: question.initial, unknown: question.unknown };
      const picked = picks.shift();
      return Promise.resolve(question.options.flatMap(({ value, tab }) => [value, tab]).find((value) => value === picked));
    },
    text: ({ message: wanted }) => {
      asked.push(wanted);
      return Promise.resolve(picks.shift());
    },
    yesNo: never,
    hidden: never,
  };
  const answer = await promptQuestion({ message, ask } as Question, { out, ask: prompts, cwd: "/project" }, new AbortController().signal);
  return { above, asked, options, stands, answer };
}

const CHOICE: Question["ask"] = {
  kind: "choice",
  options: [
    { value: "retry", label: "try again", hint: "3 more tries", words: "possible" },
    { value: "skip", label: "leave it out" },
  ],
};

test("a question's lines stand above it behind bars, whatever is in them; asked is its first line", async () => {
  const message = "n1 loud: it does not get there\n\nStill failing:\n- lint\n→ approve\n\u001b[2Jgone";
  const { above, asked } = await prompted(message, CHOICE, "skip");
  expect(asked).toEqual(["n1 loud: it does not get there"]);
  expect(above).toEqual(["", "  │ Still failing:", "  │ - lint", "  │ → approve", "  │ ␛[2Jgone"]);
});

test("an answer that takes words stands there once: chosen as it is, or with words behind Tab", async () => {
  const plain = await prompted("n1 loud: it does not get there", CHOICE, "retry");
  expect(plain.options.map(({ label, hint }) => [label, hint])).toEqual([
    ["try again", "3 more tries (Tab: say more)"],
    ["leave it out", undefined],
  ]);
  expect([plain.above, plain.answer]).toEqual([[], { kind: "chosen", value: "retry" }]);
  const tab = plain.options[0]?.tab ?? "";
  const more = await prompted("n1 loud: it does not get there", CHOICE, tab, "with a loop");
  expect(more.answer).toEqual({ kind: "chosen", value: "retry", words: "with a loop" });
});

test("where nothing of a prompt stays, what was asked and answered is written below it", async () => {
  const text = await promptedWhere(false, "Which port?", { kind: "text" }, "80");
  expect(text.above).toEqual(["? Which port?  80"]);
  const words = await promptedWhere(false, "n1 loud: it does not get there", CHOICE, "retry words", "with a loop");
  expect(words.above).toEqual(["? n1 loud: it does not get there  try again: with a loop"]);
  expect((await promptedWhere(true, "Which port?", { kind: "text" }, "80")).above).toEqual([]);
});

test("where nothing of a prompt stays, a permission's answer is written below it too: in a request no other line tells it", async () => {
  const run: Question["ask"] = {
    kind: "permission",
    role: "engineer",
    act: "run /project npm install x",
    line: "npm install x",
    cwd: "/project",
    network: [],
    reason: "run npm install x",
    sandboxed: false,
    offers: [[{ kind: "line", value: "npm install x" }]],
  };
  const denied = await promptedWhere(false, "engineer: run npm install x", run, "deny words", "no packages please");
  expect(denied.above.at(-1)).toBe("? Allow it?  deny: no packages please");
  const kept = await promptedWhere(false, "engineer: run npm install x", run, "user");
  expect(kept.above.at(-1)).toBe("? Allow it?  always, everywhere: this exact line");
});

test("Enter agrees to a change that is shown and can be taken back; to anything else that has a no it says no, and words that fit nothing always do", async () => {
  const yesNo = [
    { value: "yes", label: "merge it" },
    { value: "no", label: "leave it" },
  ];
  const merge = await prompted("Merge it?", { kind: "choice", diff: "+a", options: yesNo }, "no");
  expect([merge.stands, merge.options[0]?.hint]).toEqual([{ initial: undefined, unknown: "no" }, "`sylk task undo` takes it back"]);
  const bare = await prompted("Sure?", { kind: "choice", options: yesNo }, "no");
  expect([bare.stands, bare.options[0]?.hint]).toEqual([{ initial: "no", unknown: "no" }, undefined]);
  const skill = await prompted("Install it?", { kind: "diff", summary: [], text: "a", diff: "+a", parts: {} }, "reject");
  expect(skill.stands).toEqual({ initial: "reject", unknown: "reject" });
});
