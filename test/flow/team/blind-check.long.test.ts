/** A check that stops before the tests: what tells in its place, what the person is asked and told, and what the person says. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Input, Result } from "../../../src/protocol/api/index.ts";
import { openApp, type App } from "../../support/lab.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { planOf, simplePiece, teamProject, type TeamPiece } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;
type Detail = Result<"request.show">;

/** Its lint is red before anything is changed, and names nothing. */
const RED_LINT = {
  "package.json": `{ "name": "words", "type": "module", "scripts": { "test": "node lint.mjs && node --test" } }\n`,
  "lint.mjs": "console.log('2 words are too plain'); process.exit(1);\n",
};

async function started(
  pieces: readonly TeamPiece[],
  {
    files = RED_LINT,
    env = {},
    ...options
  }: Partial<Input<"request.start">["options"]> & { files?: Record<string, string>; env?: Record<string, string> },
): Promise<{ app: App; id: string; end: Detail }> {
  const project = teamProject(planOf(pieces), pieces, files);
  const app = await openApp({
    cwd: project.dir,
    env: { ...project.env, ...env },
    clock: systemClock,
    permissions: { allow: ["node *", "npm test", "npm run *"] },
  });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: [], ...options }) });
  return { app, id, end: await app.api.send({ type: "request.run", id }) };
}

async function payloadsOf(app: App, type: string): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types: [type], until }, 0, never)) found.push(payload as Record<string, unknown>);
  return found;
}

async function answered(app: App, id: string, value: string, words?: string): Promise<Detail> {
  const { questions } = await app.api.query({ type: "request.show", id });
  const answer = { kind: "chosen" as const, value, ...(words === undefined ? {} : { words }) };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer });
  return app.api.send({ type: "request.run", id });
}

test("a check that stops at its red lint holds nobody up: tests are seen to fail and to pass by the project's own runner", async () => {
  const { app, end } = await started([simplePiece("loud")], { checks: ["npm test"] });
  expect([end.status, end.questions[0]?.text, end.work.map(({ attempt, state }) => [attempt, state])]).toEqual([
    "done",
    undefined,
    [[1, "merged"]],
  ]);
  expect(end.end?.evidence["A1"]).toMatch(/^test\/loud\.test\.js failed before and passes at .*node --test/u);
  const [measured] = await payloadsOf(app, "request.measured");
  expect(measured?.["today"]).toMatchObject([
    { command: "npm test", says: "fails", runs_no_test: true, instead: "node --test" },
    { command: "node --test", says: "passes" },
  ]);
  expect(end.plan?.text).toMatch(/npm test: stops before any test runs \(.*2 words are too plain\); tests are run by `node --test`/u);
});

test("whoever approves plans is asked once which command tells, the runner's own first; another one counts as a check", async () => {
  const { app, id, end } = await started([simplePiece("loud")], { checks: ["npm test"], approve: "ask" });
  expect(end.questions.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^`npm test` fails before anything is changed and runs no test \(.*too plain\)\. Which command tells/u),
  ]);
  const { ask } = await app.api.query({ type: "question.show", id: end.questions[0]?.id ?? "" });
  expect(ask.kind === "choice" ? ask.options.map(({ value, label }) => [value, label]) : []).toEqual([
    ["runner", "node --test"],
    ["other", "another command"],
  ]);
  const plan = await answered(app, id, "other", "node --test test/");
  expect(plan.plan?.text).toContain("node --test test/");
  expect(plan.questions).toHaveLength(1);
  await answered(app, id, "approve");
  const [opened] = await payloadsOf(app, "request.integration_opened");
  expect(opened?.["checks"]).toMatchObject([{ command: "npm test" }, { name: "your check", command: "node --test test/", from: "person" }]);
});

/** Nobody knows what runs its tests. */
const UNKNOWN = { ...RED_LINT, "run.mjs": `import "./lint.mjs";\n` };

test("where nothing tells, that is what is said, each try's reason stands in the question, and a check named in the answer counts", async () => {
  const { app, id, end } = await started([simplePiece("loud")], {
    files: UNKNOWN,
    checks: ["node run.mjs"],
    env: { SYLK_TEAM_ATTEMPTS: "2" },
  });
  expect([end.status, end.work[0]?.attempt]).toEqual(["needs_you", 2]);
  const { message } = await app.api.query({ type: "question.show", id: end.questions[0]?.id ?? "" });
  expect(message).toMatch(/^n1 loud: The tests could not be written: .*\n(?:.*\n)*Try 1: The tests could not be written: /u);
  const acted = (await payloadsOf(app, "task.acted")).map((payload) => JSON.stringify(payload)).join("\n");
  expect(acted).toContain("no check tells whether the tests you wrote fail");
  expect(acted).not.toContain("none of the tests you wrote fails");
  const done = await answered(app, id, "retry", "the check is node --test");
  expect([done.status, done.work[0]?.state, done.questions[0]?.text]).toEqual(["done", "merged", undefined]);
});
