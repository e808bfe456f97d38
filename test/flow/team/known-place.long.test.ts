/** Before anything is planned or built somewhere, how sound that place is and what failed there stands on record, and before whoever works there. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

async function eventsOf(app: App, types: string[]): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: { type: string; payload: Record<string, unknown> }[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, new AbortController().signal))
    found.push({ type, payload: payload as Record<string, unknown> });
  return found;
}

const HEALTH = "GREENFIELD, patterns 0.00, coverage unknown, 0 debt markers; there are no patterns yet: set them with the user's approval";

test("AGT-042: no plan is drafted before the health of the place and its failures are on record; the Architect reads both, the user sees both, and a plan that rests on neither is refused", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  await app.memory.reportMistake(
    { pattern: "adding functions to trim", error: "the old tests broke", fix: "a file of its own" },
    { dryRun: false },
  );
  const { id } = await app.api.send({
    type: "request.start",
    options: project.options({ approve: "plan-only", words: "add functions in src, and never touch trim" }),
  });
  const planned = await app.api.send({ type: "request.run", id });
  expect(planned.status).toBe("planned");
  const told = await eventsOf(app, ["request.assessed", "request.task_opened", "plan.drafted"]);
  const own = told.filter(({ payload }) => payload["purpose"] !== "classify");
  expect(own.map(({ type, payload }) => [type, payload["plan_version"] ?? payload["purpose"]])).toEqual([
    ["request.assessed", 1],
    ["request.task_opened", "plan"],
    ["plan.drafted", 1],
  ]);
  expect(own[0]?.payload).toMatchObject({
    health: [
      { area: ".", maturity: "GREENFIELD", pattern_confidence: 0, test_coverage: null, debt_markers: 0 },
      { area: "src", maturity: "GREENFIELD" },
    ],
    failures: {
      failure_patterns: [{ pattern: "adding functions to trim", error: "the old tests broke", fix: "a file of its own", occurrences: 1 }],
      success_statistics: { similar: 0, succeeded: 0 },
      warnings: [expect.stringMatching(/^adding functions to trim: the old tests broke\. What helped: a file of its own \(1×\)$/u)],
    },
  });
  const { user } = await app.tasks.context(String(own[1]?.payload["task"]), 1);
  expect(user).toContain(`health of the place:\nthe project: ${HEALTH}\n  low confidence: look at the patterns by hand`);
  expect(user).toContain("no request like this one came to its end here before\nadding functions to trim");
  const { ask } = await app.questions.find(planned.questions[0]?.id ?? "");
  expect(ask).toMatchObject({
    plan: expect.stringContaining(
      "What is known of the place\n  the project: too small to show how things are done here; what is built now sets it\n  src: too small",
    ),
  });
  expect(ask).toMatchObject({ plan: expect.stringContaining("  adding functions to trim") });
  // Started by hand, nothing was looked at first.
  const bare = await app.tasks.start({
    goal: "add loud",
    type: "plan_request",
    role: "architect",
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "default",
    maxSteps: 1,
    worktree: false,
  });
  const ended = await app.tasks.run(bare, () => undefined, new AbortController().signal);
  expect(ended.status).toBe("escalated");
  const acted = (await eventsOf(app, ["task.acted"])).at(-1)?.payload;
  expect(acted).toMatchObject({ action: "submit_plan", outcome: "refused" });
  expect(acted?.["summary"]).toContain("the health of the place and its past failures are not on record");
  await app.close();
});

test("~AGT-042: what the user stopped or rejected is no failure of requests like it", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  const begun = async (more: Parameters<typeof project.options>[0]): Promise<string> =>
    (await app.api.send({ type: "request.start", options: project.options(more) })).id;
  const stopped = await begun({ approve: "ask" });
  await app.api.send({ type: "request.run", id: stopped });
  await app.api.send({ type: "request.cancel", id: stopped, reason: "changed my mind" });
  const rejected = await begun({ approve: "ask" });
  const { questions } = await app.api.send({ type: "request.run", id: rejected });
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: { kind: "chosen", value: "reject" } });
  expect((await app.api.send({ type: "request.run", id: rejected })).status).toBe("rejected");
  await app.api.send({ type: "request.run", id: await begun({ approve: "auto" }) });
  const last = await begun({ approve: "plan-only" });
  await app.api.send({ type: "request.run", id: last });
  const told = await eventsOf(app, ["request.assessed"]);
  expect(told.map(({ payload }) => payload["failures"])).toMatchObject([
    { success_statistics: { similar: 0, succeeded: 0 }, warnings: [] },
    { success_statistics: { similar: 0, succeeded: 0 }, warnings: [] },
    { success_statistics: { similar: 0, succeeded: 0 }, warnings: [] },
    { success_statistics: { similar: 1, succeeded: 1 }, warnings: [] },
  ]);
  await app.close();
});

test("AGT-051: whoever changes something is told the health of the area first, in a piece of a request as in a task of its own; whoever only reads is not", async () => {
  const pieces = [simplePiece("loud")];
  const alone = { when: { role: "specialist" }, answer: { text: "so", tool_calls: [{ name: "complete", input: { summary: "done" } }] } };
  const project = teamProject(planOf(pieces), pieces, {}, [alone]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("done");
  const seen: Record<string, boolean> = {};
  for (const task of end.work[0]?.tasks ?? []) {
    const { role } = await app.tasks.show(task);
    seen[role] = (await app.tasks.context(task, 1)).user.includes(
      `health of the place:\n${role === "engineer" ? "src" : "the project"}: ${HEALTH}`,
    );
  }
  expect(seen).toEqual({ tester: true, engineer: true, inspector: false });
  const single = {
    goal: "add loud",
    criteria: [],
    constraints: [],
    checks: ["node --test"],
    model: project.rules,
    profile: "default",
    maxSteps: 1,
  };
  for (const [type, isTold] of [
    ["implement_feature", true],
    ["review", false],
  ] as const) {
    const task = await app.tasks.start({ ...single, type, role: "specialist", worktree: false });
    await app.tasks.run(task, () => undefined, new AbortController().signal);
    expect([type, (await app.tasks.context(task, 1)).user.includes(`the project: ${HEALTH}`)]).toEqual([type, isTold]);
  }
  await app.close();
});

test("AGT-012: plans and pieces are kept going by code: nobody can ask the Orchestrator, it may do nothing as a model, and no model speaks for it from the request to the merge", async () => {
  const pieces = [simplePiece("loud")];
  const asks = {
    when: { role: "engineer", step: 1 },
    answer: { text: "help", tool_calls: [{ name: "consult", input: { target: "orchestrator", question: "what next?" } }] },
  };
  const build = {
    when: { role: "engineer", step: 2 },
    answer: {
      text: "so",
      tool_calls: [{ name: "write_file", input: { path: "src/loud.js", content: "export const loud = (text) => `loud ${text}`;\n" } }],
    },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [asks, build]);
  const app = await project.open();
  const { agents } = await app.api.query({ type: "agent.list" });
  const matrix: Record<string, { consults: unknown; actions: unknown }> = {};
  for (const { role } of agents) {
    const { fields } = await app.api.query({ type: "agent.show", role });
    const of = (name: string) => fields.find((field) => field.name === name)?.value;
    matrix[role] = { consults: of("consults"), actions: of("actions") };
  }
  expect(matrix["orchestrator"]).toEqual({ consults: [], actions: [] });
  expect(JSON.stringify(Object.values(matrix))).not.toContain("orchestrator");
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.state]).toEqual(["done", "merged"]);
  const { rows } = await app.usage.report({ by: "role", period: "all" });
  expect(rows.map(({ key }) => key).toSorted()).toEqual(["architect", "engineer", "inspector", "tester"]);
  const asked = (await eventsOf(app, ["task.acted"])).find(({ payload }) => payload["action"] === "consult");
  expect(asked?.payload).toMatchObject({ ok: false, target: "orchestrator: what next?" });
  expect((await eventsOf(app, ["task.created"])).filter(({ payload }) => payload["role"] === "orchestrator")).toEqual([]);
  await app.close();
});
