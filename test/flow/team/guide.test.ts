/** What a request asks for: commands by table, one small reading, the user where it is not sure, an answer where one is wanted. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import type { Result } from "../../../src/protocol/api/index.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const WORDS = "where is text trimmed? and never touch trim";
const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const reads = (kind: string, confidence: number, more: object = {}): unknown =>
  call("classify", { kind, confidence, reading: `as ${kind}`, ...more });
const answers = {
  when: { role: "librarian" },
  answer: call("answer", { answer: "in trim()", sources: ["src/trim.js:1"], confidence: 0.8 }),
};

function guided(...rules: unknown[]): TeamProject {
  const pieces = [simplePiece("loud")];
  return teamProject(planOf(pieces), pieces, {}, [...rules, answers]);
}

type Detail = Result<"request.show">;

async function said(project: TeamProject, words = WORDS): Promise<{ app: App; id: string; end: Detail }> {
  const app = await project.open();
  const options = project.options({ words, mode: "auto", approve: "ask" });
  const { id } = await app.api.send({ type: "request.start", options });
  return { app, id, end: await app.api.send({ type: "request.run", id }) };
}

const chooses = async (app: App, { id, questions }: Pick<Detail, "id" | "questions">, value: string, words?: string): Promise<Detail> => {
  const answer = { kind: "chosen" as const, value, ...(words === undefined ? {} : { words }) };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer });
  return app.api.send({ type: "request.run", id });
};

const tasksOf = async (app: App, type: string) => (await app.tasks.list()).filter((task) => task.type === type);

test("~GUI-006 INT-081: a question is answered with its sources by who knows, nothing is planned, and both hear the user's words as they are; the Guide adds nothing to what was said", async () => {
  const project = guided({ when: { role: "guide" }, answer: reads("answer", 0.86, { who: "librarian" }) });
  const { app, id, end } = await said(project);
  expect([end.status, end.end?.summary, end.plan, end.work]).toEqual(["answered", "in trim()\nSources: src/trim.js:1", undefined, []]);
  expect(end.reading).toEqual({ kind: "answer", confidence: 0.86, reading: "as answer", by: "guide" });
  expect((await app.api.query({ type: "request.show", id })).reading).toEqual(end.reading);
  expect([end.intent.revision, end.intent.criteria, end.intent.constraints]).toEqual([1, [], ["no new dependencies"]]);
  expect(filesOf(project.dir)).toEqual(FILES);
  const all = await app.tasks.list();
  expect(all.map(({ role, step }) => [role, step])).toEqual([
    ["librarian", 1],
    ["guide", 1],
  ]);
  for (const { id: task } of all) {
    const { user } = await app.tasks.context(task, 1);
    for (const text of [WORDS, "no new dependencies"]) expect(user).toContain(text);
  }
  await app.close();
});

test("a change goes on to its plan; who says how it is built, or wants a plan, is not read at all", async () => {
  const project = guided({ when: { role: "guide" }, answer: reads("task", 0.7) });
  const { app, end } = await said(project);
  expect([end.status, end.plan?.version, end.reading?.kind]).toEqual(["needs_you", 1, "task"]);
  for (const more of [
    { mode: "solo" as const, approve: "ask" as const },
    { mode: "auto" as const, approve: "plan-only" as const },
  ]) {
    const { id } = await app.api.send({ type: "request.start", options: project.options(more) });
    const other = await app.api.send({ type: "request.run", id });
    expect([other.plan?.version, other.reading]).toEqual([1, undefined]);
  }
  expect(await tasksOf(app, "classify")).toHaveLength(1);
  await app.close();
});

test("GUI-021: below 0.7 nothing is begun: the user is asked which reading is meant, and what they correct is shown to the next reading", async () => {
  const unsure = reads("task", 0.69, { others: [{ kind: "answer", reading: "only tell where" }] });
  const project = guided(
    { when: { role: "guide", text: "was read as task" }, answer: reads("answer", 0.9) },
    { when: { role: "guide" }, answer: unsure },
  );
  const { app, end } = await said(project);
  expect([end.status, end.plan, end.questions.length]).toEqual(["needs_you", undefined, 1]);
  const { ask } = await app.questions.find(end.questions[0]?.id ?? "");
  expect(ask.kind === "choice" && ask.options.map(({ value, label }) => [value, label])).toEqual([
    ["task", "as task"],
    ["answer", "only tell where"],
    ["plan", "plan it, then build it"],
    ["other", "something else"],
  ]);
  const done = await chooses(app, end, "answer", "no, I meant only tell me");
  expect([done.status, done.reading]).toEqual(["answered", { kind: "answer", confidence: 1, reading: "only tell where", by: "user" }]);
  const [librarian] = await tasksOf(app, "consult");
  expect((await app.tasks.context(librarian?.id ?? "", 1)).user).toContain("the person said: no, I meant only tell me");
  await app.close();
  const next = await said(project, "who uses trim?");
  expect(next.end.status).toBe("answered");
  const [reading] = await tasksOf(next.app, "classify");
  const { user } = await next.app.tasks.context(reading?.id ?? "", 1);
  expect(user).toContain("was read as task; the person meant answer: no, I meant only tell me");
  await next.app.close();
});

test("what the user chooses of what it may mean reaches everybody afterwards, as it stood there", async () => {
  const reading = "withBase and withoutBase treat # as a boundary";
  const project = guided({ when: { role: "guide" }, answer: reads("ambiguous", 0.3, { others: [{ kind: "task", reading }] }) });
  const { app, end } = await said(project, "fix both then");
  const planned = await chooses(app, end, "task");
  expect([planned.intent.revision, planned.intent.said]).toEqual([2, [{ on: "choice", question: "reading/1", words: reading }]]);
  expect(planned.earlier.map(({ words, said: then }) => [words, then])).toEqual([["fix both then", []]]);
  const [architect] = await tasksOf(app, "plan_request");
  const { user } = await app.tasks.context(architect?.id ?? "", 1);
  expect(user).toContain(`fix both then\n\nOf what this may mean, the person chose: ${reading}`);
  await app.close();
});

test("GUI-030 AGT-019: a question goes on to whoever the refusing one names; the third refusal asks the user, who chooses; what is missing is asked for", async () => {
  const refuses = (reason: string, to: string): unknown => call("reroute", { reason, to });
  const reads_ = { when: { role: "guide" }, answer: reads("answer", 0.9, { who: "librarian" }) };
  const project = guided(
    reads_,
    { when: { role: "librarian" }, answer: refuses("no code", "archivalist") },
    {
      when: { role: "archivalist", text: "chosen by the person" },
      answer: call("answer", { answer: "not found", sources: [], confidence: 0 }),
    },
    { when: { role: "archivalist" }, answer: refuses("no past", "academic") },
    { when: { role: "academic" }, answer: refuses("no paper", "tester") },
  );
  const { app, end } = await said(project);
  expect([end.status, end.questions[0]?.text]).toEqual([
    "needs_you",
    `Nobody takes this for theirs: "${WORDS}"\n- librarian: no code\n- archivalist: no past\n- academic: no paper\nWho should answer it?`,
  ]);
  const done = await chooses(app, end, "archivalist");
  expect([done.status, done.end?.summary]).toEqual(["answered", "not found"]);
  await app.close();
  const unsure = guided(reads_, {
    when: { role: "librarian", text: "^(?!.*the blanks).*" },
    answer: call("reroute", { reason: "which text?" }),
  });
  const more = await said(unsure);
  expect(more.end.questions[0]?.text).toBe("The librarian needs to know more: which text?");
  const told = await chooses(more.app, more.end, "say", "the blanks around it");
  expect([told.status, told.intent.said]).toEqual(["answered", [{ on: "question", question: "more/1", words: "the blanks around it" }]]);
  await more.app.close();
});

test("what is said anew is read anew, with both in view", async () => {
  const project = guided(
    { when: { role: "guide", text: "the person said: tell me the file" }, answer: reads("answer", 0.9) },
    { when: { role: "guide" }, answer: reads("ambiguous", 0.9) },
  );
  const { app, end } = await said(project);
  expect(end.status).toBe("needs_you");
  expect((await chooses(app, end, "other", "tell me the file")).status).toBe("answered");
  expect(await tasksOf(app, "classify")).toHaveLength(2);
  await app.close();
});

test("an answer that cannot be used is asked for once more, then the user decides", async () => {
  const bad = call("classify", { kind: "poem", confidence: 7 });
  const mended = guided(
    { when: { role: "guide", purpose: "repair" }, answer: reads("answer", 0.9) },
    { when: { role: "guide" }, answer: bad },
  );
  const first = await said(mended);
  expect(first.end.status).toBe("answered");
  await first.app.close();
  const { app, end } = await said(guided({ when: { role: "guide" }, answer: bad }));
  expect([end.status, end.questions.length, end.usage.calls]).toEqual(["needs_you", 1, 2]);
  expect((await chooses(app, end, "answer")).status).toBe("answered");
  await app.close();
});

test("GUI-010 ~GUI-011: what has a slash is a command by table, a near miss is told, a path is no command, and none becomes work", async () => {
  const project = guided();
  const app = await project.open();
  const means = async (words: string) => app.api.query({ type: "request.command", words });
  const table: [string, unknown][] = [
    ["/status", { kind: "command", does: "status", rest: "" }],
    ["  /stop abc ", { kind: "command", does: "stop", rest: "abc" }],
    ["/plan add loud", { kind: "command", does: "plan", rest: "add loud" }],
    ["/interrupt", { kind: "command", does: "pause", rest: "" }],
    ["/task n1 prompt keep it short", { kind: "command", does: "task", rest: "n1 prompt keep it short" }],
    ["/add and a flag", { kind: "command", does: "add", rest: "and a flag" }],
    ["/statsu", { kind: "wrong", fix: "did you mean /status?" }],
    ["/plan", { kind: "wrong" }],
    ["/tasks of mine", { kind: "wrong" }],
    ["/usr/bin/env is not found", { kind: "none" }],
    ["what is /status", { kind: "none" }],
  ];
  for (const [words, meant] of table) expect([words, await means(words)]).toEqual([words, expect.objectContaining(meant as object)]);
  for (const words of ["/status", "/statsu"])
    await expect(app.api.send({ type: "request.start", options: project.options({ words }) })).rejects.toMatchObject({
      code: "USAGE_NO_COMMAND",
    });
  expect(await app.api.query({ type: "request.list" })).toEqual([]);
  await app.close();
});
