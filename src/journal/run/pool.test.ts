/** Several runs at a time: how many, what is taken up meanwhile, and what becomes of the rest when one breaks. */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { yieldToLoop } from "../../kernel/index.ts";
import { USER, type NewEvent } from "../../protocol/events/index.ts";
import { defineEvent } from "../../protocol/events/define-event.ts";
import { sqliteDriver } from "../sqlite-driver.ts";
import type { View } from "../types.ts";
import { drivePool, type RunHandler } from "./drive.ts";
import { openRun, type RunGround } from "./run.ts";

const counted = defineEvent({ type: "test.counted", version: 1, schema: z.object({ n: z.int() }) });
const count = (n: number): NewEvent => counted.create({ n }, { actor: USER });
const sum: View<number> = {
  name: "test.sum",
  version: 1,
  key: (event) => event.stream,
  reduce: (state, event) => (state ?? 0) + (counted.is(event) ? event.payload.n : 0),
};

const REST_MS = 60_000;

async function ground(...keys: string[]): Promise<RunGround & { clock: ManualClock }> {
  const clock = new ManualClock();
  const store = await sqliteDriver.open({ path: path.join(tempDir("pool"), "sylk.db"), clock, durability: "process", views: [sum] });
  onTestFinished(() => store.close());
  const at = { journal: store.journal, work: store.work, clock };
  for (const key of keys) await offer(at, key);
  return at;
}

async function offer(at: RunGround, key: string): Promise<void> {
  await openRun(at, key, "x", null, null);
  await at.work.offer([{ key, kind: "x" }]);
}

/** What each run does, by its key. */
const pool = (at: RunGround, workers: number, ways: Record<string, RunHandler<number>["advance"]>): Promise<void> =>
  drivePool(at, "x", (key) => (ways[key] === undefined ? undefined : { kind: "x", view: sum, advance: ways[key] }), {
    workers,
    restMs: REST_MS,
  });

test("as many at a time as there are workers, and no more", async () => {
  const at = await ground("x/1", "x/2", "x/3", "x/4");
  let [now, most] = [0, 0];
  const work = async (): Promise<"done"> => {
    now += 1;
    most = Math.max(most, now);
    for (let i = 0; i < 50; i += 1) await yieldToLoop();
    now -= 1;
    return "done";
  };
  await pool(at, 2, { "x/1": work, "x/2": work, "x/3": work, "x/4": work });
  expect([most, now]).toEqual([2, 0]);
});

test("what a run offers while it is advanced is taken up by another meanwhile", async () => {
  const at = await ground("x/1");
  const second = Promise.withResolvers<string>();
  const seen: string[] = [];
  await pool(at, 2, {
    "x/1": async (run) => {
      await offer(at, "x/2");
      await run.append(count(1));
      seen.push(await second.promise);
      return "done";
    },
    "x/2": () => {
      second.resolve("the second ended while the first waited");
      return Promise.resolve("done");
    },
  });
  expect(seen).toEqual(["the second ended while the first waited"]);
});

test("one that breaks lets the others come to their rest, begins nothing more, is told, and stays offered", async () => {
  const at = await ground("x/1", "x/2", "x/3");
  const broke = Promise.withResolvers<void>();
  const ended: string[] = [];
  const ways: Record<string, RunHandler<number>["advance"]> = {
    "x/1": () => {
      broke.resolve();
      return Promise.reject(new Error("not today"));
    },
    "x/2": async () => {
      await broke.promise;
      for (let i = 0; i < 50; i += 1) await yieldToLoop();
      ended.push("x/2");
      return "done";
    },
    "x/3": () => {
      ended.push("x/3");
      return Promise.resolve("done");
    },
  };
  await expect(pool(at, 2, ways)).rejects.toThrow("not today");
  expect(ended).toEqual(["x/2"]);
  await pool(at, 2, { ...ways, "x/1": () => Promise.resolve(ended.push("x/1")).then(() => "done") });
  expect(ended.toSorted()).toEqual(["x/1", "x/2", "x/3"]);
});

test("one that breaks while another is frozen is told all the same, once that one had its time", async () => {
  const at = await ground("x/1", "x/2");
  let ended: unknown;
  const driven = pool(at, 2, {
    "x/1": () => Promise.reject(new Error("not today")),
    "x/2": () => new Promise<never>(() => undefined),
  }).catch((error: unknown) => (ended = error));
  for (let ticks = 0; ticks < 200 && ended === undefined; ticks += 1) {
    for (let i = 0; i < 20; i += 1) await yieldToLoop();
    await at.clock.advance(1_000);
  }
  expect(ended).toMatchObject({ message: "not today" });
  await driven;
  expect(await at.work.holder("x/2")).toBeUndefined();
});

test("the pool ends when all rests, and what was waited for is taken up by the next", async () => {
  const at = await ground("x/1");
  const ways: Record<string, RunHandler<number>["advance"]> = {
    "x/1": async (run) => {
      await run.append(count(1));
      return run.state > 1 ? "done" : { wait: { stream: "question/1", after: 0 } };
    },
  };
  await pool(at, 2, ways);
  await pool(at, 2, ways);
  expect(await at.journal.get(sum, "x/1")).toBe(1);
  await at.journal.append("question/1", 0, [count(0)]);
  await pool(at, 2, ways);
  expect(await at.journal.get(sum, "x/1")).toBe(2);
});
