/** `messages.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import type { Payload } from "../../../src/protocol/events/index.ts";
import { simplePiece, testOf } from "../../support/team-project.ts";
import {
  type Message,
  call,
  asks,
  says,
  at,
  always,
  KNOW,
  team,
  begun,
  answered,
  eventsOf,
  messagesOf,
  optionsOf,
  refuses,
} from "./messages.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("MSG-002 MSG-008 ~CON-011: questions of questions, answers and corrections hang together, and each carries the intent and every word of confidence before it", async () => {
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const builds = [
    { "src/loud.js": `export const loud = () => "loud a";\n` },
    { "src/loud.js": "export const loud = (text) => `loud ${text}`;\n" },
  ];
  const project = team(
    [at("architect", 1, asks("librarian")), at("librarian", 1, asks("archivalist", "was there one before?")), ...KNOW],
    [simplePiece("loud", { hidden, builds })],
  );
  const { app, end } = await begun(project, { approve: "auto" }).then(({ app, now }) => ({ app, end: now }));
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const sent = await messagesOf(app);
  const root = sent[0];
  expect(sent.map(({ from, to, body }) => `${from} → ${to}: ${body.kind}`)).toEqual([
    "user → guide: request",
    "architect → librarian: question",
    "librarian → archivalist: question",
    "archivalist → librarian: answer",
    "librarian → architect: answer",
  ]);
  const [returned] = await eventsOf<Payload<"pipeline.returned">>(app, "pipeline.returned");
  const all = [...sent, ...(returned === undefined ? [] : [returned.message])];
  expect(all).toHaveLength(6);
  const byId = new Map<string, Omit<Message, "body">>(all.map((one) => [one.id, one]));
  for (const one of all.slice(1)) {
    const parent = byId.get(one.parent ?? "");
    expect([one.id, one.correlation, one.session, one.intent]).toEqual([one.id, end.id, end.id, root?.intent]);
    expect(one.confidence.slice(0, parent?.confidence.length)).toEqual(parent?.confidence);
  }
  // Who gets what follows from what it is: the Guide read the person's words, and nothing else.
  expect((await app.tasks.list()).filter(({ role }) => role === "guide")).toHaveLength(1);
  expect(sent[4]?.parent).toBe(sent[1]?.id);
  expect(sent[2]?.parent).toBe(sent[1]?.id);
  expect(sent[4]?.confidence).toEqual([
    { agent: "guide", confidence: 0.95, reason: "as planned" },
    { agent: "librarian", confidence: 0.9, reason: "src/trim.js:1" },
  ]);
  await app.close();
});

test("ARC-025 AGT-011: an Engineer's question goes to those who know and to the Architect first; only then, passed on by the Architect, to the user, while other pieces go on; the answer is the Engineer's", async () => {
  const part = "your part of it:\\nloud\\n";
  const step = (number: number, answer: unknown): unknown => ({ when: { role: "engineer", text: part, step: number }, answer });
  const question = call("ask_user", { question: "How loud?" });
  const project = team(
    [
      step(1, asks("librarian")),
      step(2, asks("archivalist")),
      step(3, asks("academic")),
      step(4, question),
      step(5, asks("architect", "how loud?")),
      step(6, question),
      step(7, call("write_file", { path: "src/loud.js", content: "export const loud = (text) => `loud ${text}`;\n" })),
      { when: { role: "architect", text: "Given, asked_by:" }, answer: says(0.5, [], "the person must say") },
      ...KNOW,
    ],
    [simplePiece("loud"), simplePiece("calm")],
  );
  const { app, id, now } = await begun(project, { mode: "team", approve: "auto" });
  expect(now.status).toBe("needs_you");
  expect(now.work.map(({ id: node, state }) => [node, state])).toEqual([
    ["n1", "needs_you"],
    ["n2", "merged"],
  ]);
  expect(now.questions.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^The architect passes on what the engineer could not settle: How loud\?[\s\S]*- architect: the person must say/),
  ]);
  const engineers = await Promise.all((now.work[0]?.tasks ?? []).map((task) => app.tasks.show(task)));
  const engineer = engineers.find(({ role }) => role === "engineer");
  expect(engineer?.steps[3]?.actions.join()).toContain("consult architect about this first");
  const done = await answered(app, id, "very");
  expect(done.status).toBe("done");
  expect((await app.tasks.context(engineer?.id ?? "", 7)).user).toContain("very");
  expect(done.intent.said).toMatchObject([{ on: "question", words: "very" }]);
  await app.close();
});

test.each([
  ["the third who refuses", [refuses("no code", "archivalist"), refuses("no past", "academic"), refuses("no paper", "tester")], 3],
  ["one who refused already", [refuses("no code", "archivalist"), refuses("no past", "librarian")], 2],
] as const)(
  "GUI-030: %s is no reason to ask on and on: the user is asked, hears who refused and why, and whom they choose answers",
  async (_case, said, count) => {
    const [librarian, archivalist, academic] = said;
    const chosen = { when: { role: "librarian", text: "chosen by the person" }, answer: says(0.9, [], "then I say: in trim") };
    const project = team([
      at("architect", 1, asks("librarian", "what is it?")),
      chosen,
      always("librarian", librarian),
      always("archivalist", archivalist),
      always("academic", academic ?? says(0.9)),
    ]);
    const { app, id, now } = await begun(project);
    expect(now.status).toBe("needs_you");
    const text = now.questions[0]?.text ?? "";
    expect(text).toMatch(/"what is it\?"\n- librarian: no code\n- archivalist: no past/);
    expect(await optionsOf(app, now)).toEqual([...["librarian", "archivalist", "academic"].slice(0, count), "nobody"]);
    const planned = await answered(app, id, { value: "librarian" });
    expect(planned.plan?.version).toBe(1);
    const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
    expect((await app.tasks.context(architect?.id ?? "", 2)).user).toContain("then I say: in trim");
    await app.close();
  },
);
