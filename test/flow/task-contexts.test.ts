/** What the first request of each type of task holds, without the agent having asked for anything. */
import path from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";

const LINES = Array.from({ length: 60 }, (_v, i) => `export const line${i + 1} = ${i + 1}; // one of many`);
const FILES = {
  "src/a.js": LINES.join("\n"),
  "src/b.js": "export const b = 1;\n",
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
  await using store = await openStore({ path: path.join(project.dir, ".sylk", "sylk.db"), clock: systemClock });
  const audit = await store.journal.read(`task/${id}`);
  return { users, end, audit, id };
}

test("CTX-011: mending a violation begins with the violation, the check, its place with line numbers and what remains", async () => {
  const { users } = await requests({ type: "fix_violation", goal: "mend the finding", checks: ["sh lint.sh"] });
  const first = users[0] as string;
  expect(first).toMatch(/## The violation\nV1 error .*src\/a\.js:20 .*a number without a name/);
  expect(first).toContain("Reported by check: `sh lint.sh`");
  expect(first).toContain("20│export const line20 = 20;");
  expect(first).not.toContain("45│");
  expect(first).toMatch(/Remaining:\n- V2 error .*src\/b\.js:1 /);
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
  expect(second).toContain("20│export const twenty = 20;");
});

test("CTX-013: writing tests begins with the requirements and the project's test nearest to the goal, for its style", async () => {
  const { users } = await requests({
    type: "write_tests",
    goal: "areas must be rounded",
    criteria: ["an area is a whole number"],
    checks: ["sh lint.sh"],
  });
  expect(users[0]).toContain("- an area is a whole number");
  expect(users[0]).toContain('## A test of this project, for its style: test/area.test.js\n```\nimport { test } from "node:test";');
});

test("CTX-005: the larger profiles keep every page whole where the small one must outline", async () => {
  const reading = ["src/a.js", "src/b.js", "test/area.test.js", "test/other.test.js"].map((path) => ({
    name: "read_file",
    input: { path },
  }));
  const task = { type: "discover", goal: "read", checks: [], steps: reading };
  const small = await requests({ ...task, profile: "minimal" });
  const wide = await requests({ ...task, profile: "standard" });
  expect(small.users.at(-1)).not.toContain("21│export const line21");
  expect(small.users.at(-1)).toMatch(/lines (omitted|not shown)/);
  expect(wide.users.at(-1)).toContain("21│export const line21 = 21;");
});

test("CTX-004 CTX-023: every action, its arguments, result, tokens and verification is in the journal, and a question leaves the task waiting", async () => {
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
