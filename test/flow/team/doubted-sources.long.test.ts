/** Sources that were named before work that failed: counted from the journal, and said beside whatever names them again. */
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const DOUBT = "src/trim.js: named for 2 requests, 2 of them failed or were taken back; look twice";

test("~EVI-032 ~EVI-034 ~EVI-035: a source is noted where it was named twice before work that failed or was taken back, to whoever asks for it and in the answer of a role, and counted by `knowledge status`; once says nothing", async () => {
  const pieces = [simplePiece("loud", { builds: [{ "src/loud.js": "export const loud = () => 1;\n" }] })];
  const asks = {
    when: { role: "architect", step: 1 },
    answer: call("consult", { target: "librarian", question: "where is text trimmed?" }),
  };
  const answers = {
    when: { role: "librarian" },
    answer: call("answer", { answer: "in trim(), and nowhere else", sources: ["src/trim.js:1"], confidence: 0.9 }),
  };
  const project = teamProject(planOf(pieces), pieces, {}, [asks, answers]);
  const app = await openApp({ cwd: project.dir, env: { ...project.env, SYLK_TEAM_ATTEMPTS: "1" }, clock: systemClock });
  onTestFinished(() => app.close());
  const begun = async (): Promise<{ id: string; question: string; told: string }> => {
    const { id } = await app.api.send({ type: "request.start", options: project.options() });
    const rested = await app.api.send({ type: "request.run", id });
    const task = (await app.tasks.list()).find(({ role, session }) => role === "architect" && session === id);
    return { id, question: rested.questions[0]?.id ?? "", told: (await app.tasks.context(task?.id ?? "", 2)).user };
  };
  const fails = async ({ id, question }: { id: string; question: string }): Promise<void> => {
    await app.api.send({ type: "question.answer", id: question, answer: { kind: "chosen", value: "abort" } });
    expect((await app.api.send({ type: "request.run", id })).status).toBe("failed");
  };
  const asked = async () => (await app.api.query({ type: "knowledge.ask", text: "where is trim defined", domain: "code" })).warnings;
  const doubted = async () => (await app.api.query({ type: "knowledge.status" })).doubted;

  await app.api.send({ type: "knowledge.index" });
  const first = await begun();
  expect(await doubted()).toEqual([]);
  await fails(first);
  expect([await doubted(), await asked()]).toEqual([[{ source: "src/trim.js", named: 1, failed: 1 }], []]);
  const second = await begun();
  expect(second.told).not.toContain(DOUBT);
  await fails(second);
  expect([await doubted(), await asked()]).toEqual([[{ source: "src/trim.js", named: 2, failed: 2 }], [DOUBT]]);
  const third = await begun();
  expect(third.told).toContain(DOUBT);
  // Nothing is taken away for it: the source is named all the same.
  expect(third.told).toContain("Sources: src/trim.js:1");
});
