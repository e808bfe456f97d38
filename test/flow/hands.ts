/** What `hands.test.ts` and its long form share. */
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

export async function actions(steps: ScriptedCall[]) {
  const project = scriptedProject(FILES, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const app = await project.open();
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer", discoverChecks: true });
  const end = await app.tasks.run(id, () => undefined, never);
  const users = await Promise.all(Array.from({ length: steps.length + 1 }, async (_v, i) => (await app.tasks.context(id, i + 1)).user));
  await app.close();
  return { said: end.steps.map(({ actions: list }) => list.join()), users };
}
