/** Done means that something shows each assertion: a test that failed before and passes in the end, or a command. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, SUITE, teamProject, testOf, type TeamProject } from "../../support/team-project.ts";
import type { Draft } from "../../../src/flow/intent.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;

async function started(project: TeamProject, more: Parameters<TeamProject["options"]>[0] = {}): Promise<{ app: App; id: string }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options(more) });
  return { app, id };
}

async function eventsOf(app: App, types: string[]): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types, until }, 0, never)) found.push(payload as Record<string, unknown>);
  return found;
}

/** One piece with a second assertion. */
function withSecond(plan: Draft, text: string): Draft {
  return {
    ...plan,
    assertions: [...plan.assertions, { id: "A2", text, from: "user", shown_by: "test" }],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
  };
}

const TWO = {
  "test/loud.test.js":
    testOf("plain", "loud", "../src/loud.js", `assert.equal(loud("a"), "loud a")`) +
    `test("empty stays empty", () => { assert.equal(loud(""), ""); });\n`,
};
const LOUD = { "src/loud.js": 'export const loud = (text) => (text === "" ? "" : `loud ${text}`);\n' };

test("~EVI-001: each assertion is shown by its own test, named; one whose test never failed leaves the whole not done, by number", async () => {
  const told = ["A1: test/loud.test.js > plain: loud", "A2: test/loud.test.js > empty stays empty"];
  const good = [simplePiece("loud", { visible: TWO, builds: [LOUD], shows: told })];
  const first = teamProject(withSecond(planOf(good), "loud leaves an empty text empty"), good);
  const done = await started(first);
  const end = await done.app.api.send({ type: "request.run", id: done.id });
  expect(end.status).toBe("done");
  expect(end.end?.evidence["A1"]).toMatch(
    /^test\/loud\.test\.js > plain: loud failed before and passes at [0-9a-f]{10} \(node --test --test-isolation=none, as run at \S+ \(evt_\w+\)\)$/u,
  );
  expect(end.end?.evidence["A2"]).toMatch(/^test\/loud\.test\.js > empty stays empty failed before/u);
  await done.app.close();
  // Shown by a test that passed all the time: nobody saw it fail.
  const claimed = [simplePiece("loud", { shows: [told[0] ?? "", "A2: test/trim.test.js > plain: trim"] })];
  const second = teamProject(withSecond(planOf(claimed), "loud leaves trim alone"), claimed);
  const not = await started(second);
  const ended = await not.app.api.send({ type: "request.run", id: not.id });
  expect([ended.status, Object.keys(ended.end?.evidence ?? {})]).toEqual(["not_shown", ["A1"]]);
  expect(ended.end?.summary).toContain("Not shown: A2");
  const [returned] = await eventsOf(not.app, ["pipeline.returned"]);
  expect(returned?.["briefing"]).toMatchObject({ failure_analysis: expect.stringContaining("No failing test shows A2") as string });
  await not.app.close();
});

test("tests that are handed in without saying which assertion each shows are refused in the same task", async () => {
  const pieces = [simplePiece("loud", { visible: TWO, builds: [LOUD] })];
  const told = {
    when: { role: "tester", text: "say in shows which test shows A1, A2" },
    answer: {
      text: "so",
      tool_calls: [
        {
          name: "complete",
          input: { summary: "tests", shows: ["A1: test/loud.test.js > plain: loud", "A2: test/loud.test.js > empty stays empty"] },
        },
      ],
    },
  };
  const project = teamProject(withSecond(planOf(pieces), "loud leaves an empty text empty"), pieces, {}, [told]);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt, Object.keys(end.end?.evidence ?? {})]).toEqual(["done", 1, ["A1", "A2"]]);
  await app.close();
});

test("a plan that holds no assertion for a criterion of the user's is handed back to its writer; limits are put before the reviewer", async () => {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const covering = { ...plan, assertions: plan.assertions.map((one) => ({ ...one, criteria: [1] })) };
  const first = { when: { role: "architect", step: 1 }, answer: { text: "first", tool_calls: [{ name: "submit_plan", input: plan }] } };
  const project = teamProject(covering, pieces, {}, [first]);
  const { app, id } = await started(project, { criteria: ["loud is loud for every text"] });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.plan?.version]).toEqual(["done", 1]);
  const acted = await eventsOf(app, ["task.acted"]);
  expect(acted[0]?.["summary"]).toContain('no assertion holds criterion 1 of the person ("loud is loud for every text")');
  for (const task of [...(end.work[0]?.tasks ?? []), end.whole ?? ""]) {
    const { role, step } = await app.tasks.show(task);
    for (let at = 1; at <= step; at += 1) {
      const { user } = await app.tasks.context(task, at);
      expect([role, user.includes("no new dependencies"), user.includes("loud is loud for every text")]).toEqual([role, true, true]);
      expect([role, user.includes("limits of the person, each to be judged:\n1. no new dependencies")]).toEqual([
        role,
        role === "inspector",
      ]);
      // The builder reads what it is measured by.
      expect([role, role !== "engineer" || user.includes(`assert.equal(loud("a"), "loud a")`)]).toEqual([role, true]);
    }
  }
  await app.close();
});

test("held-out tests are in no object of git's that a builder can read, whatever the Tester ran and however often it was judged", async () => {
  const secret = "7c1d-held-out";
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "${secret}")`) };
  const tries = [
    { name: "run_command", input: { command: SUITE } },
    { name: "run_command", input: { command: "git add -A" } },
  ];
  const pieces = [simplePiece("loud", { hidden, tries })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["needs_you", 3]);
  const trees = gitIn(project.dir, "worktree", "list", "--porcelain").match(/^worktree .*$/gmu) ?? [];
  expect(trees.length).toBeGreaterThan(1);
  for (const line of trees) {
    const dir = line.slice("worktree ".length);
    const said = [
      gitIn(dir, "log", "--all", "-p"),
      gitIn(dir, "fsck", "--lost-found"),
      gitIn(dir, "cat-file", "--batch-all-objects", "--batch"),
    ].join("\n");
    expect(said).toContain("export const loud");
    expect(said).not.toContain(secret);
  }
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});
