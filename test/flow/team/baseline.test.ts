/** How the checks stand before anything is built: who is told, how often they run, and what is done when the project moves on. */
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const CHECKS = ["node --test", "node lint.mjs", "no-such-linter src"];
const FILES = {
  "lint.mjs": "console.log('src/trim.js:1: too plain'); process.exit(1);\n",
  "test/old.test.js": testOf("old", "trim", "../src/trim.js", `assert.equal(trim("a"), "b")`),
};
const never = new AbortController().signal;

async function payloadsOf(app: App, types: string[]): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types, until }, 0, never)) found.push(payload as Record<string, unknown>);
  return found;
}

/** A request whose plan shows two things by commands, one of them the project's own check. */
async function planned(): Promise<{ app: App; id: string; dir: string }> {
  const pieces = [simplePiece("loud")];
  const plan = planOf(pieces);
  const byCommand = (id: string, command: string) => ({
    id,
    text: `${command} is content`,
    from: "user" as const,
    shown_by: "command" as const,
    command,
  });
  const commands = [byCommand("A2", "node lint.mjs"), byCommand("A3", "node src/trim.js"), byCommand("A4", "no-such-linter src")];
  const drafted = {
    ...plan,
    assertions: [...plan.assertions, ...commands],
    nodes: plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2", "A3", "A4"] })),
  };
  const project = teamProject(drafted, pieces, FILES);
  const app = await project.open({ permissions: { allow: ["node *", "no-such-linter *"] } });
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: CHECKS, approve: "ask" }) });
  return { app, id, dir: project.dir };
}

const approve = (app: App, id: string) => app.api.send({ type: "question.answer", id, answer: { kind: "chosen", value: "approve" } });

test("the Architect is told how each check stands today, and the user sees it beside each command of the plan; nothing is measured twice", async () => {
  const { app, id } = await planned();
  const asked = await app.api.send({ type: "request.run", id });
  expect(asked.status).toBe("needs_you");

  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  const { user } = await app.tasks.context(architect?.id ?? "", 1);
  expect(user).toContain("how the checks stand today, before anything is built:");
  expect(user).toContain("node --test: fails with 1 named: old: trim");
  expect(user).toMatch(/node lint\.mjs: fails: exit 1: .*too plain/u);
  expect(user).toMatch(/no-such-linter src: could not run: /u);

  const { ask } = await app.api.query({ type: "question.show", id: asked.questions[0]?.id ?? "" });
  const text = ask.kind === "plan" ? ask.plan : "";
  expect(text).toContain("A2: node lint.mjs is content (shown by `node lint.mjs`; fails today)");
  expect(text).toContain("A3: node src/trim.js is content (shown by `node src/trim.js`; passes today)");
  expect(text).toMatch(/A4: .* \(shown by `no-such-linter src`; could not run: .* today\)/u);
  expect((await app.api.query({ type: "request.show", id })).plan?.text).toContain("node lint.mjs`; fails today");

  await approve(app, asked.questions[0]?.id ?? "");
  await app.api.send({ type: "request.run", id });
  expect(await payloadsOf(app, ["request.measured"])).toHaveLength(1);
  expect(await payloadsOf(app, ["plan.tried"])).toMatchObject([{ today: [{ command: "node src/trim.js", says: "passes" }] }]);
  expect(await payloadsOf(app, ["request.integration_opened"])).toMatchObject([
    { failing: expect.arrayContaining(["old: trim"]) as unknown, checks: CHECKS.map((command) => ({ command })) },
  ]);
});

test("a project that was changed before the plan was approved is measured anew, and the work begins from it", async () => {
  const { app, id, dir } = await planned();
  const asked = await app.api.send({ type: "request.run", id });
  writeFileSync(path.join(dir, "lint.mjs"), "console.log('fine');\n");
  appendFileSync(path.join(dir, "src/trim.js"), "export const more = 1;\n");
  await approve(app, asked.questions[0]?.id ?? "");
  await app.api.send({ type: "request.run", id });
  const measured = await payloadsOf(app, ["request.measured"]);
  expect(measured.map(({ today }) => (today as { says: string }[]).map(({ says }) => says))).toEqual([
    ["fails", "fails", "could_not_run"],
    ["fails", "passes", "could_not_run"],
  ]);
  expect((await payloadsOf(app, ["request.integration_opened"]))[0]?.["base"]).toBe(measured[1]?.["base"]);
});
