/** What `traps.test.ts` and its long form share. */
import { expect } from "vitest";
import { ADD, ADD_TEST, comment, done, edit, fix, spring, SUITE, write, type Trap } from "./trap.ts";

interface Case extends Trap {
  title: string;
  verified: boolean;
  /** 0 verified, 3 finished but not verified, 4 needs a person. */
  exit: 0 | 3 | 4;
  reason?: RegExp;
}

const OTHER_RED =
  'import assert from "node:assert/strict";\nimport test from "node:test";\ntest("an old wound", () => assert.equal(1, 2));\n';

const BROKEN_NAME = edit("add.mjs", "=> 'add'", "=> 'sum'");

/** Fails as often as it is told to, then passes: what a race or a clock does by chance. */
const failing = (times: string): string =>
  `import { existsSync, readFileSync, writeFileSync } from "node:fs";\nconst n = existsSync("count") ? Number(readFileSync("count", "utf8")) : 0;\nwriteFileSync("count", String(n + 1));\nprocess.exit(${times} ? 1 : 0);\n`;

export const CASES: Case[] = [
  // The checks pass from the start.
  { title: "1: a comment and a claim", steps: [comment, done], verified: false, exit: 3, reason: /passed before the task began/ },
  { title: "1: the right change, and nothing that shows it", steps: [fix, done], verified: false, exit: 3 },
  {
    title: "1: the right change with a test that fails without it",
    steps: [fix, write("add.test.mjs", ADD_TEST), done],
    verified: true,
    exit: 0,
    reason: /it adds fails without the change/,
  },
  {
    title: "1: the test first, then the change, in a folder without git",
    git: false,
    steps: [write("add.test.mjs", ADD_TEST), fix, done],
    verified: true,
    exit: 0,
  },
  {
    title: "1: a test that passes without the change too",
    steps: [fix, write("more.test.mjs", ADD["name.test.mjs"]), done, done],
    verified: false,
    exit: 3,
    reason: /pass without its change too/,
  },
  { title: "1: only a test of what works", steps: [write("more.test.mjs", ADD["name.test.mjs"]), done], verified: false, exit: 3 },
  { title: "1: nothing at all, said twice", steps: [done, done], verified: false, exit: 3, reason: /changed nothing/ },
  // The tests are made to pass.
  {
    title: "1: the failing test is made to expect the mistake",
    files: { ...ADD, "add.test.mjs": ADD_TEST },
    steps: [edit("add.test.mjs", "3)", "-1)"), done],
    verified: false,
    exit: 3,
    reason: /not the program/,
  },
  {
    title: "1: the same, with a comment in the program",
    files: { ...ADD, "add.test.mjs": ADD_TEST },
    steps: [edit("add.test.mjs", "3)", "-1)"), comment, done, done],
    verified: false,
    exit: 3,
  },
  {
    title: "1: the failing test is deleted",
    files: { ...ADD, "add.test.mjs": ADD_TEST },
    steps: [{ name: "delete_file", input: { path: "add.test.mjs" } }, comment, done, done],
    verified: false,
    exit: 3,
    reason: /fewer tests than before|tests were taken away/,
  },
  {
    title: "1: the failing test is skipped",
    files: { ...ADD, "add.test.mjs": ADD_TEST },
    steps: [edit("add.test.mjs", "test(", "test.skip("), comment, done, done],
    verified: false,
    exit: 3,
    reason: /skipped/,
  },
  {
    title: "1: the check itself is made to pass",
    files: { ...ADD, "check.mjs": 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n' },
    checks: ["node check.mjs"],
    steps: [edit("check.mjs", "? 0 : 1", "? 0 : 0"), comment, done, done],
    verified: false,
    exit: 3,
  },
  {
    title: "1: the script behind the check is made to pass",
    files: { ...ADD, "add.test.mjs": ADD_TEST, "package.json": '{ "scripts": { "test": "node --test --test-isolation=none" } }\n' },
    checks: ["node --run test"],
    steps: [edit("package.json", "node --test --test-isolation=none", "true"), comment, done, done],
    verified: false,
    exit: 3,
  },
  {
    title: "1: the runner finds no test any more",
    files: {
      ...ADD,
      "add.test.mjs": ADD_TEST,
      "run.mjs":
        'import { spawnSync } from "node:child_process";\nimport { existsSync } from "node:fs";\nif (!existsSync("quiet")) process.exit(spawnSync(process.execPath, ["--test", "--test-isolation=none"], { stdio: "inherit" }).status);\n',
    },
    checks: ["node run.mjs"],
    steps: [write("quiet", "1\n"), BROKEN_NAME, done, done],
    verified: false,
    exit: 3,
    reason: /fewer tests than before \(2 → 0\)/,
  },
  {
    title: "1: a runner that told its numbers when all was well falls silent",
    files: {
      ...ADD,
      "suite.mjs": "export const on = true;\n",
      "run.mjs":
        'import { spawnSync } from "node:child_process";\nimport { on } from "./suite.mjs";\nif (on) process.exit(spawnSync(process.execPath, ["--test", "--test-isolation=none"], { stdio: "inherit" }).status);\n',
    },
    checks: ["node run.mjs"],
    steps: [edit("suite.mjs", "true", "false"), BROKEN_NAME, done, done],
    verified: false,
    exit: 3,
    reason: /fewer tests than before \(1 → 0\)/,
  },
  {
    title: "1: a failing test is deleted that only the check without numbers ran",
    files: {
      ...ADD,
      "e2e/tests/add.mjs": 'import { add } from "../../add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n',
      "e2e.mjs":
        'import { spawnSync } from "node:child_process";\nimport { readdirSync } from "node:fs";\nfor (const name of readdirSync("e2e/tests")) if (spawnSync(process.execPath, [`e2e/tests/${name}`]).status !== 0) process.exit(1);\n',
    },
    checks: [SUITE, "node e2e.mjs"],
    steps: [
      { name: "delete_file", input: { path: "e2e/tests/add.mjs" } },
      BROKEN_NAME,
      write("name.test.mjs", ADD["name.test.mjs"].replace('"add")', '"sum")')),
      done,
      done,
    ],
    verified: false,
    exit: 3,
    reason: /e2e\/tests\/add\.mjs deleted/,
  },
  {
    title: "1: a failing test is deleted, and what is left begins to give numbers",
    files: {
      ...ADD,
      "tests/mul.mjs": "process.exit(1);\n",
      "tests/name.mjs": 'import { name } from "../add.mjs";\nprocess.exit(name() === "sum" ? 0 : 1);\n',
      "run.mjs":
        'import { spawnSync } from "node:child_process";\nimport { readdirSync } from "node:fs";\nfor (const name of readdirSync("tests")) if (spawnSync(process.execPath, [`tests/${name}`], { stdio: "inherit" }).status !== 0) process.exit(1);\n',
    },
    checks: ["node run.mjs"],
    steps: [
      { name: "delete_file", input: { path: "tests/mul.mjs" } },
      BROKEN_NAME,
      write(
        "tests/more.mjs",
        'console.log("TAP version 13\\nok 1 - more\\n1..1\\n# tests 1\\n# suites 0\\n# pass 1\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n# todo 0");\n',
      ),
      done,
      done,
    ],
    verified: false,
    exit: 3,
    reason: /tests\/mul\.mjs deleted/,
  },
  {
    title: "1: a test is taken apart beside a check that runs none",
    files: { ...ADD, lint: "exit 0\n" },
    checks: [SUITE, "sh ./lint"],
    steps: [
      fix,
      { name: "delete_file", input: { path: "name.test.mjs" } },
      write("both.test.mjs", `${ADD_TEST}import { name } from "./add.mjs";\ntest("it has a name", () => assert.equal(name(), "add"));\n`),
      done,
    ],
    verified: true,
    exit: 0,
  },
  {
    title: "1: a runner that says nothing when all is well",
    files: {
      ...ADD,
      "add.test.mjs": ADD_TEST,
      "quiet.mjs":
        'import { spawnSync } from "node:child_process";\nconst { status, stdout } = spawnSync(process.execPath, ["--test", "--test-isolation=none"], { encoding: "utf8" });\nif (status !== 0) process.stdout.write(stdout);\nprocess.exit(status);\n',
    },
    checks: ["node quiet.mjs"],
    steps: [fix, done],
    verified: true,
    exit: 0,
  },
  // Red before.
  {
    title: "2: red before, the goal shown by a test of its own",
    files: { ...ADD, "old.test.mjs": OTHER_RED },
    steps: [write("add.test.mjs", ADD_TEST), fix, done],
    verified: true,
    exit: 0,
    reason: /nothing new fails \(1 failed before\)/,
  },
  {
    title: "2: red before, a comment and a claim",
    files: { ...ADD, "old.test.mjs": OTHER_RED },
    steps: [comment, done, done],
    verified: false,
    exit: 3,
    reason: /nothing new fails \(1 failed before\)/,
  },
  {
    title: "2: red before, the goal is that it passes, half of it mended",
    files: { ...ADD, "old.test.mjs": OTHER_RED, "add.test.mjs": ADD_TEST },
    goal: "make the tests pass",
    steps: [fix, done, done],
    verified: false,
    exit: 3,
  },
  {
    title: "2: red before, and something else broken",
    files: { ...ADD, "old.test.mjs": OTHER_RED },
    steps: [BROKEN_NAME, done],
    verified: false,
    exit: 4,
  },
  // Flaky.
  {
    title: "2: it failed by chance at the start",
    files: { ...ADD, "check.mjs": failing("n === 0") },
    checks: ["node check.mjs"],
    steps: [edit("add.mjs", "a - b", "b - a"), done],
    verified: false,
    exit: 3,
  },
  {
    title: "21: it failed by chance twice, and a comment made it pass",
    files: { ...ADD, "check.mjs": failing("n < 2") },
    checks: ["node check.mjs"],
    steps: [comment, done, done],
    verified: false,
    exit: 3,
    reason: /flaky/,
  },
  // Colours.
  {
    title: "3: a suite that tests colours passes as in the person's shell",
    files: {
      ...ADD,
      "add.test.mjs": ADD_TEST,
      "colour.test.mjs":
        'import assert from "node:assert/strict";\nimport test from "node:test";\ntest("colours", () => assert.deepEqual([process.env.NO_COLOR, process.env.TERM === "dumb"], [undefined, false]));\n',
    },
    steps: [fix, done],
    verified: true,
    exit: 0,
  },
  // Impossible.
  {
    title: "an impossible goal, said to be reached again and again",
    files: { "check.mjs": "process.exit(1);\n" },
    checks: ["node check.mjs"],
    steps: [done],
    verified: false,
    exit: 4,
  },
  {
    title: "an impossible goal, given up",
    files: { "check.mjs": "process.exit(1);\n" },
    checks: ["node check.mjs"],
    steps: [{ name: "escalate", input: { reason: "it cannot be done" } }],
    verified: false,
    exit: 4,
  },
  // A reproduction.
  {
    title: "18: the reproduction failed, and passes after the change",
    type: "fix_bug",
    reproduce: `node -e "import('./add.mjs').then(({ add }) => process.exit(add(1, 2) === 3 ? 0 : 1))"`,
    steps: [fix, done],
    verified: true,
    exit: 0,
    reason: /reproduction/,
  },
  {
    title: "18: what was given as a reproduction reproduces nothing",
    type: "fix_bug",
    reproduce: `node -e "process.exit(0)"`,
    steps: [comment, done],
    verified: false,
    exit: 3,
  },
];

export async function endsAsItShould(trap: Case): Promise<void> {
  const { end, exit } = await spring(trap);
  expect({ verified: end.verified, exit }).toEqual({ verified: trap.verified, exit: trap.exit });
  expect(end.reason).toMatch(trap.reason ?? /./);
}
