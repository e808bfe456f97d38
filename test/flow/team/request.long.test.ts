/** `request.test.ts` goes on here with what takes longer. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, testOf, type TeamPiece } from "../../support/team-project.ts";
import { started, eventsOf, treesIn } from "./request.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("PIP-014 PIP-005: a piece that never passes asks after three tries: left out, what needs it says so and the rest is merged", async () => {
  const never = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "never")`) };
  const pieces = [simplePiece("loud", { hidden: never }), simplePiece("calm"), simplePiece("needs", { after: ["n1"] })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const waiting = await app.api.send({ type: "request.run", id });
  expect([waiting.status, waiting.questions.length, waiting.work[0]?.attempt]).toEqual(["needs_you", 1, 3]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.api.send({ type: "question.answer", id: waiting.questions[0]?.id ?? "", answer: { kind: "chosen", value: "skip" } });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("not_shown");
  expect(end.work.map(({ state }) => state)).toEqual(["skipped", "merged", "skipped"]);
  expect(end.work[2]?.why).toContain("n1");
  expect(Object.keys(end.end?.evidence ?? {})).toEqual(["A2"]);
  expect(Object.keys(filesOf(project.dir))).not.toContain("src/loud.js");
  expect(treesIn(project)).toBe("");
  await app.close();
});

test("PIP-009: a builder cannot change the tests", async () => {
  const cheat = { "test/loud.test.js": testOf("plain", "loud", "../src/loud.js", "") };
  const honest = { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" };
  const pieces = [simplePiece("loud", { builds: [{ ...cheat, ...honest }] })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("done");
  expect(filesOf(project.dir)["test/loud.test.js"]).toBe(pieces[0]?.visible?.["test/loud.test.js"]);
  const refused = await eventsOf(app, ["task.acted"]);
  expect(
    refused.some(
      ({ payload }) =>
        payload["action"] === "write_file" && payload["ok"] === false && String(payload["summary"]).includes("not yours to change"),
    ),
  ).toBe(true);
  await app.close();
});

test("~PLN-076: nothing is built before the plan is approved; words become the next version; the merge is asked for", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project, { approve: "ask" });
  const asked = await app.api.send({ type: "request.run", id });
  expect([asked.status, asked.work]).toEqual(["needs_you", []]);
  const answer = async (value: string, words?: string): Promise<void> => {
    const { questions } = await app.api.query({ type: "request.show", id });
    await app.api.send({
      type: "question.answer",
      id: questions[0]?.id ?? "",
      answer: { kind: "chosen", value, ...(words === undefined ? {} : { words }) },
    });
  };
  await answer("edit", "say loud louder");
  const second = await app.api.send({ type: "request.run", id });
  expect([second.status, second.plan?.version, second.plan?.approved]).toEqual(["needs_you", 2, false]);
  const drafts = await eventsOf(app, ["plan.drafted"]);
  expect((await app.tasks.context(String(drafts[1]?.payload["task"]), 1)).user).toContain("say loud louder");
  await answer("approve");
  const built = await app.api.send({ type: "request.run", id });
  expect([built.status, built.work[0]?.state]).toEqual(["needs_you", "merged"]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await answer("yes");
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  expect(Object.keys(filesOf(project.dir))).toContain("src/loud.js");
  await app.close();
});

test("what the user changed meanwhile is combined, and where it cannot be the user's file stays as it is", async () => {
  const numbers = "export const numbers = () => [\n  1,\n];\n";
  const piece: TeamPiece = {
    name: "numbers",
    visible: { "test/numbers.test.js": testOf("plain", "numbers", "../src/numbers.js", `assert.deepEqual(numbers(), [2])`) },
    builds: [{ "src/numbers.js": numbers.replace("1,", "2,") }],
  };
  const project = teamProject(planOf([piece]), [piece], { "src/numbers.js": numbers });
  const { app, id } = await started(project, { approve: "ask" });
  await app.api.send({ type: "request.run", id });
  const answer = async (value: string): Promise<void> => {
    const { questions } = await app.api.query({ type: "request.show", id });
    await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: { kind: "chosen", value } });
  };
  await answer("approve");
  await app.api.send({ type: "request.run", id });
  const mine = numbers.replace("1,", "3,");
  writeFileSync(path.join(project.dir, "src/numbers.js"), mine);
  await answer("yes");
  const disputed = await app.api.send({ type: "request.run", id });
  expect([disputed.status, disputed.questions[0]?.text]).toEqual(["needs_you", expect.stringContaining("src/numbers.js")]);
  expect(readFileSync(path.join(project.dir, "src/numbers.js"), "utf8")).toBe(mine);
  expect(Object.keys(filesOf(project.dir))).not.toContain("test/numbers.test.js");
  await answer("stop");
  expect((await app.api.send({ type: "request.run", id })).status).toBe("not_shown");
  expect(readFileSync(path.join(project.dir, "src/numbers.js"), "utf8")).toBe(mine);
  await app.close();
});

test("~ERR-025: an honest stop is one question with its evidence, never a done", async () => {
  const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it contradicts the rule about trim", evidence: "AGENTS.md:3" } };
  const pieces = [simplePiece("loud", { builds: [{}], ends })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const waiting = await app.api.send({ type: "request.run", id });
  expect(waiting.status).toBe("needs_you");
  expect(waiting.questions[0]?.text).toContain("it contradicts the rule about trim (AGENTS.md:3)");
  // The piece asks what becomes of it; its builder does not ask beside it.
  const asked = await eventsOf(app, ["question.asked"]);
  expect(asked.map(({ payload }) => [payload["id"], payload["asker"]])).toEqual([
    [waiting.questions[0]?.id, { kind: "pipeline", id: waiting.work[0]?.pipeline }],
  ]);
  await app.api.send({ type: "question.answer", id: waiting.questions[0]?.id ?? "", answer: { kind: "chosen", value: "abort" } });
  const end = await app.api.send({ type: "request.run", id });
  expect(end.status).toBe("failed");
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});

test("~ERR-039 ~ERR-025: a piece that fails keeps what it has in its own tree and nothing of it is merged; it may be retried, taken over, left out or stopped; finished by hand in its tree it is judged and merged", async () => {
  const wrong = { "src/loud.js": `export const loud = () => "wrong";\n` };
  const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it is beyond me", evidence: "src/loud.js:1" } };
  const pieces = [simplePiece("loud", { builds: [wrong], ends })];
  const project = teamProject(planOf(pieces), pieces);
  const { app, id } = await started(project);
  const waiting = await app.api.send({ type: "request.run", id });
  const { ask } = await app.api.query({ type: "question.show", id: waiting.questions[0]?.id ?? "" });
  const options = ask.kind === "choice" ? ask.options : [];
  expect(options.map(({ value }) => value)).toEqual(["retry", "take_over", "replan", "skip", "abort"]);
  const tree = /finish it in (\S+),/u.exec(options[1]?.hint ?? "")?.[1] ?? "";
  // The phase that was finished and the one that failed: both stand in its tree, and neither anywhere else.
  const kept = { ...FILES, ...pieces[0]?.visible, ...wrong };
  expect(filesOf(tree)).toMatchObject(kept);
  expect(filesOf(project.dir)).toEqual(FILES);
  const common = /^worktree (.*)$/mu.exec(
    gitIn(project.dir, "worktree", "list", "--porcelain")
      .split("\n\n")
      .find((text) => text.includes("refs/heads/sylk/") && !text.includes(tree)) ?? "",
  )?.[1];
  expect(filesOf(common ?? "")).not.toHaveProperty(["src/loud.js"]);
  expect(filesOf(common ?? "")).not.toHaveProperty(["test/loud.test.js"]);
  writeFileSync(path.join(tree, "src/loud.js"), "export const loud = (text) => `loud ${text}`;\n");
  await app.api.send({ type: "question.answer", id: waiting.questions[0]?.id ?? "", answer: { kind: "chosen", value: "take_over" } });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.state]).toEqual(["done", "merged"]);
  expect(filesOf(project.dir)["src/loud.js"]).toContain("loud ${text}");
  await app.close();
});
