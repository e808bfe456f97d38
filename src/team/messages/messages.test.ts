/** Messages are made in two ways only, never change, and a reply reaches only who waits for it. */
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver, type Store } from "../../journal/index.ts";
import { MESSAGES } from "../../protocol/index.ts";
import { STREAMS } from "../../protocol/events/index.ts";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { expire, messagesView, sendMessage, type Message } from "./send-message.ts";
import { weighAnswer } from "./weigh-answer.ts";

const ROOT = MESSAGES.request({ request: "req_1", revision: 2, at: 1, sure: [{ agent: "guide", confidence: 0.95, reason: "clear" }] });
const question = (id: string, parent: Message = ROOT, deadline = 1_000): Message =>
  MESSAGES.derive(parent, { id, from: "architect", to: "librarian", at: 5, deadline, body: { kind: "question", question: "where?" } });
const answer = (to: Message, confidence = 0.72, unmet: string[] = []): Message =>
  MESSAGES.reply(to, {
    id: `${to.id}/answer`,
    at: 9,
    sure: { agent: to.to, confidence, reason: "seen" },
    body: { kind: "answer", answer: "there", sources: [], unmet },
  });

const open = (): Promise<Store> =>
  sqliteDriver.open({ path: path.join(tempDir("messages"), "sylk.db"), clock: new ManualClock(), views: [messagesView] });

async function logged({ journal }: Store): Promise<string[]> {
  const found: string[] = [];
  for (const { type, payload } of await journal.read(STREAMS.message("req_1"))) {
    const { message, id, why } = payload as { message?: Message; id?: string; why?: string };
    found.push([type, message?.id ?? id, why].filter((part) => part !== undefined).join(" "));
  }
  return found;
}

test("MSG-009 MSG-008: a message is frozen, whatever follows from it carries its intent, confidence and hops, and what carries others is refused", async () => {
  await using store = await open();
  const asked = question("m1");
  const forwarded = MESSAGES.derive(asked, {
    id: "m2",
    from: "architect",
    to: "academic",
    at: 6,
    body: asked.body,
    hop: { from: "librarian", reason: "not code", to: "academic" },
  });
  const said = answer(forwarded);
  expect(said).toMatchObject({
    correlation: "req_1",
    parent: "m2",
    from: "academic",
    to: "architect",
    intent: { request: "req_1", revision: 2 },
  });
  expect(said.confidence.map(({ agent }) => agent)).toEqual(["guide", "academic"]);
  expect(said.hops).toEqual([{ from: "librarian", reason: "not code", to: "academic" }]);
  for (const change of [
    () => Object.assign(said, { to: "engineer" }),
    () => (said.confidence as unknown[]).pop(),
    () => (said.hops as unknown[]).push({}),
    () => Object.assign(said.intent, { revision: 9 }),
    () => Object.assign(said.body, { answer: "elsewhere" }),
  ])
    expect(change).toThrow(TypeError);
  await sendMessage(store, ROOT, asked, 5);
  const forged: [Partial<Message>, RegExp][] = [
    [{ confidence: [] }, /confidence chain was changed/],
    [{ confidence: [{ agent: "guide", confidence: 1, reason: "clear" }, ...forwarded.confidence] }, /confidence chain was changed/],
    [{ intent: { request: "req_1", revision: 7 } }, /does not carry the intent/],
    [{ session: "req_2" }, /does not carry the intent/],
    [{ parent: "m9" }, /does not follow/],
    [{ correlation: "req_2" }, /does not follow/],
  ];
  for (const [change, why] of forged) await expect(sendMessage(store, asked, { ...forwarded, ...change }, 6)).rejects.toThrow(why);
  await sendMessage(store, asked, forwarded, 6);
  await expect(sendMessage(store, forwarded, { ...said, hops: [] }, 7)).rejects.toThrow(/hops were changed/);
  expect(await logged(store)).toEqual(["message.sent req_1", "message.sent m1", "message.sent m2"]);
});

test("MSG-002: an answer has the correlation and the id of what it answers; one that nobody waits for is written down and given to nobody", async () => {
  await using store = await open();
  const asked = question("m1");
  expect(await sendMessage(store, asked, answer(asked), 6)).toBe("dropped");
  await sendMessage(store, ROOT, asked, 5);
  expect(await sendMessage(store, asked, answer(asked), 6)).toBe("sent");
  // The same again after a restart is the same; another one comes too late.
  expect(await sendMessage(store, asked, answer(asked), 7)).toBe("sent");
  expect(await sendMessage(store, asked, { ...answer(asked), id: "m1/other" }, 7)).toBe("dropped");
  expect(await logged(store)).toEqual([
    "message.dropped m1/answer nobody asked",
    "message.sent req_1",
    "message.sent m1",
    "message.sent m1/answer",
    "message.dropped m1/other it was answered already",
  ]);
  const sent = (await store.journal.get(messagesView, STREAMS.message("req_1")))?.sent;
  expect(sent?.["m1/answer"]).toMatchObject({ correlation: "req_1", parent: "m1", to: "architect" });
});

test("MSG-004: past its deadline a question is over: whoever asked has a failure with the same correlation, and a late answer reaches nobody", async () => {
  await using store = await open();
  const asked = question("m1");
  await sendMessage(store, ROOT, asked, 5);
  expect(await sendMessage(store, asked, answer(asked), 1_001)).toBe("dropped");
  await expire(store, asked, 1_001);
  await expire(store, asked, 1_002);
  expect(await logged(store)).toEqual([
    "message.sent req_1",
    "message.sent m1",
    "message.dropped m1/answer it came after its deadline",
    "message.expired m1",
    "message.sent m1/failure",
  ]);
  const state = await store.journal.get(messagesView, STREAMS.message("req_1"));
  expect(state?.sent["m1/failure"]).toMatchObject({
    correlation: "req_1",
    parent: "m1",
    to: "architect",
    body: { kind: "failure", code: "expired" },
  });
});

test("~INT-013: the newest word of each counts once", () => {
  const entry = (agent: string, confidence: number) => ({ agent, confidence, reason: "" });
  const weighed = (sure: ReturnType<typeof entry>[], confidence: number) =>
    weighAnswer(answer(question("m1", MESSAGES.request({ request: "req_1", revision: 1, at: 1, sure })), confidence), {
      others: [],
      asksUser: true,
    });
  expect(weighed([entry("guide", 0.95), entry("architect", 0.88)], 0.72)).toMatchObject({ cumulative: 0.60192, least: 0.72 });
  expect(weighed([entry("librarian", 0.1)], 0.8)).toMatchObject({ cumulative: 0.8, least: 0.8 });
});

test.each([
  [0.72, [], ["academic"], true, "continue"],
  [0.72, ["small"], ["academic"], true, "query_other"],
  [0.72, ["small"], [], true, "escalate"],
  [0.6, [], ["academic"], true, "query_other"],
  [0.6, [], [], true, "continue"],
  [0.6, ["small"], [], true, "escalate"],
  [0.3, [], [], true, "escalate"],
  [0.3, [], ["academic"], true, "query_other"],
  [0.3, ["small"], [], false, "continue"],
] as const)("~INT-015 ~INT-014: %d sure, unmet %j, others %j, may ask the user %s: %s", (sure, unmet, others, asksUser, decision) => {
  const weighed = weighAnswer(answer(question("m1"), sure, [...unmet]), { others, asksUser });
  expect(weighed).toMatchObject({ decision, unmet_constraints: unmet, by: "architect" });
  expect(weighed.cumulative).toBeCloseTo(0.95 * sure);
});
