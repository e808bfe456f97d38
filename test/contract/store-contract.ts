/** What any driver of the storage seams must do. Run once per driver. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newId, type SylkError } from "../../src/kernel/index.ts";
import { type Claim, type Store, type View } from "../../src/journal/index.ts";
import { noted } from "./noted-event.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { defineEvent } from "../../src/protocol/events/define-event.ts";

export { noted };
export const counted = defineEvent({ type: "contract.counted", version: 1, schema: z.object({ key: z.string(), n: z.number() }) });

export const totals: View<{ sum: number; events: number }> = {
  name: "contract.totals",
  version: 1,
  types: [counted.type],
  key: (event) => (event.payload as { key: string }).key,
  reduce: (state, event) => ({ sum: (state?.sum ?? 0) + (event.payload as { n: number }).n, events: (state?.events ?? 0) + 1 }),
};

export const texts: View<string[]> = {
  name: "contract.texts",
  version: 1,
  key: (event) => event.stream,
  snapshotEvery: 10,
  reduce: (state, event) => (noted.is(event) ? [...(state ?? []), event.payload.text] : state),
};

export interface OpenOptions {
  clock: ManualClock;
  views?: readonly View<unknown>[];
}

/** `open` may be called several times for one place: that is several processes' view of one store. */
export interface StoreDriver {
  name: string;
  place(): { open(options: OpenOptions): Promise<Store> };
}

const by = { actor: agentActor("tester") };
const note = (text: string, id?: ReturnType<typeof newId<"event">>) => noted.create({ text }, { ...by, id });
const count = (key: string, n: number) => counted.create({ key, n }, by);
const codeOf = (error: unknown) => (error as SylkError).code;

export function storeContract(driver: StoreDriver): void {
  describe(`${driver.name} keeps the storage contract`, () => {
    const clock = new ManualClock();
    const views = [totals, texts];
    const fresh = async () => {
      const place = driver.place();
      return { place, store: await place.open({ clock, views }) };
    };

    test("events come back whole, in order, chained", async () => {
      const { store } = await fresh();
      await using _ = store;
      const written = await store.journal.append("s/1", 0, [note("a"), note("b")]);
      const again = await store.journal.append("s/1", 2, [
        noted.create({ text: "c" }, { actor: agentActor("x"), causationId: "cause", correlationId: "corr" }),
      ]);
      expect(await store.journal.read("s/1")).toEqual([...written, ...again]);
      expect(again[0]).toMatchObject({
        stream: "s/1",
        seq: 3,
        position: 3,
        type: "contract.noted",
        actor: "agent/x",
        causationId: "cause",
        correlationId: "corr",
        payload: { text: "c" },
        at: clock.now(),
        prevHash: written[1]?.hash,
      });
      expect(written[0]?.prevHash).toBe("0".repeat(64));
      expect(await store.journal.head("s/1")).toBe(3);
    });

    test("an append at the wrong sequence is refused and changes nothing", async () => {
      const { store } = await fresh();
      await using _ = store;
      await store.journal.append("s", 0, [note("a")]);
      const error = await store.journal.append("s", 0, [note("b"), note("c")]).catch((e: unknown) => e);
      expect(codeOf(error)).toBe("JOURNAL_CONFLICT");
      expect((await store.journal.read("s")).map((e) => e.payload)).toEqual([{ text: "a" }]);
    });

    test("several events are one transaction: one invalid event refuses them all", async () => {
      const { store } = await fresh();
      await using _ = store;
      const bad = { type: noted.type, payload: { text: 7 }, ...by };
      expect(codeOf(await store.journal.append("s", 0, [note("a"), bad]).catch((e: unknown) => e))).toBe("JOURNAL_INVALID_EVENT");
      expect(codeOf(await store.journal.append("s", 0, [{ type: "nobody.declared", payload: {}, ...by }]).catch((e: unknown) => e))).toBe(
        "JOURNAL_INVALID_EVENT",
      );
      expect(await store.journal.head("s")).toBe(0);
    });

    test("concurrent appends to one stream: exactly one wins each sequence", async () => {
      const { place, store } = await fresh();
      const other = await place.open({ clock, views });
      await using _ = store;
      await using __ = other;
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_v, i) => (i % 2 === 0 ? store : other).journal.append("race", 0, [note(String(i))])),
      );
      expect(results.filter((r) => r.status === "fulfilled")).toHaveLength(1);
      expect(await store.journal.read("race")).toHaveLength(1);
    });

    test("a retry under the same id returns what is stored instead of repeating it", async () => {
      const { store } = await fresh();
      await using _ = store;
      const id = newId<"event">("evt", clock.now());
      const first = await store.journal.append("s", 0, [note("once", id)]);
      const second = await store.journal.append("s", 0, [note("once", id)]);
      expect(second).toEqual(first);
      expect(codeOf(await store.journal.append("s", 1, [note("other", id)]).catch((e: unknown) => e))).toBe("JOURNAL_CONFLICT");
      expect(await store.journal.head("s")).toBe(1);
    });

    test("an owner whose epoch has passed cannot append", async () => {
      const { store } = await fresh();
      await using _ = store;
      const first = await store.work.claim("task", "a", 1_000);
      await store.journal.append("task", 0, [note("a")], { key: "task", epoch: first?.epoch ?? -1 });
      await clock.advance(2_000);
      const second = await store.work.claim("task", "b", 1_000);
      expect(second?.epoch).toBe((first?.epoch ?? 0) + 1);
      expect(
        codeOf(await store.journal.append("task", 1, [note("late")], { key: "task", epoch: first?.epoch ?? -1 }).catch((e: unknown) => e)),
      ).toBe("JOURNAL_FENCED");
      await store.journal.append("task", 1, [note("b")], { key: "task", epoch: second?.epoch ?? -1 });
    });

    test("work: one holder at a time, renewal, loss, settling, finishing", async () => {
      const { store } = await fresh();
      await using _ = store;
      const a = await store.work.claim("w", "a", 1_000);
      if (a === undefined) throw new Error("not claimed");
      expect(await store.work.claim("w", "b", 1_000)).toBeUndefined();
      // Whoever only says that it is the owner, or was, is not.
      for (const forged of [
        { ...a, holder: "b" },
        { ...a, epoch: a.epoch + 1 },
      ]) {
        expect(await store.work.renew([forged])).toEqual(["w"]);
        expect(await store.work.settle(forged)).toBe(false);
        expect(await store.work.finish(forged, "w", "any", [note("forged")])).toBe(false);
      }
      await clock.advance(900);
      expect(await store.work.renew([a])).toEqual([]);
      await clock.advance(900);
      expect(await store.work.claim("w", "b", 1_000)).toBeUndefined();
      await clock.advance(200);
      const b = await store.work.claim("w", "b", 1_000);
      if (b === undefined) throw new Error("not claimed after expiry");
      expect(await store.work.renew([a])).toEqual(["w"]);
      expect(await store.work.settle(a)).toBe(false);
      expect(await store.work.finish(a, "w", "any", [note("stale")])).toBe(false);
      expect(await store.work.finish(b, "w", "any", [note("done")])).toBe(true);
      expect(await store.work.holder("w")).toBeUndefined();
      expect((await store.journal.read("w")).map((e) => e.payload)).toEqual([{ text: "done" }]);
      expect((await store.work.claim("w", "c", 1_000))?.epoch).toBe(b.epoch + 1);
    });

    test("offered work: the longest waiting of the wanted kinds, when it is due and nobody has it", async () => {
      const { place, store } = await fresh();
      await using _ = store;
      await using other = await place.open({ clock, views });
      const { work } = store;
      await work.offer([{ key: "t/1", kind: "tree" }]);
      await clock.advance(1);
      await work.offer([
        { key: "s/1", kind: "skill" },
        { key: "t/2", kind: "tree", wake: { at: clock.now() + 5_000 } },
        { key: "t/3", kind: "tree", wake: { stream: "answers", after: 1 } },
      ]);
      expect(await work.claimNext(["plan"], "a", 1_000)).toBeUndefined();
      const first = await work.claimNext(["skill", "tree"], "a", 1_000);
      expect(first).toMatchObject({ key: "t/1", kind: "tree", holder: "a", epoch: 1 });
      expect(await other.work.claimNext(["skill", "tree"], "b", 1_000)).toMatchObject({ key: "s/1", kind: "skill" });
      expect(await work.claimNext(["skill", "tree"], "a", 1_000)).toBeUndefined();
      // Offered again while it is up, it stays as it is.
      await work.offer([{ key: "t/2", kind: "tree" }]);
      expect(await work.claimNext(["tree"], "a", 1_000)).toBeUndefined();
      await store.journal.append("answers", 0, [note("asked")]);
      expect(await work.claimNext(["tree"], "c", 1_000)).toBeUndefined();
      await other.journal.append("answers", 1, [note("answered")]);
      const woken = await work.claimNext(["tree"], "c", 10_000);
      expect(woken?.key).toBe("t/3");
      // A holder whose lease has ended loses it; what was given back to rest waits anew; what was settled is over.
      await clock.advance(2_000);
      expect(await work.claimNext(["tree"], "d", 10_000)).toMatchObject({ key: "t/1", epoch: 2, holder: "d" });
      if (woken === undefined || first === undefined) throw new Error("not claimed");
      expect(await work.settle(first)).toBe(false);
      expect(await work.settle(woken, { at: clock.now() + 4_000 })).toBe(true);
      expect(await work.claimNext(["tree"], "e", 1_000)).toBeUndefined();
      await clock.advance(3_000);
      const late = await work.claimNext(["tree"], "e", 1_000);
      expect(late?.key).toBe("t/2");
      await work.settle(late as Claim);
      expect(await work.claimNext(["tree"], "e", 1_000)).toBeUndefined();
      await clock.advance(1_000);
      expect(await work.claimNext(["tree"], "e", 1_000)).toMatchObject({ key: "t/3", epoch: 2 });
    });

    test("work of many at once: each piece is given to exactly one", async () => {
      const { place, store } = await fresh();
      await using _ = store;
      await using other = await place.open({ clock, views });
      await store.work.offer(Array.from({ length: 20 }, (_v, i) => ({ key: `n/${i}`, kind: "n" })));
      const claims = await Promise.all(
        Array.from({ length: 24 }, (_v, i) => (i % 2 === 0 ? store : other).work.claimNext(["n"], `holder ${i}`, 60_000)),
      );
      const keys = claims.flatMap((claim) => (claim === undefined ? [] : [claim.key]));
      expect([keys.length, new Set(keys).size]).toEqual([20, 20]);
    });

    test("counters never pass their limit under races", async () => {
      const { place, store } = await fresh();
      const other = await place.open({ clock, views });
      await using _ = store;
      await using __ = other;
      const taken = await Promise.all(Array.from({ length: 50 }, (_v, i) => (i % 2 === 0 ? store : other).counters.take("tokens", 3, 100)));
      expect(taken.filter((t) => t.ok)).toHaveLength(33);
      expect(await other.counters.value("tokens")).toBe(99);
      expect(await store.counters.giveBack("tokens", 9)).toBe(90);
    });

    test("a hold moves with its counter: taken together, refused together, given back together", async () => {
      const { store } = await fresh();
      await using _ = store;
      const { counters } = store;
      expect(await counters.take("tokens", 60, 100, "mine")).toEqual({ ok: true, value: 60 });
      expect(await counters.take("tokens", 60, 100, "mine")).toEqual({ ok: false, value: 60 });
      expect(await counters.value("mine")).toBe(60);
      expect(await counters.giveBack("tokens", 25, "mine")).toBe(35);
      expect(await counters.giveBack("mine", 35)).toBe(0);
      expect(await counters.value("tokens")).toBe(35);
    });

    test("views are exact after every append and in every process", async () => {
      const { place, store } = await fresh();
      const other = await place.open({ clock, views });
      await using _ = store;
      await using __ = other;
      for (let i = 1; i <= 25; i += 1) {
        await (i % 2 === 0 ? store : other).journal.append("s", i * 2 - 2, [count(i % 3 === 0 ? "x" : "y", i), note(String(i))]);
        const expected = Array.from({ length: i }, (_v, k) => String(k + 1));
        expect(await store.journal.get(texts, "s")).toEqual(expected);
      }
      expect(await store.journal.list(totals)).toEqual([
        { key: "x", state: { sum: 108, events: 8 } },
        { key: "y", state: { sum: 217, events: 17 } },
      ]);
      expect(await other.journal.list(totals, { prefix: "y", limit: 1 })).toEqual([{ key: "y", state: { sum: 217, events: 17 } }]);
    });

    test("a view with a new version, or a view nobody knew before, is rebuilt from the journal", async () => {
      const { place, store } = await fresh();
      await store.journal.append("s", 0, [count("k", 2), count("k", 3)]);
      await store.close();
      const blind = await place.open({ clock, views: [] });
      await blind.journal.append("s", 2, [count("k", 4)]);
      await blind.close();
      const doubled = {
        ...totals,
        version: 2,
        reduce: (state: { sum: number; events: number } | undefined, event: { payload: unknown }) => ({
          sum: (state?.sum ?? 0) + 2 * (event.payload as { n: number }).n,
          events: 0,
        }),
      };
      await using reopened = await place.open({ clock, views: [doubled, texts] });
      expect(await reopened.journal.get(doubled, "k")).toEqual({ sum: 18, events: 0 });
      const old = await place.open({ clock, views: [totals] }).catch((e: unknown) => e);
      expect(codeOf(old)).toBe("STORE_NEWER");
    });

    test("subscriptions hint at appends of this and of other processes", async () => {
      const { place, store } = await fresh();
      const other = await place.open({ clock, views });
      await using _ = store;
      await using __ = other;
      using subscription = store.journal.subscribe({ stream: "s/" });
      expect(await subscription.next()).toBe("maybe");
      const own = subscription.next();
      await store.journal.append("s/a", 0, [note("own")]);
      expect(await own).toBe("maybe");
      let seen = 0;
      await other.journal.append("s/b", 0, [note("theirs")]);
      while (seen < 2) {
        await subscription.next();
        seen = (await store.journal.readAll({ after: 0, limit: 10, filter: { stream: "s/" } })).length;
      }
      expect(seen).toBe(2);
      subscription[Symbol.dispose]();
      expect(await subscription.next()).toBe("closed");
    });

    test("reading across streams filters by stream, prefix and type, in order of position", async () => {
      const { store } = await fresh();
      await using _ = store;
      await store.journal.append("a/1", 0, [note("1"), count("k", 1)]);
      await store.journal.append("b", 0, [note("2")]);
      await store.journal.append("a/2", 0, [note("3")]);
      const all = await store.journal.readAll({ after: 1, limit: 10 });
      expect(all.map((e) => e.position)).toEqual([2, 3, 4]);
      const some = await store.journal.readAll({ after: 0, limit: 10, filter: { stream: "a/", types: [noted.type] } });
      expect(some.map((e) => e.payload)).toEqual([{ text: "1" }, { text: "3" }]);
    });

    test("blobs are stored once, come back whole, and survive while an event refers to them", async () => {
      const { store } = await fresh();
      await using _ = store;
      const big = "abc".repeat(100_000);
      const ref = await store.blobs.put(big);
      expect(await store.blobs.put(Buffer.from(big))).toBe(ref);
      const binary = new Uint8Array(1000).map((_v, i) => (i * 7919) % 256);
      const loose = await store.blobs.put(binary);
      expect(new Uint8Array(await store.blobs.get(loose))).toEqual(binary);
      await store.journal.append("s", 0, [noted.create({ text: "t", blob: ref }, by)]);
      await clock.advance(10_000);
      expect((await store.admin.compact({ idleMs: 1e12, blobGraceMs: 5_000 })).removedBlobs).toBe(1);
      expect(await store.blobs.has(loose)).toBe(false);
      expect(Buffer.from(await store.blobs.get(ref)).toString()).toBe(big);
      expect(codeOf(await store.blobs.get(loose).catch((e: unknown) => e))).toBe("BLOB_MISSING");
    });

    test("archived streams read, verify, rebuild and grow as before", async () => {
      const { store } = await fresh();
      await using _ = store;
      for (let i = 0; i < 30; i += 1) await store.journal.append(i % 2 === 0 ? "old" : "mixed", "any", [note(`t${i}`), count("k", 1)]);
      const before = await store.journal.readAll({ after: 0, limit: 1000 });
      await clock.advance(10_000);
      await store.journal.append("mixed", "any", [note("young")]);
      const report = await store.admin.compact({ idleMs: 5_000, blobGraceMs: 0 });
      expect(report).toMatchObject({ archivedStreams: 1, archivedEvents: 30 });
      expect((await store.journal.readAll({ after: 0, limit: 1000 })).slice(0, before.length)).toEqual(before);
      expect(await store.journal.readAll({ after: 10, limit: 7 })).toEqual(before.slice(10, 17));
      await store.journal.append("old", 30, [note("again")]);
      expect(await store.journal.read("old", { from: 29 })).toHaveLength(3);
      expect(await store.admin.verify()).toMatchObject({ valid: true, events: 62 });
      await store.admin.rebuildViews();
      expect(await store.journal.get(totals, "k")).toEqual({ sum: 30, events: 30 });
    });
  });
}
