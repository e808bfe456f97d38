/** `sylk plan`, `sylk status` and `sylk review` as a user types them. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const pieces = [simplePiece("loud")];
const sylk = ({ dir, env }: TeamProject, ...args: string[]) => runSylk(dir, env, args, 300_000);
const json = (text: string): Record<string, unknown> => JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;

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
