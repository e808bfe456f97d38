/** `sylk run` and `sylk session` as a user types them. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../support/team-project.ts";
import { pieces, sylk } from "./run-request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("only a plan, as JSON lines for programs", async () => {
  const project = teamProject(planOf(pieces), pieces);
  const run = await sylk(project, "run", "add loud", "--approve", "plan-only", "-m", project.rules, "--json");
  expect(run.code).toBe(0);
  const lines = run.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  // The plan, that it waits for a word, the outcome.
  expect(lines.map(({ type }) => type)).toEqual(["request", "request", "outcome"]);
  expect(lines.at(-1)).toMatchObject({ status: "planned", plan: { version: 1, approved: false } });
  expect(filesOf(project.dir)).toEqual(FILES);
});

test.each([
  [["run", "x", "--approve", "perhaps"], /--approve takes ask, auto, plan-only/],
  [["run", "x", "--max-budget-usd", "none"], /--max-budget-usd takes an amount above 0/],
  [["run", " "], /a request needs words/],
  [["session", "show"], /there is no request here yet/],
  [["session", "show", "zzz"], /there is no request zzz/],
])("what makes no sense is told: %s", async (args, words) => {
  const project = teamProject(planOf(pieces), pieces);
  const told = await sylk(project, ...args, ...(args[0] === "run" ? ["-m", project.rules] : []));
  expect(told.err).toMatch(words);
  expect(told.code).toBeGreaterThan(0);
});

test("which pictures leave is said on the screen before anything begins", async () => {
  const project = teamProject(planOf([simplePiece("loud")]), [simplePiece("loud")]);
  const dots = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAEUlEQVR4nGP8z8Dwn4GBgQEADQ4CARcVkHcAAAAASUVORK5CYII=";
  writeFileSync(path.join(project.dir, "shot.png"), Buffer.from(dots, "base64"));
  const told = await sylk(project, "run", "look at @shot.png", "--detach");
  expect([told.code, told.err]).toEqual([0, expect.stringContaining("the model is shown shot.png")]);
  const none = await sylk(project, "task", "start", "look at @shot.png", "--detach", "-m", project.rules);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("takes no pictures")]);
});
