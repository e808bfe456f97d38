/** A test that its builder contests goes back to whoever wrote it, once, before the user is asked; the builder never sees what is held out. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

type Detail = Result<"request.show">;

const HELD = "test/loud-more.test.js";
const held = (wanted: string): string => testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "${wanted}")`);
/** It wants capitals, which nobody asked for. */
const piece = simplePiece("loud", { hidden: { [HELD]: held("LOUD B") } });
const PART = "your part of it:\\nloud\\n";
const CONTESTED = { assertion: "A1", test: "more: loud", why: "the plain test wants small letters", evidence: "test/loud.test.js:4" };
const SAID = "the words speak of no capitals, and I had asked for LOUD B";

const rule = (when: Record<string, unknown>, name: string, input: unknown): unknown => ({
  when,
  answer: { text: "as said", tool_calls: [{ name, input }] },
});
const builder = [
  rule({ role: "engineer", text: `^(?=.*corrected by whoever wrote it).*${PART}` }, "complete", { summary: "it was right already" }),
  rule({ role: "engineer", text: `^(?=.*what happened before).*${PART}` }, "cannot_satisfy", CONTESTED),
];
const WEIGHS = "what the builder says of a test of yours";

/** `writes`: what the Tester makes of the test; nothing: it leaves it. */
const weighing = (writes: string | undefined): unknown[] => [
  ...(writes === undefined ? [] : [rule({ role: "tester", text: WEIGHS, step: 1 }, "write_file", { path: HELD, content: writes })]),
  rule({ role: "tester", text: WEIGHS }, "complete", { summary: SAID }),
];

async function asked(writes: string | undefined): Promise<{ project: TeamProject; app: App; id: string; end: Detail }> {
  const project = teamProject(planOf([piece]), [piece], {}, [...weighing(writes), ...builder]);
  const app = await project.open();
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  return { project, app, id, end: await app.api.send({ type: "request.run", id }) };
}

async function factsOf(app: App, types: string[]): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, new AbortController().signal))
    found.push({ type, ...(payload as Record<string, unknown>) });
  return found;
}

/** Everything that builders were shown. */
async function seenByBuilders(app: App, { work }: Detail): Promise<string> {
  const seen: string[] = [];
  for (const task of work.flatMap((one) => one.tasks)) {
    const { role, step } = await app.tasks.show(task);
    if (role === "engineer") for (let at = 1; at <= step; at += 1) seen.push((await app.tasks.context(task, at)).user);
  }
  return seen.join("\n");
}

const CONTEST = ["pipeline.test_contested", "pipeline.test_weighed"];

test("~ERR-025: a held-out test that its builder contests is corrected by its writer, seen to fail with nothing built, and the work goes on; nobody is asked and no try is spent", async () => {
  const { project, app, end } = await asked(held("loud b"));
  expect([end.status, end.work[0]?.attempt, end.questions]).toEqual(["done", 3, []]);
  expect(await factsOf(app, ["question.asked"])).toEqual([]);
  expect(await factsOf(app, CONTEST)).toEqual([
    { type: CONTEST[0], test: "more: loud", why: expect.stringContaining("the plain test wants small letters") },
    { type: CONTEST[1], how: "corrected", why: SAID, tries: 4 },
  ]);
  const [first, second] = await factsOf(app, ["pipeline.red_shown"]);
  expect(second?.["failing"]).toEqual(first?.["failing"]);
  expect(second?.["held_out"]).not.toEqual(first?.["held_out"]);
  expect(filesOf(project.dir)[HELD]).toBe(held("loud b"));
  const seen = await seenByBuilders(app, end);
  expect(seen).toContain("corrected by whoever wrote it");
  for (const hidden of ["LOUD B", SAID, `loud("b")`]) expect(seen).not.toContain(hidden);
});

test("~ERR-025: upheld, the user is asked once and hears both sides; contested again it is not weighed again", async () => {
  const { app, id, end } = await asked(undefined);
  const both =
    /n1 loud: A1 cannot be satisfied as "more: loud" wants it: the plain test wants small letters[^\n]*(?:\nTry \d: [^\n]*)+\nThe Tester looked at "more: loud" again and keeps it: the words speak/u;
  expect([end.status, end.questions.map(({ text }) => text)]).toEqual(["needs_you", [expect.stringMatching(both)]]);
  expect(await factsOf(app, ["question.asked"])).toHaveLength(1);
  await app.api.send({
    type: "question.answer",
    id: end.questions[0]?.id ?? "",
    answer: { kind: "chosen", value: "retry", words: "look once more" },
  });
  const again = await app.api.send({ type: "request.run", id });
  expect([again.status, again.questions.map(({ text }) => text)]).toEqual(["needs_you", [expect.stringMatching(both)]]);
  expect((await factsOf(app, CONTEST)).map(({ type, how }) => [type, how])).toEqual([
    [CONTEST[0], undefined],
    [CONTEST[1], "upheld"],
  ]);
  const seen = await seenByBuilders(app, again);
  expect(seen).toContain("The user says: look once more");
  for (const hidden of ["LOUD B", SAID, `loud("b")`]) expect(seen).not.toContain(hidden);
});

test("~ERR-025: a correction that does not fail with nothing built is none: the test stays, and the user is asked", async () => {
  const { app, end } = await asked(testOf("more", "trim", "../src/trim.js", `assert.equal(trim(" b "), "b")`));
  expect([end.status, end.questions[0]?.text]).toEqual([
    "needs_you",
    expect.stringContaining("did not fail with nothing built, so it stays as it was"),
  ]);
  expect((await factsOf(app, ["pipeline.red_shown"])).length).toBe(1);
});

test("~ERR-025: a test in the builder's sight that its writer corrects stands corrected in the builder's tree, and shows what it showed", async () => {
  const SEEN = "test/loud-caps.test.js";
  const caps = (wanted: string): string => testOf("caps", "loud", "../src/loud.js", `assert.equal(loud("b"), "${wanted}")`);
  const seen = simplePiece("loud", { visible: { ...piece.visible, [SEEN]: caps("LOUD B") }, shows: ["A1: plain: loud"] });
  const project = teamProject(planOf([seen]), [seen], {}, [
    rule({ role: "tester", text: WEIGHS, step: 1 }, "write_file", { path: SEEN, content: caps("loud b") }),
    rule({ role: "tester", text: WEIGHS }, "complete", { summary: SAID }),
    builder[0],
    rule({ role: "engineer", text: PART, step: 2 }, "cannot_satisfy", { ...CONTESTED, test: "caps: loud" }),
  ]);
  const app = await project.open();
  onTestFinished(() => app.close());
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions]).toEqual(["done", []]);
  expect(await factsOf(app, CONTEST)).toMatchObject([{ test: "caps: loud" }, { how: "corrected" }]);
  const [first, second] = await factsOf(app, ["pipeline.red_shown"]);
  expect(second).toMatchObject({ shows: first?.["shows"], held_out: [], failing: first?.["failing"] });
  expect(second?.["commit"]).not.toBe(first?.["commit"]);
  expect(filesOf(project.dir)[SEEN]).toBe(caps("loud b"));
  expect(await seenByBuilders(app, end)).not.toContain(SAID);
});
