/** The forge with a model: its text, repairs, judgement, and names that do not fit. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import type { SkillOptions, SkillOutcome } from "../../src/forge/index.ts";
import { answering, choose, type Say } from "../support/answering.ts";
import { scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const yes: Say = () => choose("approve");
const DESCRIPTION = "Reviews SQL migrations for locks that block writers. Use when a change touches the schema.";
const draft = (more: Record<string, string>): string =>
  JSON.stringify({
    name: "migration-review",
    description: DESCRIPTION,
    body: "# Migrations\n\nInput: $ARGUMENTS\n\n## How to review\n\n1. Read it.",
    ...more,
  });
const verdicts = JSON.stringify({ verdicts: [7, 9, 10, 11, 13].map((number) => ({ number, passed: true, detail: "fine" })) });

const answers = (...texts: string[]): string => stringify({ rules: texts.map((text, i) => ({ when: { step: i + 1 }, answer: { text } })) });

async function create(project: ScriptedProject, say = yes): Promise<SkillOutcome> {
  const app = await project.open({ attended: true });
  await using _ = answering(app.questions, (id, answer) => app.questions.answer(id, answer, never), say);
  const options: SkillOptions = { targets: ["claude"], template: "base", model: project.rules, global: false, dryRun: false };
  try {
    return await app.skills.create("review SQL migrations", options, {}, never);
  } finally {
    await app.close();
  }
}

test("SKF-004 SKF-023: failed checks go back to the model, every correction is listed, the rest is judged by it", async () => {
  const poor = draft({ description: "Migrations. All about locks in schema changes.", body: "# When to use\n\nOften." });
  const better = draft({ body: "# When to use\n\n## How to review\n\nRead it." });
  const project = scriptedProject({ "a.txt": "a" }, answers(poor, better, draft({}), verdicts));
  const outcome = await create(project);
  expect(outcome).toMatchObject({ kind: "installed", name: "migration-review", written_by: "model", report: { grade: "PASS" } });
  if (outcome.kind !== "installed") return;
  expect(outcome.corrections.map((line) => line.slice(0, 8))).toEqual(["round 1:", "round 1:", "round 2:"]);
  expect(outcome.report.checks.filter((check) => check.judge === "model").map((check) => check.number)).toEqual([7, 9, 10, 11]);
  expect(readFileSync(path.join(project.dir, ".claude/skills/migration-review/SKILL.md"), "utf8")).toContain("## How to review");
});

test("SKF-008: E-CREATE-005: a name that is too long is written again from the wish", async () => {
  const project = scriptedProject({ "a.txt": "a" }, answers(draft({ name: `${"long-".repeat(20)}name` }), draft({}), verdicts));
  const outcome = await create(project);
  expect(outcome).toMatchObject({ kind: "installed", name: "migration-review" });
  expect(outcome.kind === "installed" && outcome.corrections[0]).toMatch(/^written again: the name has 104 characters/);
});

test("SKF-009: E-CREATE-005: a model that never finds a fitting name ends the run", async () => {
  const bad = draft({ name: "Not A Name" });
  await expect(create(scriptedProject({ "a.txt": "a" }, answers(bad, bad, bad)))).rejects.toMatchObject({ code: "E-CREATE-005" });
});

test("SKF-009: E-CREATE-004: a model without a usable answer", async () => {
  await expect(create(scriptedProject({ "a.txt": "a" }, answers("I would rather not.")))).rejects.toMatchObject({ code: "E-CREATE-004" });
});

test("SKF-005: an edit in words goes through the model and the checks again, any number of times", async () => {
  const edited = draft({ body: "# Migrations\n\n## How to review\n\n1. Look at indexes first." });
  const project = scriptedProject(
    { "a.txt": "a" },
    answers(draft({}), verdicts, ...Array.from({ length: 12 }, () => [edited, verdicts]).flat()),
  );
  let asked = 0;
  const outcome = await create(project, () => {
    asked += 1;
    return asked <= 12 ? choose("edit", "indexes first") : choose("approve");
  });
  expect(outcome).toMatchObject({ kind: "installed" });
  expect(outcome.kind === "installed" && outcome.corrections).toHaveLength(12);
  expect(readFileSync(path.join(project.dir, ".claude/skills/migration-review/SKILL.md"), "utf8")).toContain("indexes first");
});
