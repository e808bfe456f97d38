/** `sylk plan`, `sylk status` and `sylk review` as a user types them. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, teamProject } from "../support/team-project.ts";
import { pieces, sylk, json } from "./plan-status-review.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a range is reviewed without a change: 0 where nothing is found, 3 where something shows a finding", async () => {
  const finding = (what: string): unknown => ({ text: "it trims nothing", path: "src/trim.js", evidence: { kind: "command", what } });
  const reviews = (text: string, found: unknown[]): unknown => ({
    when: { role: "inspector", text },
    answer: { text: "so", tool_calls: [{ name: "submit_review", input: { summary: "looked", findings: found } }] },
  });
  const project = teamProject(planOf(pieces), pieces, {}, [
    reviews("Review this change: HEAD~1..HEAD", [finding("node --test")]),
    reviews("Review this change: what is not committed", [{ text: "a matter of taste" }]),
  ]);
  const broken = path.join(project.dir, "src/trim.js");
  writeFileSync(broken, "export const trim = (text) => text;\n");
  gitIn(project.dir, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "break it");
  const found = await sylk(project, "review", "HEAD~1..HEAD", "-m", project.rules, "--allow", "line:node --test");
  expect([found.code, found.out]).toEqual([
    3,
    expect.stringMatching(/1 found[\s\S]*src\/trim.js {2}it trims nothing {2}\[command: node --test\]/),
  ]);
  writeFileSync(broken, FILES["src/trim.js"]);
  const fine = await sylk(project, "review", "-m", project.rules, "--json");
  expect(fine.code).toBe(0);
  expect(json(fine.out)).toMatchObject({
    passed: true,
    title: "what is not committed",
    findings: [{ text: "a matter of taste", blocks: false }],
  });
  expect((await sylk(project, "review", "nowhere..HEAD", "-m", project.rules)).err).toContain("nowhere names no commits here");
  expect(filesOf(project.dir)).toEqual(FILES);
  expect(gitIn(project.dir, "branch", "--list", "sylk/*")).toBe("");
});
