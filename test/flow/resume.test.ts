/** Days may pass between two steps; what others did meanwhile is told, not overwritten. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";

test("EFF-092 EFF-093: a resumed task goes on where it stood, and hears which of its files were changed meanwhile", async () => {
  const project = scriptedProject(
    { "a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n" },
    script([
      { name: "edit_file", input: { path: "a.txt", find: "one", replace: "ONE" } },
      [
        { name: "read_file", input: { path: "b.txt" } },
        { name: "read_file", input: { path: "c.txt" } },
      ],
      { name: "ask_user", input: { question: "go on?" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "work in two sittings",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const first = await app.tasks.run(id, () => undefined, new AbortController().signal);
  expect(first.status).toBe("escalated");
  writeFileSync(path.join(project.dir, "a.txt"), "someone else's\n");
  writeFileSync(path.join(project.dir, "b.txt"), "2\n");
  await app.tasks.answer(id, "yes");
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const { user } = await app.tasks.context(id, 4);
  await app.close();
  expect(user).toContain("While this task rested, someone else changed a.txt, b.txt. What you see of it is old");
  expect(user).toContain("- yes");
  expect(end).toMatchObject({ status: "complete", step: 4 });
  expect(readFileSync(path.join(project.dir, "a.txt"), "utf8")).toBe("someone else's\n");
});
