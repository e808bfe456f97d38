/** What the next words of a session are told of the ones before: enough of it, and never more. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FLOW_VIEWS, requestCreated } from "../../test/support/flow-hands.ts";
import { tempDir } from "../../test/support/temp.ts";
import { sqliteDriver } from "../journal/sqlite-driver.ts";
import { systemClock } from "../kernel/index.ts";
import { EVENTS, STREAMS, USER } from "../protocol/events/index.ts";
import { saidBefore } from "./said-before.ts";

const BY = { actor: USER };
const ended = (how: "answered" | "cancelled", summary: string) =>
  EVENTS.request.ended.create({ how, summary, deferred: [], files: [], evidence: {} }, BY);

async function ground() {
  const store = await sqliteDriver.open({
    path: path.join(tempDir("said"), "sylk.db"),
    clock: systemClock,
    durability: "process",
    views: FLOW_VIEWS,
  });
  onTestFinished(() => store.close());
  const say = async (id: string, words: string, ...then: ReturnType<typeof ended>[]): Promise<string> => {
    const created = requestCreated(id);
    const payload = { ...created.payload, intent: { ...created.payload.intent, words } };
    await store.journal.append(STREAMS.request(id), 0, [EVENTS.request.created.create(payload, BY), ...then]);
    return id;
  };
  return { say, told: (before: readonly string[]) => saidBefore(store, { before, session: "", goal: "" }) };
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
