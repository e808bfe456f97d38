/** `plan-commands.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { marked } from "./plan-commands.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a command that a model wrote into a plan does not run before the user approved the plan; then it does", async () => {
  const { sylk, model, ran } = marked();
  const plan = await sylk("plan", "add loud", "--check", "node --test", "-m", model);
  expect(plan).toMatchObject({ code: 0, out: expect.stringContaining("not tried yet: you allow it with the plan") as string });
  expect(ran()).toEqual(["check"]);
  await sylk("session", "resume");
  expect(ran()).toEqual(["check", "program"]);
});
