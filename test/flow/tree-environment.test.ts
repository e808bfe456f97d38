import { expect, test, vi } from "vitest";
import { script, scriptedProject } from "../support/scripted-project.ts";

vi.setConfig({ testTimeout: 120_000 });

test("commands in a work tree know which it is and which ports are its own; those in the project's folder do not", async () => {
  const project = scriptedProject({ "a.txt": "a\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const app = await project.open();
  const command = `node -e "const {SYLK_WORKTREE: w, PORT: p, SYLK_PORT_BASE: b} = process.env; process.exit(w && p === b && +p >= 20000 ? 0 : 1)"`;
  const passed: boolean[] = [];
  for (const worktree of [true, false]) {
    const id = await app.tasks.start({
      goal: "look",
      type: "implement_feature",
      role: "engineer",
      criteria: [],
      constraints: [],
      checks: [command],
      model: project.rules,
      profile: "minimal",
      maxSteps: 3,
      worktree,
    });
    await app.tasks.run(id, () => undefined, new AbortController().signal);
    passed.push((await app.tasks.show(id)).checks.every((check) => check.passed));
  }
  expect(passed).toEqual([true, false]);
  await app.close();
});
