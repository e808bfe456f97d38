/** What roles say to each other in a request: what travels with it, how answers are weighed, who is asked before the user. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { Payload } from "../../../src/protocol/events/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

type Detail = Result<"request.show">;
type Message = Payload<"message.sent">["message"];

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const asks = (target: string, question = "which cache is there?"): unknown => call("consult", { target, question });
const says = (confidence: number, unmet: string[] = [], text = "a map in trim"): unknown =>
  call("answer", { answer: text, sources: ["src/trim.js:1"], confidence, unmet });
const at = (role: string, step: number, answer: unknown): unknown => ({ when: { role, step }, answer });
const always = (role: string, answer: unknown): unknown => ({ when: { role }, answer });
const KNOW = [always("librarian", says(0.9)), always("archivalist", says(0.9)), always("academic", says(0.9))];
const GUIDE = always("guide", call("classify", { kind: "plan", confidence: 0.95, reading: "as planned" }));

function team(rules: unknown[], pieces = [simplePiece("loud")]): TeamProject {
  return teamProject(planOf(pieces), pieces, {}, [GUIDE, ...rules]);
}

async function begun(
  project: TeamProject,
  more: Parameters<TeamProject["options"]>[0] = {},
): Promise<{ app: App; id: string; now: Detail }> {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ mode: "auto", approve: "ask", ...more }) });
  return { app, id, now: await app.api.send({ type: "request.run", id }) };
}

async function answered(app: App, id: string, answer: { value: string; words?: string } | string): Promise<Detail> {
  const { questions } = await app.api.query({ type: "request.show", id });
  const given = typeof answer === "string" ? { kind: "said" as const, text: answer } : { kind: "chosen" as const, ...answer };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: given });
  return app.api.send({ type: "request.run", id });
}

async function eventsOf<T>(app: App, type: string): Promise<T[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: T[] = [];
  for await (const { payload } of app.api.events({ types: [type], until }, 0, new AbortController().signal)) found.push(payload as T);
  return found;
}

const messagesOf = async (app: App): Promise<Message[]> =>
  (await eventsOf<{ message: Message }>(app, "message.sent")).map(({ message }) => message);
const weighedOf = (app: App) => eventsOf<Payload<"message.weighed">>(app, "message.weighed");
const optionsOf = async (app: App, { questions }: Detail): Promise<string[]> => {
  const { ask } = await app.questions.find(questions[0]?.id ?? "");
  return ask.kind === "choice" ? ask.options.map(({ value }) => value) : [];
};

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

test("MSG-004: whoever is not answered in time has a failure under the same correlation and goes on", async () => {
  const project = team([at("architect", 1, asks("librarian")), always("librarian", { ...(says(0.9) as object), delay_ms: 600_000 })]);
  project.env["SYLK_TEAM_CONSULT_TIMEOUT"] = "1ms";
  const { app, now } = await begun(project);
  expect(now.plan?.version).toBe(1);
  const [, question, failure] = await messagesOf(app);
  expect(failure).toMatchObject({ parent: question?.id, correlation: now.id, to: "architect", body: { kind: "failure", code: "expired" } });
  expect(await eventsOf(app, "message.expired")).toMatchObject([{ id: question?.id, from: "architect", to: "librarian" }]);
  await app.close();
});

test("INT-015: each answer is weighed by its chain and the limits it leaves unmet; when all who could know were asked the user decides, told who was asked, what was found and what is not met", async () => {
  const project = team([
    at("architect", 1, asks("librarian")),
    at("architect", 2, asks("archivalist")),
    at("architect", 3, asks("academic")),
    always("librarian", says(0.72, ["small memory"])),
    always("archivalist", says(0.8)),
    always("academic", says(0.3, ["small memory"], "a bigger map")),
  ]);
  const { app, id, now } = await begun(project, { constraints: ["small memory"] });
  expect((await weighedOf(app)).map(({ decision, cumulative, unmet_constraints: unmet, by }) => [decision, cumulative, unmet, by])).toEqual(
    [
      ["query_other", 0.684, ["small memory"], "architect"],
      ["continue", 0.76, [], "architect"],
      ["escalate", 0.285, ["small memory"], "architect"],
    ],
  );
  expect((await weighedOf(app)).every(({ rationale }) => rationale.length > 0)).toBe(true);
  expect([now.status, now.plan]).toEqual(["needs_you", undefined]);
  for (const text of [
    "The architect asked the academic",
    "which cache is there?",
    "a bigger map",
    "- librarian: ",
    "Not met: small memory",
  ])
    expect(now.questions[0]?.text).toContain(text);
  expect(await optionsOf(app, now)).toEqual(["use", "look", "say"]);
  const planned = await answered(app, id, { value: "say", words: "keep ten entries" });
  expect(planned.plan?.version).toBe(1);
  expect(planned.intent.said).toMatchObject([{ on: "question", words: "keep ten entries" }]);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  expect((await app.tasks.context(architect?.id ?? "", 4)).user).toContain("The person says: keep ten entries");
  expect(await weighedOf(app)).toHaveLength(3);
  await app.close();
});

test("INT-015: an answer that is sure enough and meets every limit is gone on with, and nobody is asked", async () => {
  const project = team([at("architect", 1, asks("academic")), always("academic", says(0.85))]);
  const { app, now } = await begun(project, { constraints: ["small memory"] });
  expect((await weighedOf(app)).map(({ decision }) => decision)).toEqual(["continue"]);
  expect(now.questions[0]?.text).toContain("Is this how it should be done?");
  await app.close();
});

const wants = (input: object): unknown => call("ask_user", { question: "Tabs or spaces?", ...input });

test("AGT-037 ARC-012: the user is asked last: until the code, the past and documents were looked up the question is refused, and then it lists what was checked", async () => {
  const project = team([
    at("architect", 1, wants({})),
    at("architect", 2, asks("librarian")),
    at("architect", 3, wants({})),
    at("architect", 4, asks("archivalist")),
    at("architect", 5, wants({})),
    at("architect", 6, asks("academic")),
    at("architect", 7, wants({})),
    always("librarian", call("answer", { answer: "not found in src", sources: [], confidence: 0 })),
    always("archivalist", says(0.9, [], "tabs once, spaces once")),
    always("academic", says(0.9, [], "both are common")),
  ]);
  const { app, id, now } = await begun(project);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  const said = (await app.tasks.show(architect?.id ?? "")).steps.map(({ actions }) => actions.join());
  expect(said[0]).toContain("consult librarian and archivalist about this first");
  expect(said[2]).toContain("consult archivalist about this first");
  expect(said[4]).toContain("consult academic about this first");
  expect(now.questions[0]?.text).toBe(
    "Tabs or spaces?\nChecked before asking you:\n- librarian: not found in src\n- archivalist: tabs once, spaces once\n- academic: both are common",
  );
  expect((await answered(app, id, "tabs")).plan?.version).toBe(1);
  await app.close();
});

test("ARC-012: what only the person can prefer needs no documents, but the code and the past", async () => {
  const project = team([
    at("architect", 1, wants({ preference: true })),
    at("architect", 2, asks("librarian")),
    at("architect", 3, asks("archivalist")),
    at("architect", 4, wants({ preference: true })),
    ...KNOW,
  ]);
  const { app, now } = await begun(project);
  expect(now.questions[0]?.text).toMatch(/^Tabs or spaces\?\nChecked before asking you:\n- librarian: .*\n- archivalist: [^\n]*$/);
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

test("AGT-011: who does not speak to the user never does by itself: the Guide's questions are the system's, a Tester's are its own while its phase lasts, and nobody else asks", async () => {
  const speaks = (role: string): string => shippedRole(role).speaks;
  expect(["engineer", "guide", "orchestrator"].map(speaks)).toEqual(["never", "never", "never"]);
  expect(["designer", "inspector", "tester"].map(speaks)).toEqual(["phase", "phase", "phase"]);
  expect(speaks("architect")).toBe("always");
  const unsure = { when: { role: "guide" }, answer: call("classify", { kind: "task", confidence: 0.5, reading: "as a change" }) };
  const project = team([
    at("tester", 1, asks("librarian")),
    at("tester", 2, asks("archivalist")),
    at("tester", 3, call("ask_user", { question: "Which runner?" })),
    ...KNOW,
  ]);
  const other = teamProject(planOf([simplePiece("loud")]), [simplePiece("loud")], {}, [unsure]);
  const first = await begun(other);
  const by = async (app: App): Promise<string[]> => {
    const { position: until } = await app.api.query({ type: "journal.head" });
    const actors: string[] = [];
    for await (const { actor } of app.api.events({ types: ["question.asked"], until }, 0, new AbortController().signal)) actors.push(actor);
    return actors;
  };
  expect([first.now.status, await by(first.app)]).toEqual(["needs_you", ["system/engine"]]);
  await first.app.close();
  const { app, now } = await begun(project, { mode: "team", approve: "auto" });
  expect(now.questions[0]?.text).toMatch(/^Which runner\?\nChecked before asking you:/);
  expect((await by(app)).map((actor) => actor.split("/").slice(0, 2).join("/"))).toEqual(["agent/tester"]);
  await app.close();
});

const refuses = (reason: string, to?: string): unknown => call("reroute", { reason, to: to ?? "nobody" });

test("AGT-019: who is not the one to ask says so and does nothing else, and the one it names answers; who needs to know more says what, and is asked again", async () => {
  const project = team([
    at("architect", 1, asks("librarian", "what is good practice?")),
    at("architect", 2, asks("archivalist", "did it work?")),
    at("architect", 3, asks("archivalist", "did the cache work?")),
    always("librarian", refuses("that is no code", "academic")),
    always("academic", says(0.9, [], "small maps")),
    { when: { role: "archivalist", text: "did it work" }, answer: call("reroute", { reason: "what is it?" }) },
    always("archivalist", says(0.9, [], "it did")),
  ]);
  const { app } = await begun(project);
  const architect = (await app.tasks.list()).find(({ role }) => role === "architect");
  const said = (await app.tasks.show(architect?.id ?? "")).steps.map(({ actions }) => actions.join());
  expect(said[0]).toContain("academic: small maps");
  expect(said[1]).toContain("archivalist gave no answer: it needs to know more first: what is it?");
  expect(said[2]).toContain("archivalist: it did");
  const sent = await messagesOf(app);
  expect(sent.map(({ from, to, body }) => `${from} → ${to}: ${body.kind}`).slice(1, 5)).toEqual([
    "architect → librarian: question",
    "librarian → architect: failure",
    "architect → academic: question",
    "academic → architect: answer",
  ]);
  expect(sent[4]?.hops).toEqual([{ from: "librarian", reason: "that is no code", to: "academic" }]);
  expect((await app.tasks.list()).filter(({ role, step }) => role === "librarian" && step === 1)).toHaveLength(1);
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
