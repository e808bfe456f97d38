/** Ways in which work could be called done that is not, or be lost on its way to the user's folder. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, testOf, type TeamPiece, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

async function started(project: TeamProject, more: Parameters<TeamProject["options"]>[0] = {}): Promise<{ app: App; id: string }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options(more) });
  return { app, id };
}

const answer = async (app: App, id: string, value: string): Promise<void> => {
  const { questions } = await app.api.query({ type: "request.show", id });
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: { kind: "chosen", value } });
};

const treesIn = ({ dir }: TeamProject): string[] => gitIn(dir, "branch", "--list", "sylk/*").match(/sylk\/\S+/gu) ?? [];

test("a builder that changes how tests are run is judged by how they were run", async () => {
  const cheat = { "package.json": FILES["package.json"].replace("node --test", "true") };
  const pieces = [simplePiece("loud", { builds: [cheat] })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project, { checks: ["npm test"] });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.state, end.work[0]?.attempt]).toEqual(["needs_you", "needs_you", 3]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("tests that stood there before are as they were, whatever a builder makes of them", async () => {
  const weak = { "test/trim.test.js": testOf("plain", "trim", "../src/trim.js", "assert.ok(trim)") };
  const broken = {
    "src/trim.js": "export const trim = (text) => text;\n",
    "src/loud.js": "export const loud = (text) => `loud ${text}`;\n",
  };
  const pieces = [simplePiece("loud", { builds: [{ ...weak, ...broken }] })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("needs_you");
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("PIP-005: work that nobody reviewed is a question, not a done", async () => {
  const pieces = [simplePiece("loud")];
  const silent = {
    when: { role: "inspector" },
    answer: { text: "hm", tool_calls: [{ name: "read_file", input: { path: "src/trim.js" } }] },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [silent]);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions[0]?.text]).toEqual(["needs_you", expect.stringContaining("nobody reviewed it")]);
  // Its tests pass; without the other judge it is neither merged nor built again.
  expect([end.work[0]?.state, end.work[0]?.attempt]).toEqual(["needs_you", 1]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("a file that a piece deletes goes from the user's folder too, and comes back when that is taken back", async () => {
  const gone = {
    when: { role: "engineer", step: 2 },
    answer: { text: "gone", tool_calls: [{ name: "delete_file", input: { path: "old.txt" } }] },
  };
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces, { "old.txt": "old\n" }, [gone]);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, Object.keys(filesOf(project.dir)).includes("old.txt")]).toEqual(["done", false]);
  await app.changes.undo(end.whole ?? "", { dryRun: false, force: false, signal: new AbortController().signal });
  expect(filesOf(project.dir)).toEqual({ ...FILES, "old.txt": "old\n" });
  await app.close();
});

test("what the user broke meanwhile in another file is told: merged, and not called done", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project, { approve: "ask" });
  await app.api.send({ type: "request.run", id });
  await answer(app, id, "approve");
  await app.api.send({ type: "request.run", id });
  writeFileSync(path.join(project.dir, "src/trim.js"), "export const trim = (text) => text;\n");
  await answer(app, id, "yes");
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.end?.summary]).toEqual(["not_shown", expect.stringContaining("plain: trim")]);
  expect(Object.keys(filesOf(project.dir))).toContain("src/loud.js");
  await app.close();
});

test("stopped while it waits with built work, it leaves no tree, no branch and no question", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project, { approve: "ask" });
  await app.api.send({ type: "request.run", id });
  await answer(app, id, "approve");
  await app.api.send({ type: "request.run", id });
  expect(treesIn(project)).not.toEqual([]);
  await app.api.send({ type: "request.cancel", id, reason: "no" });
  expect(treesIn(project)).toEqual([]);
  expect(await app.api.query({ type: "question.list", ended: false })).toEqual([]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("whoever combines two sides cannot change the tests of either", async () => {
  const list = (inside: string): string => `export const list = () => [\n  ${inside},\n];\n`;
  const demand = (number: number): string => testOf(`has ${number}`, "list", "../src/list.js", `assert.ok(list().includes(${number}))`);
  const weak = testOf("weak", "list", "../src/list.js", "assert.ok(true)");
  const piece = (name: string, number: number): TeamPiece => ({
    name,
    visible: { [`test/${name}.test.js`]: demand(number) },
    builds: [{ "src/list.js": list(String(number)) }],
  });
  const pieces = [piece("two", 2), piece("three", 3)];
  const plan = planOf(pieces);
  // As far as the plan can tell they have nothing in common.
  const apart = { ...plan, nodes: plan.nodes.map((node) => ({ ...node, files: [`test/${node.title}.test.js`] })) };
  const combines = [list("2, 3"), weak, weak].map((content, index) => ({
    when: { role: "reconciler", step: index + 1 },
    answer: {
      text: "so",
      tool_calls: [{ name: "write_file", input: { path: ["src/list.js", "test/two.test.js", "test/three.test.js"][index], content } }],
    },
  }));
  const ends = {
    when: { role: "reconciler" },
    answer: { text: "both", tool_calls: [{ name: "complete", input: { summary: "both hold" } }] },
  };
  const project = teamProject(apart, pieces, { "src/list.js": list("1") }, [...combines, ends]);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions]).toEqual(["done", []]);
  const roles = await Promise.all(end.work.flatMap((one) => one.tasks).map(async (task) => (await app.tasks.show(task)).role));
  expect(roles).toContain("reconciler");
  const files = filesOf(project.dir);
  expect([files["test/two.test.js"], files["test/three.test.js"], files["src/list.js"]]).toEqual([demand(2), demand(3), list("2, 3")]);
  await app.close();
});
