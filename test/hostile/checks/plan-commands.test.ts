/** What a model writes into a plan is only words until the user has seen the plan; who only plans runs nothing of the project. */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { runSylk } from "../../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

interface Marked {
  sylk: (...args: string[]) => ReturnType<typeof runSylk>;
  model: string;
  ran: () => string[];
}

/** A project whose own test and one program of it leave a mark where every sandbox lets them; the plan names the program. */
function marked(): Marked {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const named = {
    id: "A2",
    text: "the program is content",
    from: "user" as const,
    shown_by: "command" as const,
    command: "sh program.sh",
  };
  const drafted = {
    ...plan,
    assertions: [...plan.assertions, named],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
  };
  const mark = (what: string): string => `import { writeFileSync as w } from "node:fs";\nw(process.env.MARKS + "/${what}", "");\n`;
  const project = teamProject(drafted, pieces, { "program.sh": `: > "$MARKS/program"\n`, "test/mark.test.js": mark("check") });
  const marks = path.join(project.base, "marks");
  mkdirSync(marks);
  const env = { ...project.env, MARKS: marks, SYLK_SECURITY_SANDBOX_WRITABLE: marks, SYLK_SECURITY_ENVIRONMENT: "MARKS" };
  return {
    sylk: (...args) => runSylk(project.dir, env, args, 300_000),
    model: project.rules,
    ran: () => ["check", "program"].filter((what) => existsSync(path.join(marks, what))),
  };
}

test("a command that a model wrote into a plan does not run before the user approved the plan; then it does", async () => {
  const { sylk, model, ran } = marked();
  const plan = await sylk("plan", "add loud", "--check", "node --test", "-m", model);
  expect(plan).toMatchObject({ code: 0, out: expect.stringContaining("not tried yet: you allow it with the plan") as string });
  expect(ran()).toEqual(["check"]);
  await sylk("session", "resume");
  expect(ran()).toEqual(["check", "program"]);
});

test("a command that words name as a check, which somebody may have pasted, does not run unasked either", async () => {
  const { sylk, model, ran } = marked();
  const plan = await sylk("plan", "add loud. The check is `sh program.sh`", "--check", "node --test", "-m", model);
  expect(plan).toMatchObject({ code: 0, out: expect.stringContaining("not tried yet: you allow it with the plan") as string });
  expect(ran()).toEqual(["check"]);
});

test("who only plans runs no check of the project, trusted or not; with the right to build it runs", async () => {
  const { sylk, model, ran } = marked();
  expect(await sylk("trust", "--yes")).toMatchObject({ code: 0 });
  const only = await sylk("--permission-mode", "plan", "run", "add loud", "--approve", "ask", "-m", model);
  expect(ran()).toEqual([]);
  expect(only).toMatchObject({ code: 0, out: expect.stringContaining("planned; nothing was built") as string });
  await sylk("--allow", "line:npm test", "run", "add loud", "--approve", "ask", "-m", model);
  expect(ran()).toEqual(["check"]);
});

test("the question about a plan names the commands that a yes would allow, so that no surface takes a bare Enter for one", async () => {
  const { sylk, model, ran } = marked();
  await sylk("run", "add loud", "--approve", "ask", "--team", "--check", "node --test", "-m", model);
  const { out } = await sylk("questions", "--json");
  expect(out).toContain('"allows":["sh program.sh"]');
  expect(ran()).toEqual(["check"]);
});
