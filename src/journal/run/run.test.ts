import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { yieldToLoop, SylkError, type Json, holders } from "../../kernel/index.ts";
import { EVENTS, USER, type NewEvent } from "../../protocol/events/index.ts";
import { defineEvent } from "../../protocol/events/define-event.ts";
import { sqliteDriver } from "../sqlite-driver.ts";
import type { Store } from "../store.ts";
import type { View, Work } from "../types.ts";
import { driveDue, driveRun, type RunHandler } from "./drive.ts";
import { owning, type Owned } from "./own.ts";
import { openRun, type Run, type RunGround } from "./run.ts";

const counted = defineEvent({ type: "test.counted", version: 1, schema: z.object({ n: z.int() }) });
const count = (n: number): NewEvent => counted.create({ n }, { actor: USER });
const sum: View<number> = {
  name: "test.sum",
  version: 1,
  key: (event) => event.stream,
  reduce: (state, event) => (state ?? 0) + (counted.is(event) ? event.payload.n : 0),
};

const LEASE_MS = 30_000;

async function ground(): Promise<RunGround & { clock: ManualClock; store: Store; file: string }> {
  const clock = new ManualClock();
  const file = path.join(tempDir("run"), "sylk.db");
  const store = await sqliteDriver.open({ path: file, clock, durability: "process", views: [sum] });
  onTestFinished(() => store.close());
  return { journal: store.journal, work: store.work, clock, store, file };
}

const handlerOf = (kind: string, advance: RunHandler<number>["advance"]): RunHandler<number> => ({ kind, view: sum, advance });

/** A worker on another machine, of which only the lease is known. */
const ELSEWHERE = "elsewhere:1:1";

test("one owner at a time: the second is told who has it, or waits its turn", async () => {
  const at = await ground();
  const order: string[] = [];
  await owning(at, "a", {}, async () => {
    await expect(owning(at, "a", {}, () => Promise.resolve())).rejects.toMatchObject({ code: "RUN_TAKEN" });
    order.push("first");
  });
  await owning(at, "a", { waits: true }, () => Promise.resolve(order.push("second")));
  expect(order).toEqual(["first", "second"]);
});

test("what a store refuses to take back for a while is given back later: a living process would keep it from all others", async () => {
  const at = await ground();
  let refusals = 2;
  const settle: Work["settle"] = (claim, wake) => {
    if (refusals === 0) return at.work.settle(claim, wake);
    refusals -= 1;
    return Promise.reject(new SylkError({ code: "STORE_IO", tier: "user_fixable", message: "refused" }));
  };
  const work: Work = Object.assign(Object.create(at.work) as Work, { settle });
  const owned = owning({ ...at, work }, "a", {}, () => Promise.resolve("done"));
  for (let waited = 0; waited < 3; waited += 1) {
    await yieldToLoop();
    await at.clock.advance(LEASE_MS / 10);
  }
  expect(await owned).toBe("done");
  expect(refusals).toBe(0);
  expect(await at.work.holder("a")).toBeUndefined();
});

test("V1: on one machine a living holder is never robbed, however late it is; one elsewhere when its lease has ended", async () => {
  const at = await ground();
  await at.work.claim("near", holders.ofProcess(), 1_000);
  await at.work.claim("far", ELSEWHERE, 1_000);
  await at.clock.advance(60_000);
  expect(await at.work.claim("near", ELSEWHERE, 1_000)).toBeUndefined();
  expect(await at.work.claim("far", "elsewhere:2:2", 1_000)).toMatchObject({ epoch: 2 });
});

test("~CCY-064: an owner renews by the steady clock; the wall clock may jump", async () => {
  const at = await ground();
  await owning(at, "a", { leaseMs: LEASE_MS }, async (owned) => {
    for (let i = 0; i < 20; i += 1) await at.clock.advance(LEASE_MS / 6);
    await owned.mustOwn();
    expect((await at.work.holder("a"))?.leaseMs).toBeGreaterThan(LEASE_MS / 2);
  });
  expect(await at.work.holder("a")).toBeUndefined();
});

test.each([
  ["another has it", { holder: ELSEWHERE, epoch: 2 }],
  ["another has it under the same number", { holder: ELSEWHERE, epoch: 1 }],
  ["this process took it a second time", { holder: holders.ofProcess(), epoch: 2 }],
  ["nobody has it", undefined],
])("V1: an owner whose key was taken does nothing more: its signal is aborted and it may not act (%s)", async (_who, now) => {
  const at = await ground();
  // The store says nothing to the renewal while this process sleeps.
  const stolen = async (owned: Owned): Promise<void> => {
    at.store.work.holder = () => Promise.resolve(now && { key: "a", ...now, leaseMs: 1 });
    await owned.mustOwn().finally(() => expect(owned.signal.aborted).toBe(true));
  };
  await expect(owning(at, "a", {}, stolen)).rejects.toMatchObject({ code: "RUN_LOST" });
});

test("V1: an answer that was under way for most of the lease is not believed: it is asked again", async () => {
  const at = await ground();
  const asleep = async (owned: Owned): Promise<void> => {
    const { holder } = at.store.work;
    at.store.work.holder = async (key) => {
      const answer = await holder.call(at.store.work, key);
      // Stopped here for as long as another needs to take it.
      at.clock.monotonic = () => at.clock.now() + LEASE_MS * 2;
      at.store.work.renew = ([claim]) => Promise.resolve([claim?.key ?? ""]);
      return answer;
    };
    await owned.mustOwn();
  };
  await expect(owning(at, "a", { leaseMs: LEASE_MS }, asleep)).rejects.toMatchObject({ code: "RUN_LOST" });
});

test("V1: a lease counts from when it was asked for, not from when the answer came", async () => {
  const at = await ground();
  const asked: ((lost: string[]) => void)[] = [];
  const pass = async (part: number): Promise<void> => {
    await at.clock.advance(LEASE_MS * part);
    await yieldToLoop();
  };
  await owning(at, "a", { leaseMs: LEASE_MS }, async ({ signal }) => {
    at.store.work.renew = () => new Promise((resolve) => asked.push(resolve));
    await yieldToLoop();
    await pass(0.7);
    expect(asked).toHaveLength(1);
    asked[0]?.([]);
    await pass(0.3);
    expect(signal.aborted).toBe(false);
    // Asked for at about 0.4 it ends three quarters later; the next answer never comes.
    await pass(0.3);
    expect(signal.reason).toMatchObject({ code: "RUN_LOST" });
  });
});

test("V1: of a holder that is stopped it is said that it is, and how it goes on or ends", async () => {
  const at = await ground();
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const holder = holders.ofProcess(child.pid);
  child.kill("SIGSTOP");
  while (holders.state(holder) !== "stopped") await yieldToLoop();
  await at.work.claim("a", holder, LEASE_MS);
  await at.clock.advance(LEASE_MS * 2);
  await expect(owning(at, "a", {}, () => Promise.resolve())).rejects.toMatchObject({
    code: "RUN_TAKEN",
    message: expect.stringContaining("which is stopped") as string,
    fix: expect.stringMatching(new RegExp(`kill -CONT ${child.pid}\\b.*kill -KILL ${child.pid}\\b`, "u")) as string,
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("no answer"))],
  ["says nothing", () => new Promise<never>(() => undefined)],
])("an owner whose store %s stops itself at three quarters of its lease", async (_how, renew) => {
  const at = await ground();
  let deaf = false;
  const work = new Proxy(at.work, {
    get: (target, name) => (name === "renew" && deaf ? renew : (Reflect.get(target, name) as () => unknown).bind(target)),
  });
  await owning({ work, clock: at.clock }, "a", { leaseMs: LEASE_MS }, async ({ signal }) => {
    deaf = true;
    await yieldToLoop();
    await at.clock.advance(LEASE_MS * 0.74);
    await yieldToLoop();
    expect(signal.aborted).toBe(false);
    await at.clock.advance(LEASE_MS * 0.02);
    await yieldToLoop();
    expect(signal.reason).toMatchObject({ code: "RUN_LOST" });
  });
});

test("an append with a fence that has passed is refused, whatever the owner believes", async () => {
  const at = await ground();
  await at.journal.append("x/1", 0, [count(1)]);
  const handler = handlerOf("x", async (run) => {
    await at.work.settle({ key: "x/1", holder: (await at.work.holder("x/1"))?.holder ?? "", epoch: run.fence.epoch, leaseMs: 0 });
    await at.work.claim("x/1", ELSEWHERE, LEASE_MS);
    await run.append(count(1));
    return "done";
  });
  await expect(driveRun(at, handler, "x/1", {})).rejects.toMatchObject({ code: "JOURNAL_FENCED" });
});

/** An effect that writes down what is asked of it, and dies where it is told to. */
function scripted(calls: string[], settle: "act" | "unknown" | { value: string }, dies?: "act") {
  return {
    plan: (): Promise<string> => Promise.resolve(`plan ${calls.push("plan")}`),
    act: (plan: string): Promise<string> => {
      calls.push(`act ${plan}`);
      return dies === undefined ? Promise.resolve("acted") : Promise.reject(new Error("killed"));
    },
    settle: (plan: string): Promise<typeof settle> => {
      calls.push(`settle ${plan}`);
      return Promise.resolve(settle);
    },
  };
}

async function withEffect(at: RunGround, effect: ReturnType<typeof scripted>): Promise<string> {
  let result = "";
  const handler = handlerOf("x", async (run) => {
    result = await run.effect("once", effect);
    return "done";
  });
  await driveRun(at, handler, "x/1", {});
  return result;
}

test.each([
  ["it happened", { value: "found" }, ["settle plan 1"], "found"],
  ["it did not happen", "act", ["settle plan 1", "act plan 1"], "acted"],
] as const)("an effect cut off between act and fact is settled by asking the world: %s", async (_title, settle, expected, result) => {
  const at = await ground();
  await at.journal.append("x/1", 0, [count(1)]);
  const calls: string[] = [];
  await expect(withEffect(at, scripted(calls, settle, "act"))).rejects.toThrow("killed");
  expect(calls.splice(0)).toEqual(["plan", "act plan 1"]);
  expect(await withEffect(at, scripted(calls, settle))).toBe(result);
  expect(calls.splice(0)).toEqual(expected);
  expect(await withEffect(at, scripted(calls, settle))).toBe(result);
  expect(calls).toEqual([]);
  expect((await at.journal.read("x/1")).map(({ type }) => type)).toEqual(["test.counted", "run.effect_intended", "run.effect_done"]);
});

test("an effect of which nobody can tell is reported, and never done again", async () => {
  const at = await ground();
  await at.journal.append("x/1", 0, [count(1)]);
  const calls: string[] = [];
  await expect(withEffect(at, scripted(calls, "unknown", "act"))).rejects.toThrow("killed");
  for (let i = 0; i < 2; i += 1)
    await expect(withEffect(at, scripted(calls, "unknown"))).rejects.toMatchObject({ code: "RUN_EFFECT_UNKNOWN" });
  expect(calls).toEqual(["plan", "act plan 1", "settle plan 1"]);
  expect((await at.journal.read("x/1")).at(-1)?.type).toBe("run.effect_unknown");
});

test("V1: taken over between the intent and the act, an effect is not done", async () => {
  const at = await ground();
  await at.journal.append("x/1", 0, [count(1)]);
  const calls: string[] = [];
  const effect = scripted(calls, "act");
  const stolen = {
    ...effect,
    plan: async (): Promise<string> => {
      at.store.work.holder = () => Promise.resolve({ key: "x/1", holder: ELSEWHERE, epoch: 9, leaseMs: 1 });
      return effect.plan();
    },
  };
  await expect(withEffect(at, stolen)).rejects.toMatchObject({ code: "RUN_LOST" });
  expect(calls).toEqual(["plan"]);
});

test.each([
  ["before the world is asked", "plan", []],
  ["while the world is asked", "settle", ["settle plan 1"]],
] as const)("V1: taken over %s what became of an effect that was cut off, it is not done", async (_when, where, expected) => {
  const at = await ground();
  await at.journal.append("x/1", 0, [count(1)]);
  const calls: string[] = [];
  await expect(withEffect(at, scripted(calls, "act", "act"))).rejects.toThrow("killed");
  calls.splice(0);
  const steal = (): void => {
    at.store.work.holder = () => Promise.resolve({ key: "x/1", holder: ELSEWHERE, epoch: 9, leaseMs: 1 });
  };
  const effect = scripted(calls, "act");
  if (where === "plan") steal();
  const settle = (plan: string): ReturnType<typeof effect.settle> => {
    steal();
    return effect.settle(plan);
  };
  await expect(withEffect(at, { ...effect, settle })).rejects.toMatchObject({ code: "RUN_LOST" });
  expect(calls).toEqual(expected);
});

/** Counts its own advances and rests as it is told to, then ends. */
function resting(rests: ("again" | { wait: Parameters<typeof waitOf>[0] })[]): RunHandler<number> {
  return handlerOf("x", async (run) => {
    const rest = rests[run.state];
    await run.append(count(1));
    if (rest === undefined) return "done";
    return rest === "again" ? "again" : waitOf(rest.wait);
  });
}
const waitOf = (wait: { at: number } | { stream: string; after: number } | { run: string }) => ({ wait });

test("a run rests for an instant and for a stream, is advanced when it is due, and by any process", async () => {
  const at = await ground();
  await openRun(at, "x/1", "x", null, null);
  await at.work.offer([{ key: "x/1", kind: "x" }]);
  const wakeAt = at.clock.now() + 5_000;
  const handler = resting(["again", { wait: { at: wakeAt } }, { wait: { stream: "question/1", after: 1 } }]);
  const advances = async (): Promise<number> => (await driveDue(at, [handler], {})).length;
  expect([await advances(), await at.journal.get(sum, "x/1")]).toEqual([1, 2]);
  expect(await advances()).toBe(0);
  await at.clock.advance(5_000);
  expect(await advances()).toBe(1);
  await at.journal.append("question/1", 0, [count(0)]);
  expect(await advances()).toBe(0);
  await using other = await sqliteDriver.open({ path: at.file, clock: at.clock, durability: "process", views: [sum] });
  await other.journal.append("question/1", 1, [count(0)]);
  expect(await driveDue({ journal: other.journal, work: other.work, clock: at.clock }, [handler], {})).toEqual(["x/1"]);
  expect([await advances(), await at.journal.get(sum, "x/1")]).toEqual([0, 4]);
});

test("a run waits for one it spawned; spawned twice it is one run, and its end wakes the other", async () => {
  const at = await ground();
  await openRun(at, "parent/1", "parent", null, null);
  await at.work.offer([{ key: "parent/1", kind: "parent" }]);
  const parent = handlerOf("parent", async (run) => {
    const [child, again] = [await run.spawn("child", { n: 1 }), await run.spawn("child", { n: 1 })];
    expect(again).toBe(child);
    if (run.state > 0) return "done";
    await run.append(count(1));
    return { wait: { run: child } };
  });
  const results: Json[] = [];
  const child = handlerOf("child", async (run: Run<number>) => {
    results.push(await run.effect("once", scripted([], "act")));
    await run.finish("ended");
    return "done";
  });
  const [first, second, ...rest] = await driveDue(at, [parent, child], {});
  expect([first, rest]).toEqual(["parent/1", ["parent/1"]]);
  expect(second).toMatch(/^child\//u);
  expect(results).toEqual(["acted"]);
  expect(await driveDue(at, [parent, child], {})).toEqual([]);
});

test("a run that ends between the look at it and the rest is not slept through", async () => {
  const at = await ground();
  await openRun(at, "child/1", "child", null, null);
  await openRun(at, "parent/1", "parent", null, null);
  await at.work.offer([{ key: "parent/1", kind: "parent" }]);
  const get = at.journal.get.bind(at.journal);
  let looks = 0;
  at.journal.get = async (view, key) => {
    const found = await get(view, key);
    looks += key === "child/1" ? 1 : 0;
    if (key === "child/1" && looks === 1)
      await at.journal.append(key, "any", [EVENTS.run.finished.create({ result: null }, { actor: USER })]);
    return found;
  };
  const parent = handlerOf("parent", async (run) => {
    await run.append(count(1));
    return run.state > 1 ? "done" : { wait: { run: "child/1" } };
  });
  expect(await driveDue(at, [parent], {})).toEqual(["parent/1", "parent/1"]);
});

test("V1: taken over, a run puts up no other", async () => {
  const at = await ground();
  await openRun(at, "x/1", "x", null, null);
  const parent = handlerOf("x", async (run) => {
    at.store.work.holder = () => Promise.resolve({ key: "x/1", holder: ELSEWHERE, epoch: 9, leaseMs: 1 });
    await run.spawn("child", null);
    return "done";
  });
  await expect(driveRun(at, parent, "x/1", {})).rejects.toMatchObject({ code: "RUN_LOST" });
  expect(await at.work.claimNext(["child"], ELSEWHERE, 1_000)).toBeUndefined();
});

test("work that fails stays offered; what its process died over is taken up by the next", async () => {
  const at = await ground();
  await openRun(at, "x/1", "x", null, null);
  await at.work.offer([{ key: "x/1", kind: "x" }]);
  const failing = handlerOf("x", () => Promise.reject(new Error("not today")));
  await expect(driveDue(at, [failing], {})).rejects.toThrow("not today");
  await at.work.claimNext(["x"], ELSEWHERE, 1_000);
  expect(await driveDue(at, [resting([])], {})).toEqual([]);
  await at.clock.advance(1_001);
  expect(await driveDue(at, [resting([])], {})).toEqual(["x/1"]);
});

test("a run that a person ended while nobody had it is not advanced by whoever takes it up", async () => {
  const known = await ground();
  // Nobody gives a hint that something was written.
  const silent = { next: () => Promise.resolve("closed" as const), [Symbol.dispose]: () => undefined };
  const at = { ...known, journal: { ...known.journal, subscribe: () => silent } };
  await at.journal.append("x/1", 0, [count(1)]);
  const advanced: number[] = [];
  const handler: RunHandler<number> = {
    kind: "x",
    view: sum,
    mayGoOn: (state) => state < 2,
    advance: (run) => {
      advanced.push(run.state);
      return Promise.resolve("done");
    },
  };
  await driveRun(at, handler, "x/1", {});
  await at.journal.append("x/1", "any", [count(1)]);
  await at.work.offer([{ key: "x/1", kind: "x" }]);
  expect(await driveRun(at, handler, "x/1", {})).toBe(2);
  await at.work.offer([{ key: "x/1", kind: "x" }]);
  expect(await driveDue(at, [handler as RunHandler<unknown>], {})).toEqual(["x/1"]);
  expect(advanced).toEqual([1]);
});
