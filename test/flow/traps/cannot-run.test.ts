/** Checks that cannot run, flaky ones, and what is told of both; a person's word that ends a task. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { taskExit } from "../../../src/surface/cli/run-and-show.ts";
import { ADD, ADD_TEST, comment, done, edit, fix, put, spring, write } from "./trap.ts";

const PACKAGE = '{ "name": "x", "type": "module", "devDependencies": { "left-pad": "1.0.0" } }\n';
const NEEDS_PACKAGE = 'import "left-pad";\nimport { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n';
const WITH_PACKAGE = { ...ADD, "package.json": PACKAGE, "package-lock.json": "{}", "check.mjs": NEEDS_PACKAGE };

test("5 D5: packages that are not installed are a question with the command that brings them, before anything is spent", async () => {
  const { end, exit, id, app, dir, run, lines } = await spring({ files: WITH_PACKAGE, checks: ["node check.mjs"], steps: [fix, done] });
  expect({ exit, status: end.status, why: end.why, calls: end.usage.calls, verified: end.verified }).toEqual({
    exit: 4,
    status: "escalated",
    why: "checks_cannot_run",
    calls: 0,
    verified: false,
  });
  expect(end.question).toBe(
    "`node check.mjs` could not run: the package left-pad is not installed. Run `npm ci` and go on, or go on without: what the task does is then not verified.",
  );
  expect(end.checks).toMatchObject([{ passed: false, could_not_run: true }]);
  expect(lines.find((line) => line.type === "verification")).toMatchObject({ checks: [{ could_not_run: true }] });
  mkdirSync(path.join(dir, "node_modules/left-pad"), { recursive: true });
  put(dir, "node_modules/left-pad/index.js", "");
  await app.tasks.reopen(id, { extraSteps: 0 });
  expect(await run()).toMatchObject({ status: "complete", verified: true, evidence: { kind: "check", what: ["check"] } });
});

test("5 D5: a person may go on without: the task ends, and is not called verified", async () => {
  const { end, id, app, run } = await spring({ checks: ["no-such-program --all"], steps: [fix, done] });
  expect(end.question).toMatch(/^`no-such-program --all` could not run: no-such-program was not found\./);
  await app.tasks.answer(id, "go on without");
  const after = await run();
  expect(after).toMatchObject({ status: "complete", verified: false });
  expect([taskExit(after), after.reason]).toEqual([3, "finished, not verified: check could not run (no-such-program was not found)"]);
});

test("5: a package that the work itself misses is a failure, not something to install", async () => {
  const broken = edit("add.mjs", "export const add", 'import "not-there";\nexport const add');
  const { end, lines } = await spring({ files: { ...ADD, "add.test.mjs": ADD_TEST }, steps: [broken, fix, done], maxSteps: 3 });
  expect(end).toMatchObject({ verified: false, checks: [{ passed: false }] });
  expect(lines.flatMap((line) => (line.type === "verification" ? line.checks : [])).some((check) => check.could_not_run === true)).toBe(
    false,
  );
});

test("5 D5: task accept ends a task on a person's word, which is not called verified", async () => {
  const { id, app } = await spring({ checks: ["no-such-program"], steps: [fix, done] });
  await app.api.send({ type: "task.accept", id, reason: "tried it by hand" });
  const end = await app.tasks.show(id);
  expect(end).toMatchObject({ status: "complete", verified: false, why: "accepted", reason: "tried it by hand" });
  expect(end.question).toBeUndefined();
  expect(taskExit(end)).toBe(0);
  expect(await app.questions.list({ ended: false })).toEqual([]);
  expect(await app.tasks.list()).toMatchObject([{ status: "complete", why: "accepted" }]);
  await expect(app.api.send({ type: "task.accept", id, reason: "again" })).rejects.toMatchObject({ code: "TASK_WRONG_STATUS" });
});

test("2: what failed before is told as not yours, what is new by its name", async () => {
  const old = 'import assert from "node:assert/strict";\nimport test from "node:test";\ntest("an old wound", () => assert.equal(1, 2));\n';
  const { lines, app, id } = await spring({
    files: { ...ADD, "old.test.mjs": old },
    steps: [comment, edit("add.mjs", "=> 'add'", "=> 'sum'"), done],
    maxSteps: 3,
  });
  const told = lines.flatMap((line) => (line.type === "verification" ? line.checks.map(({ summary }) => summary) : []));
  expect(told[1]).toMatch(/^the same 1 as before you began: not yours/);
  expect(told[2]).toMatch(/^new: it has a name; the same 1 as before you began: not yours/);
  expect((await app.tasks.context(id, 3)).user).toContain("new: it has a name");
});

test("2: a test that fails now and then is found before the first step and named", async () => {
  const flaky =
    'import assert from "node:assert/strict";\nimport { existsSync, writeFileSync } from "node:fs";\nimport test from "node:test";\ntest("a race", () => {\n  const first = !existsSync("ran");\n  writeFileSync("ran", "");\n  assert.equal(first, false);\n});\n';
  const { end, lines } = await spring({ files: { ...ADD, "race.test.mjs": flaky }, steps: [fix, done] });
  const [first] = lines.flatMap((line) => (line.type === "verification" ? line.checks : []));
  expect(first?.summary).toMatch(/^flaky: a race failed once and passed once/);
  expect(end).toMatchObject({ status: "complete", verified: false });
});

test("21: what fails although only a document changed since it passed is run once more, and both results are told", async () => {
  const check =
    'import { existsSync, readFileSync, writeFileSync } from "node:fs";\nimport { add } from "./add.mjs";\nconst n = existsSync("count") ? Number(readFileSync("count", "utf8")) : 0;\nwriteFileSync("count", String(n + 1));\nprocess.exit(add(1, 2) === 3 && n !== 3 ? 0 : 1);\n';
  const { end, lines } = await spring({
    files: { ...ADD, "check.mjs": check },
    checks: ["node check.mjs"],
    steps: [fix, write("NOTES.md", "add() adds\n"), done],
  });
  const told = lines.flatMap((line) => (line.type === "verification" ? line.checks.map(({ summary }) => summary) : []));
  expect(told[2]).toBe(
    "passes the second time; flaky: check failed once and passed once (it passed after step 1; since then only NOTES.md changed)",
  );
  expect(end.status).toBe("complete");
});

test("1: the model is told that checks which passed before do not show the goal, and what would", async () => {
  const { app, id } = await spring({ steps: [fix, done] });
  const { user, system } = await app.tasks.context(id, 2);
  expect(user).toContain("These checks passed before you began, so they do not show the goal.");
  expect(system).toContain("Would a test have failed before your change? If not, add one");
});
