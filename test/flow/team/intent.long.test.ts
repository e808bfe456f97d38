/** `intent.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { planOf, simplePiece, teamProject } from "../../support/team-project.ts";
import { type Detail, begun } from "./intent.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

const WORDS = "add the functions, and never touch trim";

async function answered(app: App, id: string, answer: { value: string; words?: string } | string): Promise<Detail> {
  const { questions } = await app.api.query({ type: "request.show", id });
  const given = typeof answer === "string" ? { kind: "said" as const, text: answer } : { kind: "chosen" as const, ...answer };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: given });
  return app.api.send({ type: "request.run", id });
}

/** What every step of every task of these roles was sent. */
async function sentTo(app: App, roles?: readonly string[]): Promise<{ role: string; at: number; user: string }[]> {
  const sent: { role: string; at: number; user: string }[] = [];
  for (const { id, role, step } of await app.tasks.list())
    for (let at = 1; at <= step && (roles === undefined || roles.includes(role)); at += 1)
      sent.push({ role, at, user: (await app.tasks.context(id, at)).user });
  return sent;
}

test("INT-002 INT-004: the intent is taken once; an answer, a word on the plan and a word on a piece each make a revision, the earlier ones are kept, and everybody who works later is sent all of it", async () => {
  const pieces = [simplePiece("loud")];
  const first = (step: number, answer: unknown): unknown => ({ when: { role: "architect", step, text: "^(?!.*tabs).*" }, answer });
  const knows = call("answer", { answer: "not found", sources: [], confidence: 0 });
  const asks = [
    first(1, call("consult", { target: "librarian", question: "tab or space?" })),
    first(2, call("consult", { target: "archivalist", question: "tab or space?" })),
    first(3, call("ask_user", { question: "Tabs or spaces?", preference: true })),
    { when: { role: "librarian" }, answer: knows },
    { when: { role: "archivalist" }, answer: knows },
  ];
  const gives = {
    when: { role: "engineer", text: "^(?!.*only lower case).*" },
    answer: call("cannot_satisfy", { assertion: "A1", why: "case?", evidence: "none" }),
  };
  const project = teamProject(planOf(pieces), pieces, {}, [...asks, gives]);
  const { app, id, now } = await begun(project, { approve: "ask", criteria: ["loud does what was asked for"] });
  expect(now.questions[0]?.text).toContain("Tabs or spaces?");
  const begin = { revision: 1, words: WORDS, constraints: ["no new dependencies"], said: [] };
  expect(now.intent).toMatchObject(begin);
  expect(now.intent.criteria).toEqual([{ source: "explicit", text: "loud does what was asked for" }]);
  await answered(app, id, "tabs");
  await answered(app, id, { value: "edit", words: "say it under 100 ms" });
  const asked = await answered(app, id, { value: "approve" });
  expect(asked.questions[0]?.text).toContain("case?");
  const built = await answered(app, id, { value: "retry", words: "only lower case" });
  expect(built.intent).toMatchObject({
    revision: 4,
    words: WORDS,
    said: [
      { on: "question", words: "tabs" },
      { on: "plan", words: "say it under 100 ms" },
      { on: "piece", words: "only lower case" },
    ],
  });
  expect(built.earlier.map(({ revision, said }) => [revision, said.length])).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
  ]);
  expect(built.earlier[0]).toMatchObject(begin);
  const all = await sentTo(app);
  for (const { role, user } of all)
    for (const text of [WORDS, "no new dependencies", "loud does what was asked for"])
      expect([role, user.includes(text)]).toEqual([role, true]);
  // Whoever works after a word was said is sent it: the Tester began before the last one.
  const later = await sentTo(app, ["tester", "engineer", "inspector"]);
  expect(new Set(later.map(({ role }) => role))).toEqual(new Set(["tester", "engineer", "inspector"]));
  for (const { role, user } of later)
    for (const text of ["the person said: tabs", "the person said: say it under 100 ms"])
      expect([role, user.includes(text)]).toEqual([role, true]);
  const last = await sentTo(app, ["inspector"]);
  for (const { user } of last) expect(user).toContain("the person said: only lower case");
  await app.close();
});

test("INT-002: what the person tells one piece while it is built is a revision too, and whoever looks at the whole is sent it", async () => {
  const pieces = [simplePiece("loud")];
  const gives = {
    when: { role: "engineer", text: "^(?!.*only lower case).*" },
    answer: call("cannot_satisfy", { assertion: "A1", why: "case?", evidence: "none" }),
  };
  const { app, id, now } = await begun(teamProject(planOf(pieces), pieces, {}, [gives]));
  expect(now.intent.revision).toBe(1);
  await app.api.send({ type: "request.tell", id, piece: "n1", words: "only lower case" });
  const told = await app.api.query({ type: "request.show", id });
  expect([told.intent.revision, told.intent.said, told.earlier]).toMatchObject([
    2,
    [{ on: "piece", words: "only lower case" }],
    [{ revision: 1 }],
  ]);
  expect((await answered(app, id, { value: "retry" })).status).toBe("done");
  for (const { user } of await sentTo(app, ["inspector"])) expect(user).toContain("the person said: only lower case");
  await app.close();
});
