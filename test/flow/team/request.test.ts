/** A request from its words to the user's folder, with real trees, tests, commits and merges; only the models' voices are scripted. */
import { expect, test, vi } from "vitest";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";
import { never, started, eventsOf, treesIn } from "./request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("PIP-005 ~PIP-002 ~PIP-003 ~INT-002: two pieces are built apart, tests first, judged with tests their builders never saw, and merged; the user's words stand in every request", async () => {
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const pieces = [simplePiece("loud", { hidden }), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("done");
  expect(end.shape?.mode).toBe("team");
  expect(Object.keys(end.end?.evidence ?? {})).toEqual(["A1", "A2"]);
  expect(end.work.map(({ state }) => state)).toEqual(["merged", "merged"]);
  const files = filesOf(project.dir);
  expect(Object.keys(files).toSorted()).toEqual(
    [...Object.keys(FILES), "src/calm.js", "src/loud.js", "test/calm.test.js", "test/loud-more.test.js", "test/loud.test.js"].toSorted(),
  );
  expect(files["src/trim.js"]).toBe(FILES["src/trim.js"]);
  // Nothing of it is left, and nothing was committed for the user.
  expect(treesIn(project)).toBe("");
  expect(gitIn(project.dir, "log", "--oneline").trim().split("\n")).toHaveLength(1);
  for (const task of [...end.work.flatMap((piece) => piece.tasks), end.whole ?? ""]) {
    const { role, step } = await app.tasks.show(task);
    for (let at = 1; at <= step; at += 1) {
      const { user } = await app.tasks.context(task, at);
      expect(user).toContain("add the functions, and never touch trim");
      expect(user).toContain("no new dependencies");
      expect([role, user.includes("loud-more") && role === "engineer"]).toEqual([role, false]);
    }
  }
  const undone = await app.changes.undo(end.whole ?? "", { dryRun: false, force: false, signal: never });
  expect(undone.kind).toBe("undone");
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("PIP-039: a plan whose pieces wait for each other is handed back to its writer, not to the user", async () => {
  const pieces = [simplePiece("loud", { after: ["n2"] }), simplePiece("calm", { after: ["n1"] })];
  const good = planOf([simplePiece("loud"), simplePiece("calm")]);
  const first = {
    when: { role: "architect", step: 1 },
    answer: { text: "first", tool_calls: [{ name: "submit_plan", input: planOf(pieces) }] },
  };
  const project = teamProject(good, [simplePiece("loud"), simplePiece("calm")], {}, [first]);
  const { app, id } = await started(project, { approve: "plan-only" });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.plan?.plan.nodes[0]?.after]).toEqual(["planned", []]);
  const acted = await eventsOf(app, ["task.acted"]);
  expect(String(acted[0]?.payload["summary"])).toContain("n1 → n2 → n1");
  await app.close();
});

test("cancelled in the middle nothing of it reaches the folder, nothing goes on, and no tree is left", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project, { approve: "ask" });
  await app.api.send({ type: "request.run", id });
  await app.api.send({ type: "request.cancel", id, reason: "changed my mind" });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("cancelled");
  expect(end.questions).toEqual([]);
  expect(filesOf(project.dir)).toEqual(FILES);
  expect(treesIn(project)).toBe("");
  await app.close();
});
