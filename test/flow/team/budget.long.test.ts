/** What a request may cost, what it runs, and how often its plan may be talked about: questions, never lost attempts. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { openApp } from "../../support/lab.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;

async function eventsOf(app: App, types: string[]): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types, until }, 0, never)) found.push(payload as Record<string, unknown>);
  return found;
}

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

function priced(project: TeamProject, budgets: unknown = {}): TeamProject {
  const home = project.env["SYLK_HOME"] ?? "";
  mkdirSync(home, { recursive: true });
  writeFileSync(
    path.join(home, "config.yaml"),
    `llm:\n  catalogue:\n    ${JSON.stringify(project.rules)}: { input_price: 1, output_price: 0, max_output: 1000 }\n  budgets: ${JSON.stringify(budgets)}\n`,
  );
  return project;
}

test("a spent budget asks, and an amount lets the same phase go on; what consultations cost is counted", async () => {
  const pieces = [simplePiece("loud")];
  const asks = {
    when: { role: "architect", step: 1 },
    answer: call("consult", { target: "librarian", question: "where is text trimmed?" }),
  };
  const answers = {
    when: { role: "librarian" },
    answer: call("answer", { answer: "in trim()", sources: ["src/trim.js:1"], confidence: 0.9 }),
  };
  const project = priced(teamProject(planOf(pieces), pieces, {}, [asks, answers]));
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ budget_usd: 0.012 }) });
  let end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("needs_you");
  const [question] = end.questions;
  const answer = (words: string) =>
    app.api.send({ type: "question.answer", id: question?.id ?? "", answer: { kind: "chosen", value: "raise", words } });
  await expect(answer("much")).rejects.toThrow(/raise needs an amount above 0/u);
  await answer("5");
  end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 1]);
  expect(await eventsOf(app, ["request.budget_raised"])).toEqual([{ usd: 5.012 }]);
  const { total } = await app.api.query({ type: "usage.report", by: "session", where: { session: id }, period: "all" });
  expect(end.usage.calls).toBe(total.calls);
  expect(end.cost_usd).toBeCloseTo(total.cost_nano_usd / 1e9, 9);
  const consulted = (await app.tasks.list()).filter(({ type }) => type === "consult");
  expect(consulted).toHaveLength(1);
  expect(end.cost_usd).toBeGreaterThan(consulted[0]?.cost_usd ?? Infinity);
  await app.close();
});

/** So much is enough for the plan and a few steps of the pieces, and not for all of them. */
const LITTLE_USD = 0.03;

test.each([
  ["request", {}],
  ["session", { session: { usd: LITTLE_USD } }],
  ["project", { project: { usd: LITTLE_USD } }],
  ["day", { day: { usd: LITTLE_USD } }],
])("a spent %s budget stops pieces that work side by side, is never passed, and asks", async (level, budgets) => {
  const pieces = [simplePiece("loud"), simplePiece("calm"), simplePiece("neat")];
  const project = priced(teamProject(planOf(pieces), pieces), budgets);
  const app = await project.open();
  const { id } = await app.api.send({
    type: "request.start",
    options: project.options(level === "request" ? { budget_usd: LITTLE_USD } : {}),
  });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("needs_you");
  const named = level === "request" ? "session" : level;
  expect(end.questions.map(({ text }) => text).join("\n")).toContain(`the ${named} budget is used up`);
  expect(end.cost_usd).toBeGreaterThan(LITTLE_USD / 2);
  expect(end.cost_usd).toBeLessThanOrEqual(LITTLE_USD);
  await app.close();
});

test("commands of a plan that nobody allowed are asked for before a piece begins, and cost no attempt", async () => {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const command = "node verify.mjs";
  const shown = {
    ...plan,
    assertions: [...plan.assertions, { id: "A2", text: "trim stays", from: "user" as const, shown_by: "command" as const, command }],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] })),
  };
  const project = teamProject(shown, pieces, { "verify.mjs": "process.exit(0);\n" });
  const env = { ...project.env, SYLK_SECURITY_SANDBOX_MODE: "off" };
  const app = await openApp({ cwd: project.dir, env, clock: systemClock });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const asked = await app.api.send({ type: "request.run", id });
  expect([asked.status, asked.work]).toEqual(["needs_you", []]);
  expect(asked.questions[0]?.text).toContain(command);
  await app.api.send({ type: "question.answer", id: asked.questions[0]?.id ?? "", answer: { kind: "chosen", value: "allow" } });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 1]);
  expect(end.end?.evidence["A2"]).toContain(`\`${command}\` passes at`);
  expect(await eventsOf(app, ["plan.approved"])).toEqual([{ plan_version: 1, commands: [command] }]);
  await app.close();
});

test("a plan may be talked about as often as the user likes; one that comes back unchanged says so", async () => {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const versions = Array.from({ length: 8 }, (_, index) => ({
    when: { role: "architect", text: `Of version ${8 - index}:` },
    answer: call("submit_plan", { ...plan, summary: `version ${Math.min(8, 9 - index)}` }),
  }));
  const project = teamProject(plan, pieces, {}, versions);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ approve: "ask" }) });
  const said: string[] = [];
  for (let version = 1; version <= 9; version += 1) {
    const asked = await app.api.send({ type: "request.run", id });
    expect([asked.status, asked.plan?.version]).toEqual(["needs_you", version]);
    said.push(asked.questions[0]?.text ?? "");
    const words = `more, the ${version}th time`;
    await app.api.send({ type: "question.answer", id: asked.questions[0]?.id ?? "", answer: { kind: "chosen", value: "edit", words } });
  }
  expect(said.map((text) => text.startsWith("What you said changed nothing"))).toEqual([...Array.from({ length: 8 }, () => false), true]);
  await app.close();
});
