/** What a model writes into a plan is only words until the user has seen the plan; who only plans runs nothing of the project. */
import { expect, test, vi } from "vitest";
import { marked } from "./plan-commands.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

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
