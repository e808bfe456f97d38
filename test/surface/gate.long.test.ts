/** What a review may not ask of a builder, as the user is told of it. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("~INT-067: a correction that breaks a limit is told to the user, with the limit, and waits for their word", async () => {
  const finding = {
    text: "it counts by hand",
    evidence: { kind: "rule", what: "no new dependencies" },
    fix: { correction: "install the counting package", breaks: [1], impacts: [], cause: 0.9, why: "seen" },
  };
  const pieces = [simplePiece("loud", { finds: [[finding]] })];
  const project = teamProject(planOf(pieces), pieces);
  const flags = ["--team", "--approve", "auto", "--constraint", "no new dependencies", "--check", "node --test", "-m", project.rules];
  const told = await runSylk(project.dir, project.env, ["run", "add loud", ...flags], 300_000);
  expect(told.code).toBe(4);
  expect(told.err).toContain('not sent, it breaks your limit "no new dependencies": it counts by hand');
  expect(told.out).toMatch(/install the counting package\. That breaks your limit "no new dependencies", so nobody was told to/);
});
