/** What may be asked of a request and what is refused, on the flow's own runs: words are kept as they were said, but for secrets. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces } from "../../test/support/flow-hands.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { pipelineView, requestView } from "../flow/index.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { projectModelViews } from "../model/index.ts";
import type { Input } from "../protocol/api/index.ts";
import { EVENTS, STREAMS, SYSTEM, USER } from "../protocol/events/index.ts";
import { taskView } from "../step/index.ts";
import { createSessionApi, type SessionParts } from "./session-api.ts";

const never = new AbortController().signal;
const SECRET = "hunter2-hunter2";
/** Known as one only after it was written down. */
const LATE = "pelican-pelican";
const BY = { actor: SYSTEM.engine };
type Options = Input<"request.start">["options"];
const wanted = (more: Partial<Options> = {}): Options => ({
  words: "add it",
  constraints: [],
  criteria: [],
  approve: "ask",
  mode: "team",
  profile: "default",
  checks: ["check"],
  ...more,
});

/** `gives up`: a builder asks what becomes of its piece. */
async function opened(fate: "works" | "gives up" = "works", plan = planOfPieces([{}, {}])) {
  let later = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + later };
  const store = await sqliteDriver.open({
    path: path.join(tempDir("session"), "sylk.db"),
    clock,
    durability: "process",
    views: [...FLOW_VIEWS, ...projectModelViews],
  });
  onTestFinished(() => store.close());
  const repository = new MemoryRepository({ "start.txt": "start\n" });
  const parts = flowHands({
    ...store,
    clock,
    repository,
    limits: FLOW_LIMITS,
    script: () => ({ plan, fateOf: ({ role }) => (role === "engineer" ? fate : "works") }),
  });
  const redact = (text: string): string => text.replaceAll(LATE, "[REDACTED]");
  const engine = async () => ({ ...(await parts.engine()), gate: { takesPictures: () => true }, redact });
  const api = createSessionApi({
    existing: () => Promise.resolve(store),
    parts: () => Promise.resolve({ ...parts, engine } as unknown as Awaited<ReturnType<SessionParts["parts"]>>),
    projectDir: tempDir("session"),
    screen: (text) => Promise.resolve(text.replaceAll(SECRET, "[REDACTED]")),
    resources: { seats: () => 3, memory: { used: () => 0.5 }, memoryMark: () => 1 },
  });
  const stateOf = async (id: string) => must(await store.journal.get(requestView, STREAMS.request(id)));
  const typesIn = async (id: string): Promise<string[]> => (await store.journal.read(STREAMS.request(id))).map(({ type }) => type);
  const answer = async (id: string, value: string): Promise<void> => {
    for (const { id: question } of (await api.show(id)).questions) await parts.questions.answer(question, { kind: "chosen", value }, USER);
  };
  return { api, store, stateOf, typesIn, answer, questions: parts.questions, repository, wait: (ms: number) => void (later += ms) };
}

test("no word of the user that is a secret is written down, whichever way it comes in", async () => {
  const { api, store, stateOf } = await opened("gives up");
  const id = await api.start(
    wanted({ words: `add ${SECRET}`, constraints: [`never ${SECRET}`], criteria: [`has ${SECRET}`, "is short"], approve: "auto" }),
  );
  expect((await stateOf(id)).intent).toEqual({
    revision: 1,
    words: "add [REDACTED]",
    constraints: ["never [REDACTED]"],
    criteria: [
      { source: "explicit", text: "has [REDACTED]" },
      { source: "explicit", text: "is short" },
    ],
    said: [],
  });
  const other = await api.start(wanted({ approve: "auto" }));
  expect((await api.run(other, never)).status).toBe("needs_you");
  await api.tell(other, "n1", `it is ${SECRET}`);
  await api.add(other, `and ${SECRET} too`);
  await api.fork(id, `rather ${SECRET}`);
  const all = await store.journal.readAll({ after: 0, limit: 10_000 });
  expect(all.filter(({ payload }) => JSON.stringify(payload).includes(SECRET))).toEqual([]);
  expect(JSON.stringify(all.map(({ payload }) => payload))).toMatch(/it is \[REDACTED\].*and \[REDACTED\] too.*rather \[REDACTED\]/u);
});

test("of what was said before in a session the newest six are kept with a request", async () => {
  const { api, stateOf } = await opened();
  const before = Array.from({ length: 8 }, (_one, at) => `req_${at}`);
  expect((await stateOf(await api.start(wanted({ before })))).created.before).toEqual(before.slice(2));
  expect((await stateOf(await api.start(wanted()))).created).not.toHaveProperty("before");
});

test("a fork without words wants all that was wanted, also what was added, with the plan and nobody's approval; with words it wants those, within the same limits", async () => {
  const pieces = planOfPieces([{}, {}]);
  const held = { ...pieces, assertions: pieces.assertions.map((one) => ({ ...one, criteria: [1] })) };
  const { api, stateOf, answer } = await opened("works", held);
  const id = await api.start(wanted({ constraints: ["no new packages"], criteria: ["is short"] }));
  await api.run(id, never);
  await api.add(id, "and more");
  await api.run(id, never);
  await answer(id, "approve");
  await api.run(id, never);
  const { intent, integration, plan } = await stateOf(id);
  expect([intent.said.map(({ words }) => words), plan?.plan_version]).toEqual([["and more"], 2]);
  const from = { request: id, base: must(integration).base };
  const same = await stateOf(await api.fork(id, undefined));
  expect(same).toMatchObject({ created: { intent, from }, plan: { plan_version: 1, plan: plan?.plan }, approved: false, pipelines: {} });
  const other = await stateOf(await api.fork(id, "rather another"));
  expect(other.created).toMatchObject({
    from,
    intent: { words: "rather another", constraints: ["no new packages"], criteria: [{ text: "is short" }], said: [] },
  });
  expect(other.plan).toBeUndefined();
});

test("what is added withdraws what the request asked, and nothing that others asked", async () => {
  const { api, answer, questions } = await opened("gives up");
  const [id, other] = [await api.start(wanted()), await api.start(wanted())];
  await api.run(other, never);
  const [asked] = (await api.run(id, never)).questions;
  await api.add(id, "and more");
  const statuses = async (one: string): Promise<string[]> => (await questions.list(one)).map(({ status }) => status);
  expect([await statuses(id), await statuses(other)]).toEqual([["withdrawn"], ["open"]]);
  const [again] = (await api.run(id, never)).questions;
  expect([again?.id === asked?.id, await statuses(id)]).toEqual([false, ["withdrawn", "open"]]);
  await answer(other, "reject");
});

test("after its end nothing can be paused, gone on with, added or stopped, and nothing is written; blank words and words to an answer are not taken", async () => {
  const { api, store, typesIn, answer } = await opened();
  const id = await api.start(wanted());
  await expect(api.add(id, " \n")).rejects.toMatchObject({ code: "REQUEST_WRONG_STATUS" });
  await api.run(id, never);
  await answer(id, "reject");
  expect((await api.run(id, never)).status).toBe("rejected");
  const before = await typesIn(id);
  for (const late of [() => api.pause(id), () => api.resume(id), () => api.add(id, "and more"), () => api.cancel(id, "no")])
    await expect(late()).rejects.toMatchObject({ code: "REQUEST_ENDED" });
  expect(await typesIn(id)).toEqual(before);
  const question = await api.start(wanted({ words: "what is it?" }));
  const read = { kind: "answer" as const, confidence: 1, reading: "a question", by: "guide" as const, round: 1 };
  await store.journal.append(STREAMS.request(question), "any", [
    EVENTS.request.classified.create(read as Parameters<typeof EVENTS.request.classified.create>[0], BY),
  ]);
  await expect(api.add(question, "and build it")).rejects.toThrow(/only answers a question/u);
});

test("what somebody else works on, or on a piece of it, is not run by a second one", async () => {
  const { api, store, stateOf } = await opened("gives up");
  const id = await api.start(wanted({ approve: "auto" }));
  await api.run(id, never);
  const piece = must(Object.values((await stateOf(id)).pipelines)[0]);
  for (const key of [STREAMS.request(id), STREAMS.pipeline(piece)]) {
    const claim = must(await store.work.claim(key, "somebody", 60_000));
    expect((await api.show(id)).running).toBe(true);
    await expect(api.run(id, never)).rejects.toMatchObject({ code: "REQUEST_WRONG_STATUS" });
    await store.work.settle(claim);
    expect((await api.show(id)).running).toBe(false);
  }
  expect((await api.run(id, never)).status).toBe("needs_you");
});

test("nothing is told to a piece before the plan is approved", async () => {
  const { api, typesIn } = await opened();
  const id = await api.start(wanted());
  await api.run(id, never);
  const before = await typesIn(id);
  await expect(api.tell(id, "n1", "be brief")).rejects.toMatchObject({ code: "REQUEST_PLAN_WAITS" });
  await expect(api.signal(id, "n1", "pause")).rejects.toMatchObject({ code: "REQUEST_PLAN_WAITS" });
  expect(await typesIn(id)).toEqual(before);
});

test("only a plan that was all that was wanted is approved by going on; any other waits for its word", async () => {
  const { api, stateOf } = await opened();
  const [asks, plans] = [await api.start(wanted()), await api.start(wanted({ approve: "plan-only" }))];
  expect([(await api.run(asks, never)).status, (await api.run(plans, never)).status]).toEqual(["needs_you", "planned"]);
  await api.resume(asks);
  await api.resume(plans);
  expect((await api.run(asks, never)).status).toBe("needs_you");
  await api.run(plans, never);
  expect([(await stateOf(asks)).approved, (await stateOf(plans)).approved]).toEqual([false, true]);
});

test("requests are found by every word of what was asked, planned or came of it; no words find nothing", async () => {
  const { api, answer } = await opened();
  const first = await api.start(wanted({ words: "Add a parser" }));
  await api.run(first, never);
  await answer(first, "reject");
  await api.run(first, never);
  const second = await api.start(wanted({ words: "add a printer" }));
  const found = async (words: string): Promise<string[]> => (await api.search(words)).map(({ id }) => id);
  expect(await found("ADD")).toEqual([second, first]);
  expect(await found("add parser")).toEqual([first]);
  expect(await found("parser printer")).toEqual([]);
  expect(await found("as planned")).toEqual([first]);
  expect(await found("piece 2")).toEqual([first]);
  expect(await found("  ")).toEqual([]);
  expect((await api.list(1)).map(({ id }) => id)).toEqual([second]);
});

test("the last one is the newest; an id that fits two or none is not guessed", async () => {
  const { api } = await opened();
  await expect(api.resolve("last")).rejects.toMatchObject({ code: "REQUEST_NOT_FOUND" });
  const [first, second] = [await api.start(wanted()), await api.start(wanted())];
  expect([await api.resolve("last"), await api.resolve(first.slice(-8))]).toEqual([second, first]);
  for (const none of ["req_", "zzz"]) await expect(api.resolve(none)).rejects.toMatchObject({ code: "REQUEST_NOT_FOUND" });
});

test("how it is to be done is kept as it was said: who is asked, for how much, by which checks and in which way; a command is no request", async () => {
  const { api, stateOf } = await opened();
  const said = {
    approve: "auto",
    mode: "solo",
    profile: "deep",
    checks: ["npm test"],
    model: "a/b",
    budget_usd: 3,
    asks: true,
  } as const;
  const { created } = await stateOf(await api.start(wanted({ ...said, checks: [...said.checks] })));
  expect(created).toMatchObject(said);
  await expect(api.start(wanted({ words: "/status" }))).rejects.toMatchObject({ code: "USAGE_NO_COMMAND" });
  await expect(api.start(wanted({ words: "/no-such-word" }))).rejects.toMatchObject({ code: "USAGE_NO_COMMAND" });
});

/** A task beside those of the flow, as the journal has it. */
function taskOf(id: string, session: string) {
  const place = { kind: "project" as const, folder: "." };
  const rest = { criteria: [], constraints: [], checks: [], rules: [], inputs: {}, overview: "", max_steps: null, phase: "work", place };
  const task = { id, session, goal: "do it", type: "change", role: "engineer", model: "none", profile: "default", ...rest };
  return EVENTS.task.created.create(task, BY);
}
const looked = (task: string) => EVENTS.request.taskOpened.create({ purpose: "inspect", round: 0, task }, BY);
const FILE = { path: "a.js", how: "as_is", before: null, after: "0".repeat(64) };

test("what is on its way into the user's folder is added to no more; what was taken out of it again is undone", async () => {
  const { api, store } = await opened();
  const id = await api.start(wanted());
  await store.journal.append(STREAMS.request(id), "any", [looked("task_look")]);
  const merging = EVENTS.task.mergeIntended.create({ commit: "c", files: [FILE], combined: false }, BY);
  await store.journal.append(STREAMS.task("task_look"), 0, [taskOf("task_look", id), merging]);
  await expect(api.add(id, "and more")).rejects.toThrow(/is in your folder already/u);
  const ended = EVENTS.request.ended.create({ how: "done", summary: "", deferred: [], files: ["a.js"], evidence: {} }, BY);
  const merged = EVENTS.task.merged.create({ files: [FILE], combined: false }, BY);
  await store.journal.append(STREAMS.task("task_look"), "any", [merged]);
  await store.journal.append(STREAMS.request(id), "any", [ended]);
  expect((await api.show(id)).status).toBe("done");
  const undone = EVENTS.task.mergeUndone.create({ files: ["a.js"], kept: [] }, BY);
  await store.journal.append(STREAMS.task("task_look"), "any", [undone]);
  expect([(await api.show(id)).status, (await api.list(undefined)).map(({ status }) => status)]).toEqual(["undone", ["undone"]]);
});

test("what is stopped leaves no piece and no task at work, no question open and no tree", async () => {
  const { api, store, stateOf, repository, questions } = await opened("gives up");
  const id = await api.start(wanted({ approve: "auto" }));
  await api.run(id, never);
  await store.journal.append(STREAMS.request(id), "any", [looked("task_look")]);
  await store.journal.append(STREAMS.task("task_look"), 0, [taskOf("task_look", id)]);
  expect(repository.trees.size).toBeGreaterThan(0);
  await api.cancel(id, "changed my mind");
  const { pipelines, ended } = await stateOf(id);
  expect(ended).toMatchObject({ how: "cancelled", summary: "changed my mind", files: [] });
  const pieces = await Promise.all(Object.values(pipelines).map((piece) => store.journal.get(pipelineView, STREAMS.pipeline(piece))));
  expect(pieces.map((piece) => piece?.ended?.how)).toEqual(["cancelled", "cancelled"]);
  expect((await store.journal.get(taskView, STREAMS.task("task_look")))?.status).toBe("cancelled");
  const asked = (await Promise.all([id, ...Object.values(pipelines)].map((one) => questions.list(one)))).flat();
  expect([asked.filter(({ status }) => status === "open"), [...repository.trees.keys()]]).toEqual([[], []]);
});

test("a recording holds the steps of its own request alone, what is known as a secret by now left out, and what came into the folder", async () => {
  const { api, store } = await opened();
  const [id, other] = [await api.start(wanted({ criteria: ["is short"], words: `add ${LATE}` })), await api.start(wanted())];
  const put = (text: string) => store.blobs.put(text);
  const stepped = async (said: string) => {
    const context = {
      tokens: 1,
      sections: {},
      cuts: [],
      prefix_hash: "",
      prefix_tokens: 0,
      system: await put("be brief"),
      tools: await put("[]"),
    };
    return EVENTS.task.stepped.create(
      {
        step: 1,
        phase: "work",
        context: { ...context, user: await put(`it is ${LATE}`) },
        text: said,
        calls: [],
        skipped: [],
        repaired: false,
        usage: { input: 1, output: 1, cached: 0, cost_usd: null },
        model: "a/b",
      },
      BY,
    );
  };
  const merged = (path: string) => EVENTS.task.merged.create({ files: [{ ...FILE, path }], combined: false }, BY);
  await store.journal.append(STREAMS.task("task_one"), 0, [taskOf("task_one", id), await stepped(`mine, ${LATE}`), merged("piece.js")]);
  await store.journal.append(STREAMS.task("task_two"), 0, [taskOf("task_two", other), await stepped("of somebody else")]);
  await store.journal.append(STREAMS.task("task_look"), 0, [taskOf("task_look", id), merged("a.js")]);
  await store.journal.append(STREAMS.task("task_two"), "any", [merged("other.js")]);
  await expect(api.record(id)).rejects.toMatchObject({ code: "REQUEST_WRONG_STATUS" });
  await store.journal.append(STREAMS.request(id), "any", [
    looked("task_look"),
    EVENTS.request.ended.create({ how: "done", summary: "", deferred: [], files: ["a.js"], evidence: {} }, BY),
  ]);
  const { text, calls, recording } = await api.record(id);
  expect([calls, text.includes("mine, [REDACTED]"), text.includes(LATE), text.includes("somebody else")]).toEqual([1, true, false, false]);
  expect(recording).toMatchObject({
    request: { criteria: ["is short"], checks: ["check"], mode: "team", profile: "default" },
    end: { how: "done", files: { "a.js": FILE.after } },
  });
  expect(Object.keys(recording.end.files)).toEqual(["a.js"]);
});

test("what a request cost is what was paid for it, each piece for itself, before its end and after; what others paid is theirs", async () => {
  const { api, store, answer, wait } = await opened("gives up");
  const id = await api.start(wanted({ approve: "auto" }));
  const { work, questions } = await api.run(id, never);
  expect([questions.length, work.map(({ state }) => state)]).toEqual([2, ["needs_you", "needs_you"]]);
  const pays = (session: string, task: string, usd: number) => {
    const who = { session, task, run: null, pipeline: null, agent: "a", role: "engineer", phase: "", step: 1, purpose: "step" };
    const tokens = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
    const rest = { estimated: false, cost_assumed: false, counted_input_tokens: null, latency_ms: 7, queued_ms: 0 };
    const call = { call_id: `${session}${task}`, attempt: 1, provider: "a", model: "b", outcome: "ok" as const, error: null };
    const cost = { cost_nano_usd: usd * 1e9 };
    return store.journal.append(`usage/${session}`, "any", [
      EVENTS.usage.callFinished.create({ ...call, ...who, ...tokens, ...rest, ...cost }, BY),
    ]);
  };
  const task = work[0]?.tasks.at(-1) ?? "";
  await pays(id, task, 1);
  wait(3 * 86_400_000);
  await pays(id, "asked beside it", 2);
  await pays("req_other", "task_other", 4);
  const costs = async () => {
    const { cost_usd: all, usage, work: pieces } = await api.show(id);
    return { all, usage, pieces: pieces.map((piece) => piece.cost_usd) };
  };
  const paid = { all: 3, usage: { input: 20, output: 10, calls: 2, model_ms: 14 }, pieces: [1, 0] };
  expect(await costs()).toEqual(paid);
  expect(await api.list(1)).toMatchObject([{ cost_usd: 3, pieces: 2, merged: 0 }]);
  await answer(id, "abort");
  const end = await api.run(id, never);
  expect([end.status, end.questions]).toEqual(["failed", []]);
  expect(await costs()).toEqual(paid);
});
