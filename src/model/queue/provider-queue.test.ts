import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { SylkError } from "../../kernel/index.ts";
import { modelConfigSchema } from "../config.ts";
import { ProviderLimits } from "../limits/provider-limits.ts";
import type { Lane, Priority } from "../types.ts";
import { Preempted, ProviderQueue, type QueueOptions, type Slot } from "./provider-queue.ts";
import type { Ticket } from "./waiting-room.ts";

const never = new AbortController().signal;

interface Bench {
  clock: ManualClock;
  limits: ProviderLimits;
  queue: ProviderQueue;
  log: string[];
  slots: Map<string, Slot>;
  /** Enters the line; its name is logged when it starts. */
  enter(name: string, overrides?: Partial<Ticket> & { order?: number }, signal?: AbortSignal): Promise<void>;
  finish(name: string): Promise<void>;
}

function bench(overrides: Partial<QueueOptions> = {}): Bench {
  const clock = new ManualClock();
  const config = modelConfigSchema.parse({ retry: { external_rate_limit: { jitter: 0 } } });
  const log: string[] = [];
  const slots = new Map<string, Slot>();
  const limits = new ProviderLimits({
    provider: "p",
    clock,
    journal: undefined,
    policy: config.retry.external_rate_limit,
    random: () => 0,
    onPause: (_, until) => log.push(`paused ${until - clock.now()}`),
    onResume: () => log.push("resumed"),
  });
  const queue = new ProviderQueue({
    ...config.queue,
    provider: "p",
    clock,
    limits,
    maxConcurrent: 3,
    reservedForUsers: 0,
    onStarving: (_, ms) => log.push(`starving ${ms}`),
    ...overrides,
  });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    clock,
    limits,
    queue,
    log,
    slots,
    async enter(name, { order, ...ticket } = {}, signal = never) {
      const full: Ticket = {
        lane: "pipeline",
        priority: 60,
        session: "s",
        pipeline: "p1",
        pipelinePriority: 0,
        createdAt: clock.now(),
        tokens: 10,
        preemptions: 0,
        ...ticket,
      };
      queue.acquire(full, order ?? queue.nextOrder(), signal).then(
        (slot) => {
          slots.set(name, slot);
          log.push(name);
          slot.signal.addEventListener("abort", () => log.push(`${name} preempted`));
        },
        (error: unknown) => log.push(`${name} left: ${(error as Error).message}`),
      );
      await settle();
    },
    async finish(name) {
      slots.get(name)?.release();
      slots.delete(name);
      await settle();
    },
  };
}

test("~LLM-073 CCY-021: the user lane drains first, then priority, then age", async () => {
  const b = bench({ maxConcurrent: 1, preemption: false });
  await b.enter("first");
  await b.enter("work-low", { priority: 40 });
  await b.enter("work-high", { priority: 60 });
  await b.enter("background", { priority: 20, pipeline: undefined });
  await b.enter("planning", { priority: 80, pipeline: undefined });
  await b.enter("user-b", { lane: "user", priority: 80 });
  await b.enter("user-a", { lane: "user", priority: 100 });
  for (const name of ["first", "user-a", "user-b", "planning", "work-high", "work-low", "background"]) await b.finish(name);
  expect(b.log).toEqual(["first", "user-a", "user-b", "planning", "work-high", "work-low", "background"]);
});

test("~LLM-074: within a session a pipeline's own priority comes before the request's", async () => {
  const b = bench({ maxConcurrent: 1 });
  await b.enter("first");
  await b.enter("minor build", { priority: 60, pipelinePriority: 1 });
  await b.enter("major check", { priority: 40, pipelinePriority: 5 });
  await b.finish("first");
  expect(b.log).toEqual(["first", "major check"]);
});

test("~CCY-022: concurrency is bounded and one place is kept for users", async () => {
  const b = bench({ maxConcurrent: 3, reservedForUsers: 1 });
  for (const name of ["a", "b", "c"]) await b.enter(name);
  expect(b.log).toEqual(["a", "b"]);
  await b.enter("user", { lane: "user", priority: 100 });
  expect(b.log).toEqual(["a", "b", "user"]);
  expect(b.queue.running).toBe(3);
});

test("CCY-023: a user preempts the least important, newest call, and only when nothing is free", async () => {
  const b = bench({ maxConcurrent: 3 });
  await b.enter("a", { priority: 40 });
  await b.enter("b", { priority: 60 });
  await b.enter("user-1", { lane: "user", priority: 100 });
  expect(b.log).toEqual(["a", "b", "user-1"]);
  await b.enter("user-2", { lane: "user", priority: 100 });
  expect(b.log).toEqual(["a", "b", "user-1", "a preempted", "user-2"]);
  expect(b.slots.get("a")?.signal.reason).toBeInstanceOf(Preempted);
  await b.enter("user-3", { lane: "user", priority: 100 });
  await b.enter("user-4", { lane: "user", priority: 100 });
  expect(b.log.slice(5)).toEqual(["b preempted", "user-3"]);
});

test("CCY-024: a call is preempted at most twice, and one that is nearly done is spared", async () => {
  const b = bench({ maxConcurrent: 2 });
  await b.enter("twice", { preemptions: 2, priority: 40 });
  await b.enter("nearly done", { priority: 40 });
  const slot = b.slots.get("nearly done");
  if (slot !== undefined) slot.progress = 0.9;
  await b.enter("user-1", { lane: "user", priority: 100 });
  expect(b.log).toContain("nearly done preempted");
  await b.enter("user-2", { lane: "user", priority: 100 });
  expect(b.log).not.toContain("twice preempted");
  const c = bench({ maxConcurrent: 2 });
  await c.enter("fresh", { priority: 60 });
  await c.enter("old", { priority: 40 });
  const old = c.slots.get("old");
  if (old !== undefined) old.progress = 0.6;
  await c.enter("user", { lane: "user", priority: 100 });
  expect(c.log).toEqual(["fresh", "old", "fresh preempted", "user"]);
});

test("CCY-024: a preempted call goes back to its old place", async () => {
  const b = bench({ maxConcurrent: 1 });
  const order = b.queue.nextOrder();
  await b.enter("victim", { order });
  await b.enter("later");
  await b.enter("user", { lane: "user", priority: 100 });
  await b.enter("victim again", { order, preemptions: 1 });
  await b.finish("user");
  expect(b.log).toEqual(["victim", "victim preempted", "user", "victim again"]);
});

test("MUL-013 ~MUL-033: sessions share fairly, whoever floods", async () => {
  const b = bench({ maxConcurrent: 1 });
  await b.enter("hold");
  for (let i = 0; i < 6; i += 1) await b.enter(`flood-${i}`, { session: "flood" });
  for (let i = 0; i < 3; i += 1) await b.enter(`small-${i}`, { session: "small" });
  await b.finish("hold");
  for (let i = 0; i < 6; i += 1) await b.finish(b.log.at(-1) as string);
  expect(b.log.slice(1, 7)).toEqual(["flood-0", "small-0", "flood-1", "small-1", "flood-2", "small-2"]);
});

test("MUL-013: a session never runs more than its share at once", async () => {
  const b = bench({ maxConcurrent: 5, perSessionMax: 2 });
  for (let i = 0; i < 4; i += 1) await b.enter(`one-${i}`, { session: "one" });
  await b.enter("two-0", { session: "two" });
  expect(b.log).toEqual(["one-0", "one-1", "two-0"]);
});

test("CCY-025 ~CCY-072: background work that has waited long gets a turn although better work keeps coming", async () => {
  const b = bench({ maxConcurrent: 1, agedMs: 30_000 });
  await b.enter("hold");
  await b.enter("background", { priority: 20, pipeline: undefined, session: "b" });
  await b.clock.advance(31_000);
  for (let i = 0; i < 12; i += 1) await b.enter(`work-${i}`, { priority: 60 });
  for (let i = 0; i < 9; i += 1) await b.finish(b.log.at(-1) as string);
  expect(b.log).toContain("background");
});

test("CCY-025: a long wait is reported, once per period", async () => {
  const b = bench({ maxConcurrent: 1, starvingMs: 300_000 });
  await b.enter("hold");
  await b.enter("waits");
  await b.clock.advance(300_000);
  await b.enter("other");
  await b.enter("another");
  expect(b.log).toEqual(["hold", "starving 300000"]);
});

test("~CCY-071: leaving the line or a full line is told at once", async () => {
  const b = bench({ maxConcurrent: 1, maxWaiting: 2 });
  const controller = new AbortController();
  await b.enter("hold");
  await b.enter("leaver", {}, controller.signal);
  await b.enter("stays");
  await b.enter("refused");
  expect(b.log).toEqual(["hold", "refused left: 2 requests are already waiting for p"]);
  await b.enter("user", { lane: "user", priority: 100 });
  controller.abort(new Error("cancelled"));
  await b.enter("fits now", {});
  expect(b.log).toContain("leaver left: cancelled");
  expect(b.queue.waiting).toBe(2);
  b.queue.close(new SylkError({ code: "MODEL_GATE_CLOSED", tier: "transient", message: "closed" }));
  await b.finish("user");
  expect(b.log.filter((line) => line.endsWith("left: closed"))).toHaveLength(2);
  expect(b.queue.waiting).toBe(0);
});

test("~LLM-082 ~LLM-084 LLM-088: a refusal holds everyone, a timer resumes, and the way opens one, two, four", async () => {
  const b = bench({ maxConcurrent: 8 });
  await b.limits.refused(7000, b.clock.now());
  for (let i = 0; i < 6; i += 1) await b.enter(`w${i}`);
  await b.enter("user", { lane: "user", priority: 100 });
  expect(b.log).toEqual(["paused 7000"]);
  await b.clock.advance(7000);
  expect(b.log).toEqual(["paused 7000", "resumed", "user"]);
  await b.limits.succeeded();
  await b.finish("user");
  expect(b.log.slice(3)).toEqual(["w0", "w1"]);
  await b.limits.succeeded();
  await b.finish("w0");
  expect(b.log.slice(3)).toEqual(["w0", "w1", "w2", "w3", "w4"]);
});

test("no request is lost, none runs twice and the bound holds, whatever happens", async () => {
  const action = fc.oneof(
    fc.record({
      kind: fc.constant("enter" as const),
      lane: fc.constantFrom<Lane>("user", "pipeline"),
      priority: fc.constantFrom<Priority>(100, 80, 60, 40, 20),
      session: fc.constantFrom("a", "b", "c"),
    }),
    fc.record({ kind: fc.constant("finish" as const), nth: fc.nat(5) }),
    fc.record({ kind: fc.constant("abort" as const), nth: fc.nat(20) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const b = bench({ maxConcurrent: 3, reservedForUsers: 1 });
      const controllers: AbortController[] = [];
      for (const one of actions) {
        if (one.kind === "enter") {
          const controller = new AbortController();
          controllers.push(controller);
          await b.enter(`r${controllers.length}`, { lane: one.lane, priority: one.priority, session: one.session }, controller.signal);
        } else if (one.kind === "finish") {
          const name = [...b.slots.keys()][one.nth];
          if (name !== undefined) await b.finish(name);
        } else controllers[one.nth]?.abort(new Error("cancelled"));
        expect(b.queue.running).toBeLessThanOrEqual(3);
      }
      while (b.slots.size > 0) for (const name of b.slots.keys()) await b.finish(name);
      expect(b.queue.waiting).toBe(0);
      expect(b.queue.running).toBe(0);
      for (let i = 1; i <= controllers.length; i += 1)
        expect(b.log.filter((line) => line === `r${i}` || line.startsWith(`r${i} left`))).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});
