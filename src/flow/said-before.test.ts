/** What the next words of a session are told of the ones before: enough of it, and never more. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_VIEWS, planOfPieces, requestCreated } from "../../test/support/flow-hands.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { systemClock } from "../kernel/index.ts";
import type { Store } from "../journal/index.ts";
import { EVENTS, STREAMS, USER, type Payload } from "../protocol/events/index.ts";
import { saidBefore } from "./said-before.ts";

const BY = { actor: USER };
type Event = Parameters<Store["journal"]["append"]>[2][number];
const ended = (how: Payload<"request.ended">["how"], summary: string, files: string[] = []) =>
  EVENTS.request.ended.create({ how, summary, deferred: [], files, evidence: {} }, BY);

async function ground() {
  const store = await sqliteDriver.open({
    path: path.join(tempDir("said"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const say = async (id: string, words: string, ...then: Event[]): Promise<string> => {
    const created = requestCreated(id);
    const payload = { ...created.payload, intent: { ...created.payload.intent, words } };
    await store.journal.append(STREAMS.request(id), 0, [EVENTS.request.created.create(payload, BY), ...then]);
    return id;
  };
  const work = async (id: string, ...then: Event[]): Promise<string> => {
    const place = { kind: "project" as const, folder: "." };
    const rest = { criteria: [], constraints: [], checks: [], rules: [], inputs: {}, overview: "", max_steps: null, phase: "work", place };
    const task = { id, session: "", goal: `do ${id}`, type: "change", role: "engineer", model: "none", profile: "default", ...rest };
    await store.journal.append(STREAMS.task(id), 0, [EVENTS.task.created.create(task, BY), ...then]);
    return id;
  };
  return { say, work, store, told: (before: readonly string[]) => saidBefore(store, { before, session: "", goal: "" }) };
}

test("words and what came of them are told, newest last; what nobody knows is left out", async () => {
  const { say, told } = await ground();
  const ids = [
    await say("req_1", "what does mul do?", ended("answered", "it multiplies")),
    "req_none",
    await say("req_2", "rename it", ended("cancelled", "stopped by the user")),
    await say("req_3", "or drop it"),
  ];
  expect((await told(ids))?.split("\n\n").slice(1)).toEqual([
    "The person said: what does mul do?\nAnswered: it multiplies",
    "The person said: rename it\nStopped by the person.",
    "The person said: or drop it\nStopped before anything came of it.",
  ]);
  expect([await told([]), await told(["req_none"])]).toEqual([undefined, undefined]);
});

test("long words are cut in the middle and both ends stay; the oldest gives way first", async () => {
  const { say, told } = await ground();
  const long = `BEGIN${" word".repeat(400)} END`;
  const ids = [await say("req_1", "the oldest", ended("answered", long)), await say("req_2", long, ended("answered", long))];
  ids.push(await say("req_3", long, ended("answered", long)));
  const text = (await told(ids)) ?? "";
  expect(text).toMatch(/The person said: BEGIN word[\s\S]* \[… \d+ characters left out …\] [\s\S]* END\nAnswered: BEGIN/u);
  expect([text.includes("the oldest"), text.length <= 2_500]).toEqual([false, true]);
});

test("where words are cut in the middle of a sign, it is left out whole", async () => {
  const { say, told } = await ground();
  for (const [at, words] of ["😀".repeat(500), `x${"😀".repeat(500)}`].entries())
    expect((await told([await say(`req_${at}`, words)]))?.isWellFormed()).toBe(true);
});

test("before the thousandth request no more is told than before the tenth", async () => {
  const { say, told } = await ground();
  const ids: string[] = [];
  const sizes: number[] = [];
  for (let n = 1000; n < 2000; n += 1) {
    if (n === 1010) sizes.push((await told(ids))?.length ?? 0);
    ids.push(await say(`req_${n}`, `what does part ${n} do?`, ended("answered", `it does ${n}`)));
  }
  const last = (await told(ids)) ?? "";
  expect([last.length, last.includes("part 1999"), last.includes("part 1993")]).toEqual([sizes[0], true, false]);
});

const planned = () => EVENTS.request.planned.create({ plan_version: 1, plan: planOfPieces([{}]), task: "task_plan" }, BY);
const looked = (task: string) => EVENTS.request.taskOpened.create({ purpose: "inspect", round: 0, task }, BY);
const takenBack = () => EVENTS.task.mergeUndone.create({ files: ["a.js"], kept: [] }, BY);
const MANY = Array.from({ length: 10 }, (_one, at) => `${at}.js`);
const SHOWN = "0.js, 1.js, 2.js, 3.js, 4.js, 5.js, 6.js, 7.js and 2 more";

test.each<[string, () => Event[], string]>([
  ["done", () => [planned(), ended("done", "x", ["a.js"])], "Done: as planned\nChanged: a.js"],
  ["many files", () => [ended("done", "all of it", MANY)], `Done: all of it\nChanged: ${SHOWN}`],
  ["not all of it shown", () => [planned(), ended("not_shown", "x", ["a.js"])], "Came to: as planned\nChanged: a.js"],
  ["a plan that was rejected", () => [planned(), ended("rejected", "x")], "The person rejected the plan: as planned"],
  ["a failure", () => [ended("failed", "no model", ["a.js"])], "It failed: no model\nChanged: a.js"],
  ["stopped with a plan", () => [planned(), ended("cancelled", "x")], "Stopped by the person; planned was: as planned."],
  ["a plan and no end", () => [planned()], "Planned, and not built to its end: as planned"],
  [
    "a question nobody answered",
    () => [EVENTS.request.waits.create({ why: "reading", question: "q", text: "which of them?" }, BY)],
    "Not gone on with; it had asked: which of them?",
  ],
])("what came of a request: %s", async (_what, then, outcome) => {
  const { say, told } = await ground();
  expect((await told([await say("req_1", "do it", ...then())]))?.split("\n\n").at(-1)).toBe(`The person said: do it\n${outcome}`);
});

test.each(["done", "failed", "cancelled"] as const)("what was taken back since is told as that: a request that was %s", async (how) => {
  const { say, work, told } = await ground();
  await work("task_look", takenBack());
  expect(await told([await say("req_1", "do it", looked("task_look"), ended(how, "x"))])).toMatch(/\nThe person took it back since\.$/u);
  expect(await told([await say("req_2", "do it", looked("task_other"), ended(how, "x"))])).not.toContain("took it back");
});

test("of a task it is told what it changed and reported, and that it was stopped, is not at its end or was taken back", async () => {
  const { work, told } = await ground();
  const complete = EVENTS.task.decided.create(
    { step: 1, decision: "complete", phase: "work", why: "done", reason: "", progress: true, limit: 10, report: "it adds", verified: true },
    BY,
  );
  const file = { path: "a.js", how: "as_is", before: null, after: null };
  const merged = EVENTS.task.merged.create({ files: [file], combined: false }, BY);
  const outcome = async (id: string, ...then: Event[]) => (await told([await work(id, ...then)]))?.split("\n").slice(3).join("\n");
  expect(await outcome("task_1", complete, merged)).toBe("Done: it adds\nChanged: a.js");
  expect(await outcome("task_2", complete, merged, takenBack())).toBe("Done: it adds\nThe person took it back since.");
  expect(await outcome("task_3", EVENTS.task.cancelled.create({ reason: "x" }, BY))).toBe("Stopped by the person.");
  expect(await outcome("task_4")).toBe("Stopped before its end.");
});

test("whoever is only asked something in a request is not told what was said before it", async () => {
  const { say, store } = await ground();
  await say("req_1", "what is it?", ended("answered", "a sum"));
  const created = requestCreated("req_2");
  const payload = { ...created.payload, intent: { ...created.payload.intent, words: "rename it" }, before: ["req_1"] };
  await store.journal.append(STREAMS.request("req_2"), 0, [EVENTS.request.created.create(payload, BY)]);
  const heard = (goal: string) => saidBefore(store, { before: undefined, session: "req_2", goal });
  expect(await heard("rename it\n\nyou said later: all of it")).toContain("what is it?");
  expect(await heard("which file holds it?")).toBeUndefined();
});
