/** What `refactor.test.ts` and its long form share. */
import { expect } from "vitest";
import { ADD, done, edit, spring, write, type Trap } from "./trap.ts";

const FILES = {
  ...ADD,
  "half.mjs": "export const halfOf = (a) => a / 2;\n",
  "use.mjs": 'import { halfOf } from "./half.mjs";\nexport const quarter = (a) => halfOf(halfOf(a));\nexport const halfOfAll = 1;\n',
  "README.md": "`halfOf` halves.\n",
};

const goal = "Rename the function `halfOf` to `halve` everywhere.";

const inSource = edit("half.mjs", "halfOf", "halve");

const inUse = write("use.mjs", FILES["use.mjs"].replaceAll(/halfOf(?!All)/g, "halve"));

interface Case extends Trap {
  title: string;
  exit: 0 | 3;
  reason: RegExp;
}

export const CASES: Case[] = [
  {
    title: "the name is another everywhere and nothing else changed",
    steps: [inSource, inUse, done],
    exit: 0,
    reason: /^verified: halfOf is called halve in 2 files, stands nowhere any more, and nothing else changed$/,
  },
  {
    title: "the old name is left in one place",
    files: { ...FILES, "left.mjs": 'import * as all from "./half.mjs";\nexport const left = () => all.halfOf;\n' },
    steps: [inSource, inUse, done],
    exit: 3,
    reason: /not verified: behaviour is kept/,
  },
  {
    title: "something else was changed with it",
    steps: [inSource, inUse, edit("half.mjs", "a / 2", "a / 3"), done],
    exit: 3,
    reason: /not verified: behaviour is kept/,
  },
  {
    title: "the new name was there before and meant something else",
    files: { ...FILES, "half.mjs": `${FILES["half.mjs"]}export const other = (halve) => halve;\n` },
    steps: [inSource, inUse, done],
    exit: 3,
    reason: /not verified: behaviour is kept/,
  },
  {
    title: "the goal asks for more than the name",
    goal: `${goal} Then make it faster.`,
    steps: [inSource, inUse, done],
    exit: 3,
    reason: /not verified: behaviour is kept/,
  },
  {
    title: "another goal, and tests that know what was changed",
    goal: "Make add.mjs easier to read",
    steps: [edit("add.mjs", "(a, b) => a - b", "(left, right) => left - right"), done],
    exit: 3,
    reason:
      /behaviour is kept as far as the checks tell \(tests passed: 1 before, 1 after, test files that name what was changed: 1\), but nothing shows the goal itself/,
  },
  {
    title: "another goal, named by a command that fails until it is reached",
    goal: "Take the minus out of add.mjs",
    reproduce: `node -e "process.exit(require('fs').readFileSync('add.mjs','utf8').includes('a - b') ? 1 : 0)"`,
    steps: [edit("add.mjs", "(a, b) => a - b", "(a, b) => -b + a"), done],
    exit: 0,
    reason: /reproduction failed before and passes now/,
  },
];

export async function endsAsItShould({ exit, reason, ...trap }: Case): Promise<void> {
  const sprung = await spring({ files: FILES, goal, ...trap, type: "refactor" });
  expect(sprung.end).toMatchObject({ status: "complete", verified: exit === 0, reason: expect.stringMatching(reason) as string });
  expect(sprung.exit).toBe(exit);
}
