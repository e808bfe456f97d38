/** `plan-status-review.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, teamProject } from "../support/team-project.ts";
import { pieces, sylk, json } from "./plan-status-review.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("~PLN-076: a plan is shown and nothing is built; going on with it is its approval, and the status tells what waits", async () => {
  const project = teamProject(planOf(pieces), pieces);
  expect((await sylk(project, "status")).out).toBe("nothing runs and nothing waits for you; today $0\n");
  const plan = await sylk(project, "plan", "add loud", "--check", "node --test", "-m", project.rules);
  expect([plan.code, filesOf(project.dir)]).toEqual([0, FILES]);
  expect(plan.out).toMatch(
    /planned; nothing was built[\s\S]*A1: loud does what was asked for[\s\S]*n1 loud[\s\S]*build it: sylk session resume/,
  );
  expect((await sylk(project, "status")).out).toMatch(/requests\n.*planned.*add loud[\s\S]*waiting for you \(1\)[\s\S]*today \$0/);
  const built = await sylk(project, "session", "resume");
  // Only the last merge is still the user's to allow.
  expect([built.code, filesOf(project.dir)]).toEqual([4, FILES]);
  expect(built.out).toMatch(/Merge it into your folder\?/);
  const status = json((await sylk(project, "status", "--json")).out);
  expect(status).toMatchObject({
    requests: [{ status: "needs_you", merged: 1 }],
    waiting: [{ message: expect.stringContaining("Merge it") as string }],
  });
});
