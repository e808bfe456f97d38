import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { createFreshener } from "./keep-fresh.ts";
import type { IndexProgress } from "./types.ts";

interface Run {
  progress: (progress: IndexProgress) => void;
  end: () => void;
  fail: (error: Error) => void;
}

/** Readings that end when told to. */
function readings({ files = true } = {}) {
  const clock = new ManualClock();
  const runs: Run[] = [];
  const freshener = createFreshener({
    clock,
    hasFiles: () => files,
    read: ({ onProgress, signal }) =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
        runs.push({ progress: onProgress, end: resolve, fail: reject });
      }),
  });
  const { signal } = new AbortController();
  const run = async (place: number): Promise<Run> => {
    await expect.poll(() => runs.length).toBeGreaterThan(place);
    return runs[place] as Run;
  };
  return { clock, freshener, runs, run, refresh: (whole = false) => freshener.refresh({ signal, whole }) };
}

test("a reading that is over soon is waited for; a longer one goes on beside the answer, which says how far it is", async () => {
  const { clock, refresh, run } = readings();
  const soon = refresh();
  (await run(0)).end();
  expect(await soon).toEqual({ indexing: null });
  const later = refresh();
  (await run(1)).progress({ phase: "reading", done: 24, total: 100 });
  await clock.advance(5_000);
  expect(await later).toEqual({ indexing: { phase: "reading", done: 24, total: 100, note: expect.stringContaining("24 of 100") } });
});

test("when much is left to read, an answer hardly waits", async () => {
  const { clock, refresh, run } = readings();
  const asked = refresh();
  (await run(0)).progress({ phase: "history", done: 2_000, total: 15_000 });
  await expect.poll(() => clock.sleeping).toBe(3);
  await clock.advance(1_000);
  expect((await asked).indexing).toMatchObject({ done: 2_000, total: 15_000 });
});

test("where nothing was read before, an answer waits for the files, but not for ever", async () => {
  const { clock, refresh, run } = readings({ files: false });
  const asked = refresh();
  const reading = await run(0);
  await clock.advance(9_000);
  reading.progress({ phase: "history", done: 0, total: 10 });
  await clock.advance(1_000);
  expect((await asked).indexing?.phase).toBe("history");
  expect(clock.sleeping).toBe(0);
});

test("who asks while it goes on gets a reading that began afterwards, and one serves all of them", async () => {
  const { refresh, run, runs } = readings();
  const first = refresh(true);
  const second = refresh(true);
  const third = refresh(true);
  (await run(0)).end();
  expect(await first).toEqual({ indexing: null });
  (await run(1)).end();
  expect([await second, await third]).toEqual([{ indexing: null }, { indexing: null }]);
  expect(runs).toHaveLength(2);
});

test("a failure that nobody waited for is told to the next who asks, once", async () => {
  const { clock, refresh, run, runs } = readings();
  const asked = refresh();
  const reading = await run(0);
  await clock.advance(5_000);
  await asked;
  reading.fail(new Error("the disk is full"));
  await expect.poll(() => refresh().then(() => "", String)).toBe("Error: the disk is full");
  const again = refresh();
  (await run(runs.length)).end();
  expect(await again).toEqual({ indexing: null });
});

test("a failure that somebody waited for is told to them and to nobody else", async () => {
  const { refresh, run } = readings();
  const asked = refresh(true).then(() => "", String);
  (await run(0)).fail(new Error("the disk is full"));
  expect(await asked).toBe("Error: the disk is full");
  const again = refresh();
  (await run(1)).end();
  expect(await again).toEqual({ indexing: null });
});

test("what is being embedded is paid for: its end is waited for", async () => {
  const { clock, refresh, run } = readings();
  const asked = refresh();
  const reading = await run(0);
  reading.progress({ phase: "embedding", done: 1, total: 2 });
  await clock.advance(60_000);
  reading.end();
  expect(await asked).toEqual({ indexing: null });
});

test("who waits for everything waits for it, however long; who gives up is let go", async () => {
  const { clock, freshener, run } = readings();
  const patience = new AbortController();
  const asked = freshener.refresh({ signal: patience.signal, whole: true }).then(String, String);
  const reading = await run(0);
  reading.progress({ phase: "history", done: 0, total: 15_000 });
  await clock.advance(3_600_000);
  expect(await Promise.race([asked, Promise.resolve("waits")])).toBe("waits");
  patience.abort(new Error("enough"));
  expect(await asked).toBe("Error: enough");
});

test("stopped, it ends at once and begins anew when asked", async () => {
  const { freshener, refresh, run } = readings();
  const asked = refresh(true);
  await run(0);
  const refused = asked.then(() => "", String);
  await freshener.stop();
  expect(await refused).toContain("abort");
  const again = refresh(true);
  (await run(1)).end();
  expect(await again).toEqual({ indexing: null });
});
