/** How the checks stand before anything is built: who is told, how often they run, and what is done when the project moves on. */
import { expect, test, vi } from "vitest";
import { CHECKS, payloadsOf, planned, approve } from "./baseline.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

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
