/** A project some of whose tests failed before: nobody is held up by them, told of them at length or blamed for them. */
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const OLD = { "test/old.test.js": testOf("old", "trim", "../src/trim.js", `assert.equal(trim(" b "), "another trim altogether")`) };

test("what failed before a request is named in a line, refuses no completion and is no reason to send work back", async () => {
  const loud = { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" };
  const builds = [1, 0].map((code) => ({ ...loud, "both.js": `process.exit(${code});\n` }));
  const pieces = [simplePiece("loud", { builds })];
  const plan = planOf(pieces);
  const command = { id: "A2", text: "both agree", from: "user" as const, shown_by: "command" as const, command: "node both.js" };
  const nodes = plan.nodes.map((node) => ({ ...node, assertions: ["A1", "A2"] }));
  const project = teamProject({ ...plan, nodes, assertions: [...plan.assertions, command] }, pieces, OLD);
  // Asked about where nothing is sandboxed.
  const app = await project.open({ permissions: { allow: ["node both.js"] } });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions[0]?.text, end.work[0]?.attempt]).toEqual(["done", undefined, 2]);
  const tasks = await Promise.all((end.work[0]?.tasks ?? []).map((task) => app.tasks.show(task)));
  const builders = tasks.filter((task) => task.role === "engineer");
  // It writes two files and says that it is done; asked again, it would take a fourth step.
  expect(builders.map(({ step }) => step)).toEqual([3, 3]);
  for (const role of ["tester", "engineer"]) {
    const { user } = await app.tasks.context(tasks.find((task) => task.role === role)?.id ?? "", 1);
    expect(user).toMatch(/1 failed before this work began and are not yours:\n✗ old: trim/u);
    expect(user).not.toContain("another trim altogether");
  }
  const { user: second } = await app.tasks.context(builders[1]?.id ?? "", 1);
  const told = second.slice(second.indexOf("This is attempt 2."), second.indexOf("Given, what is built so far"));
  expect(told).toContain("A2 fails: ");
  expect(told).not.toMatch(/check fails|old: trim|not in your tree/u);
  expect(told).toMatch(/Do not repeat:\n- built loud: A2 fails: .{1,160}\n/u);
  await app.close();
});
