/** What an agent may try out without a person: one test, one expression, one file, inside the sandbox. */
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const testOf = (name: string): string =>
  `const { test } = require("node:test");\nconst assert = require("node:assert");\nconst add = require("../src/add.js");\n\ntest("${name} adds", () => assert.equal(add(1, 2), 3));\ntest("${name} fails", () => assert.equal(add(1, 2), 4));\n`;
const FILES = {
  "package.json": JSON.stringify({ scripts: { test: "node --test" } }),
  "src/add.js": "module.exports = (a, b) => a + b;\n",
  "test/add.test.js": testOf("one"),
  "test/other.test.js": testOf("two"),
};

async function actions(steps: ScriptedCall[]) {
  const project = scriptedProject(FILES, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const app = await project.open();
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer", discoverChecks: true });
  const end = await app.tasks.run(id, () => undefined, never);
  const users = await Promise.all(Array.from({ length: steps.length + 1 }, async (_v, i) => (await app.tasks.context(id, i + 1)).user));
  await app.close();
  return { said: end.steps.map(({ actions: list }) => list.join()), users };
}

test.skipIf(NO_SANDBOX !== undefined)(
  "V15: one test file, one test, a project file and an expression are run unattended, in the sandbox",
  async () => {
    const { said, users } = await actions([
      { name: "run_tests", input: { path: "test/add.test.js" } },
      { name: "run_tests", input: { path: "test/add.test.js", name: "one adds" } },
      { name: "run_command", input: { command: `node -e "console.log(require('./src/add.js')(20, 22))"` } },
      { name: "run_command", input: { command: "node --test test/other.test.js" } },
      {
        name: "run_command",
        input: { command: "node -e \"require('net').connect(80, '1.1.1.1').on('error', (e) => console.log('no', e.code))\"" },
      },
    ]);
    expect(said[0]).toContain("exited with 1");
    expect(said[0]).toContain("node --test test/add.test.js");
    expect(users[0]).toContain("commands that run unasked");
    expect(said[1]).toContain("these tests pass");
    expect(users[3]).toContain("42");
    expect(said[3]).toContain("exited with 1");
    expect(users[5]).toContain("no E");
    expect(said[5]).not.toContain("exited");
  },
);

test.skipIf(NO_SANDBOX !== undefined)("~FMT-071: after a change, run_tests without words runs the tests that belong to it", async () => {
  const { said } = await actions([
    { name: "edit_file", input: { path: "src/add.js", find: "a + b", replace: "b + a" } },
    { name: "run_tests", input: {} },
  ]);
  expect(said[1]).toContain("node --test test/add.test.js");
});
