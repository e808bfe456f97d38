/** `continue-request.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, teamProject } from "../support/team-project.ts";
import { pieces } from "./continue-request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a plan that waits is gone on with by -c, an end is shown again, and a fork begins from the same state with the same plan", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args);
  expect((await sylk("-c")).err).toContain("there is no request");
  expect((await sylk("run", "add loud", "--approve", "plan-only", "--check", "node --test", "-m", project.rules)).code).toBe(0);
  const before = filesOf(project.dir);
  // The plan is approved by going on; what reaches the folder is asked about.
  expect((await sylk("-c")).code).toBe(4);
  const [question] = JSON.parse((await sylk("questions", "--json")).out) as { id: string }[];
  await sylk("answer", question?.id ?? "", "yes");
  expect((await sylk("--continue")).code).toBe(0);
  expect(Object.keys(filesOf(project.dir))).toContain("src/loud.js");
  const shown = await sylk("-c");
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("done")]);
  const last = JSON.parse((await sylk("session", "list", "--json")).out) as { id: string }[];
  const forked = await sylk("-r", last[0]?.id ?? "", "--fork");
  const list = JSON.parse((await sylk("session", "list", "--json")).out) as { id: string }[];
  expect([forked.code, forked.out, list.length]).toEqual([0, expect.stringMatching(/^planned; nothing was built/u), 2]);
  expect(before).not.toHaveProperty("src/loud.js");
});
