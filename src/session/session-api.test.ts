/** What may be asked of a request and what is refused, on the flow's own runs: words are kept as they were said, but for secrets. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_LIMITS, FLOW_VIEWS, flowHands, planOfPieces } from "../../test/support/flow-hands.ts";
import { MemoryRepository } from "../../test/support/memory-repository.ts";
import { tempDir } from "../../test/support/temp.ts";
import { requestView } from "../flow/index.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { must, systemClock } from "../kernel/index.ts";
import { projectModelViews } from "../model/index.ts";
import type { Input } from "../protocol/api/index.ts";
import { EVENTS, STREAMS, SYSTEM, USER } from "../protocol/events/index.ts";
import { createSessionApi, type SessionParts } from "./session-api.ts";

const never = new AbortController().signal;
const SECRET = "hunter2-hunter2";
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
  const clock = systemClock;
  const store = await sqliteDriver.open({
    path: path.join(tempDir("session"), "sylk.db"),
    clock,
    durability: "process",
    views: [...FLOW_VIEWS, ...projectModelViews],
  });
  onTestFinished(() => store.close());
  const parts = flowHands({
    ...store,
    clock,
    repository: new MemoryRepository({ "start.txt": "start\n" }),
    limits: FLOW_LIMITS,
    script: () => ({ plan, fateOf: ({ role }) => (role === "engineer" ? fate : "works") }),
  });
  const engine = async () => ({ ...(await parts.engine()), gate: { takesPictures: () => true } });
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
  return { api, store, stateOf, typesIn, answer, questions: parts.questions };
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
    EVENTS.request.classified.create(read as Parameters<typeof EVENTS.request.classified.create>[0], { actor: SYSTEM.engine }),
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
