/** What the first request of each type of task holds, without the agent having asked for anything. */
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { privateOf, script, scriptedProject } from "../support/scripted-project.ts";

const LINES = Array.from({ length: 60 }, (_v, i) => `export const line${i + 1} = ${i + 1}; // one of many`);
const FILES = {
  "src/a.js": LINES.join("\n"),
  "src/b.js": "export const b = 1;\n",
  ...Object.fromEntries(
    ["c", "d", "e", "f", "g"].map((name) => [
      `src/${name}.js`,
      [...LINES, ...LINES.slice(0, 30)].join("\n").replaceAll("line", `${name}_`),
    ]),
  ),
  "test/__init__.py": "",
  "test/area.test.js": 'import { test } from "node:test";\n\ntest("areas are whole", () => {});\n',
  "test/other.test.js": 'import { test } from "node:test";\n\ntest("something else", () => {});\n',
  "lint.sh":
    "echo 'src/a.js:20:5: error no-magic: a number without a name'\necho 'src/b.js:1:1: error no-export: nothing may leave'\nexit 1\n",
};

async function requests(options: {
  type: string;
  goal: string;
  checks: string[];
  criteria?: string[];
  steps?: object[];
  profile?: string;
}) {
  const steps = (options.steps ?? []) as { name: string; input: unknown }[];
  const project = scriptedProject(FILES, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const app = await project.open();
  const id = await app.tasks.start({
    goal: options.goal,
    type: options.type,
    role: "engineer",
    criteria: options.criteria ?? [],
    constraints: ["no new packages"],
    checks: options.checks,
    model: project.rules,
    profile: options.profile ?? "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const users: string[] = [];
  for (let step = 1; step <= steps.length + 1; step += 1) users.push((await app.tasks.context(id, step)).user);
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const audit = await store.journal.read(`task/${id}`);
  return { users, end, audit, id };
}

test("CTX-011: mending a violation begins with the violation, the check, its place with line numbers and what else there is", async () => {
  const { users } = await requests({ type: "fix_violation", goal: "mend the finding", checks: ["sh lint.sh"] });
  const first = users[0] as string;
  expect(first).toMatch(/## The violation\nTarget: V1 error .*src\/a\.js:20 .*a number without a name/);
  expect(first).toContain("Reported by check: `sh lint.sh`");
  expect(first).toContain(">20│export const line20 = 20;");
  expect(first).not.toContain("45│");
  expect(first).toMatch(/There before, not yours to mend:\n- V2 error .*src\/b\.js:1 /);
});

test("CTX-012: building holds requirements, constraints, the files it touches with their status, and the part being changed", async () => {
  const { users } = await requests({
    type: "implement_feature",
    goal: "rename line20",
    criteria: ["line20 is called twenty"],
    checks: ["sh lint.sh"],
    steps: [{ name: "edit_file", input: { path: "src/a.js", find: "line20 = 20", replace: "twenty = 20" } }],
  });
  const second = users[1] as string;
  for (const text of ["- line20 is called twenty", "- no new packages"]) expect(second).toContain(text);
  expect(second).toMatch(/## Files of this task\n- src\/a\.js: changed, last in step 1, named by check\n- src\/b\.js: named by/);
  expect(second).toMatch(/^@@ -17,7 \+17,7 @@$/m);
  expect(second).toContain("-export const line20 = 20; // one of many\n+export const twenty = 20; // one of many\n");
});

test("CTX-013: writing tests begins with the requirements and the project's test nearest to the goal, for its style", async () => {
  const { users } = await requests({
    type: "write_tests",
    goal: "areas must be rounded",
    criteria: ["an area is a whole number"],
    checks: ["sh lint.sh"],
  });
  expect(users[0]).toContain("- an area is a whole number");
  expect(users[0]).toContain('## A test of this project, for its style: test/area.test.js\n```\n1│import { test } from "node:test";');
});

test("~CTX-013: where no test is near to the goal, what is shown is a test all the same, not a file that only stands among them", async () => {
  const { users } = await requests({ type: "write_tests", goal: "prices have two places", checks: ["sh lint.sh"] });
  expect(users[0]).toContain("## A test of this project, for its style: test/area.test.js\n");
});

test("CTX-005: the larger profiles keep every page whole where the small one must leave the oldest out", async () => {
  const reading = ["c", "d", "e", "f", "g"].map((name) => ({ name: "read_file", input: { path: `src/${name}.js` } }));
  const task = { type: "discover", goal: "read", checks: [], steps: reading };
  const small = await requests({ ...task, profile: "minimal" });
  const wide = await requests({ ...task, profile: "standard" });
  expect(small.users.at(-1)).not.toContain("21│export const c_21");
  expect(small.users.at(-1)).toMatch(/Left out for lack of room: .*file:src\/c\.js/);
  expect(wide.users.at(-1)).toContain("21│export const c_21 = 21;");
});

test("CTX-004 ~CTX-023: every action, its arguments, result, tokens and verification is in the journal, and a question leaves the task waiting", async () => {
  const { audit, end } = await requests({
    type: "implement_feature",
    goal: "change a",
    checks: ["sh lint.sh"],
    steps: [{ name: "edit_file", input: { path: "src/b.js", find: "b = 1", replace: "b = 2" } }],
  });
  const of = (type: string) => audit.filter((event) => event.type === type).map((event) => event.payload as Record<string, unknown>);
  expect(of("task.stepped")[0]).toMatchObject({
    step: 1,
    calls: [{ name: "edit_file", args: { path: "src/b.js", find: "b = 1", replace: "b = 2" } }],
    context: { tokens: expect.any(Number) as number },
    usage: { input: expect.any(Number) as number },
  });
  expect(of("task.acted")[0]).toMatchObject({ action: "edit_file", ok: true, files: [{ path: "src/b.js", operation: "modify" }] });
  expect(of("task.verified").at(-1)).toMatchObject({ ready: false, checks: [{ passed: false, exit: 1 }] });
  expect(of("task.decided").map((one) => one["decision"])).toEqual(["continue", "continue", "escalate"]);
  expect(end).toMatchObject({ status: "escalated", question: "enough?" });
});

/** Reports a problem for every word TODO and BAD in src. */
const LINT = `grep -n 'TODO\\|BAD' src/*.js | sed 's/^\\([^:]*\\):\\([0-9]*\\):.*\\(TODO\\|BAD\\).*/\\1:\\2:1: error no-mark: the mark \\3 is left/'; ! grep -q 'TODO\\|BAD' src/*.js\n`;

test("CTX-021: mending one violation is done when that one is gone and nothing new came, whatever else was there before", async () => {
  const files = { "src/a.js": "let a; // TODO\n", "src/b.js": "let b; // TODO\n", "lint.sh": LINT };
  const edit = (path: string, find: string, replace: string) => ({ name: "edit_file", input: { path, find, replace } });
  const done = { name: "complete", input: { summary: "mended" } };
  const project = scriptedProject(
    files,
    script([done, edit("src/b.js", "// TODO", "// BAD"), done, edit("src/b.js", " // BAD", ""), done]),
  );
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "remove the mark in src/b.js",
    type: "fix_violation",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["sh lint.sh"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const users = await Promise.all([1, 2, 3, 4, 5].map(async (step) => (await app.tasks.context(id, step)).user));
  await app.close();
  expect(users[0]).toMatch(/Target: V2 error .*src\/b\.js:1/);
  expect(users[1]).toContain("not complete: V2 is still reported");
  expect(users[2]).toMatch(/It is gone\.[\s\S]*New since your changes:\n- N1 error .*src\/b\.js:1 /);
  expect(users[3]).toContain("not complete: V2 is gone, but your change brought 1 new: src/b.js");
  expect(users[4]).toContain("+let b;");
  expect(end).toMatchObject({ status: "complete", verified: true, step: 5 });
});

/** Says `ok` or `not ok` for each test file that holds the word PASS or FAIL, with its place. */
const TESTS = `code=0; n=0; for f in test/*.test.js; do n=$((n+1)); if grep -q FAIL $f; then echo "not ok $n - $f"; echo "  ---"; echo "  location: '$f:1:1'"; echo "  error: 'wanted'"; echo "  ..."; code=1; else echo "ok $n - $f"; fi; done; echo "1..$n"; exit $code\n`;

test("CTX-021: written tests count when one of them fails that did not before; other failures and tests that pass do not", async () => {
  const files = { "test/old.test.js": "FAIL\n", "run.sh": TESTS };
  const write = (name: string, content: string) => ({ name: "write_file", input: { path: `test/${name}.test.js`, content } });
  const done = { name: "complete", input: { summary: "written" } };
  const project = scriptedProject(files, script([write("new", "PASS\n"), done, write("new", "FAIL\n"), done]));
  const app = await project.open();
  const task = { role: "engineer", criteria: [], constraints: [], profile: "minimal", maxSteps: undefined, type: "write_tests" };
  const id = await app.tasks.start({ ...task, goal: "state the wish", checks: ["sh run.sh"], model: project.rules });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const { user } = await app.tasks.context(id, 3);
  await app.close();
  expect(user).toContain("not complete: none of the tests you wrote fails");
  expect(end).toMatchObject({ status: "complete", verified: true, step: 4 });

  const broken = scriptedProject(
    { "run.sh": "node --test\n", "test/old.test.js": "" },
    script([write("new", "this is not javascript {{{\n"), done, ...Array.from({ length: 8 }, () => done)]),
  );
  const unread = await broken.open();
  const third = await unread.tasks.start({ ...task, goal: "state the wish", checks: ["sh run.sh"], model: broken.rules });
  await unread.tasks.run(third, () => undefined, new AbortController().signal);
  expect((await unread.tasks.context(third, 3)).user).toContain("not complete: your test file cannot be read");
  await unread.close();

  const existing = scriptedProject({ "test/old.test.js": "PASS\n", "run.sh": TESTS }, script([write("new", "PASS\n"), done, done]));
  const second = await existing.open();
  const other = await second.tasks.start({ ...task, goal: "test what exists", checks: ["sh run.sh"], model: existing.rules });
  const ended = await second.tasks.run(other, () => undefined, new AbortController().signal);
  const said = (await second.tasks.context(other, 3)).user;
  await second.close();
  expect(said).toContain("your tests pass already, so the behaviour exists");
  expect(ended).toMatchObject({ status: "complete", verified: false, step: 3 });
});
