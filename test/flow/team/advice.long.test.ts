/** What roles advised before, and what came of it. */
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

test("~EVI-036 ~EVI-039: whoever plans a request like an earlier one is told what was advised then, and what that request came to; who plans something else is not", async () => {
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
  const env = { ...project.env, SYLK_TEAM_ATTEMPTS: "1" };
  const app = await openApp({ cwd: project.dir, env, clock: systemClock });
  onTestFinished(() => app.close());
  const run = async (words: string) => {
    const { id } = await app.api.send({ type: "request.start", options: project.options({ words }) });
    return { id, rested: await app.api.send({ type: "request.run", id }) };
  };
  const toldTo = async (request: string): Promise<string> => {
    const task = (await app.tasks.list()).find(({ role, session }) => role === "architect" && session === request);
    return (await app.tasks.context(task?.id ?? "", 1)).user;
  };
  const first = await run("add the function loud to the words");
  expect(await toldTo(first.id)).not.toContain('asked "where is text trimmed?"');
  const question = first.rested.questions[0]?.id ?? "";
  await app.api.send({ type: "question.answer", id: question, answer: { kind: "chosen", value: "abort" } });
  expect((await app.api.send({ type: "request.run", id: first.id })).status).toBe("failed");
  const second = await run("add the function loud to all the words");
  expect(await toldTo(second.id)).toContain(
    'PAST FAILURE: librarian, asked "where is text trimmed?", said "in trim(), and nowhere else"; it came to: stopped by you at n1',
  );
  const third = await run("translate everything into another language");
  expect(await toldTo(third.id)).not.toContain("PAST FAILURE");
});
