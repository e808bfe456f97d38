/** An event that nobody changed and that yet cannot be understood: it is named, and the others are read. */
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Store, type View, sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { decode, defineEvent } from "../../src/protocol/events/define-event.ts";
import { USER } from "../../src/protocol/events/index.ts";
import { tempDir } from "../support/temp.ts";

/** As an earlier version with another idea of it would have declared it. */
const declare = (schema: z.ZodType<{ count: unknown }>) => defineEvent({ type: "test.counted", version: 1, schema });
const counted = declare(z.object({ count: z.int() }));
const kinds = { counted };

const countOf = (event: Parameters<typeof decode>[1]): number => Number(decode(kinds, event)?.payload.count);
const perStream: View<number> = {
  name: "test.sums",
  version: 1,
  types: [counted.type],
  key: (event) => event.stream,
  snapshotEvery: 10,
  reduce: (sum, event) => (sum ?? 0) + countOf(event),
};
const total: View<number> = {
  name: "test.total",
  version: 1,
  types: [counted.type],
  key: () => "all",
  reduce: (sum, event) => (sum ?? 0) + countOf(event),
};

async function withOneMalformed(): Promise<Store> {
  const file = path.join(tempDir("sylk-malformed"), "sylk.db");
  {
    await using store = await sqliteDriver.open({ path: file, clock: systemClock });
    declare(z.object({ count: z.unknown() }));
    const add = (stream: string, count: unknown) => store.journal.append(stream, "any", [counted.create({ count }, { actor: USER })]);
    await add("good", 1);
    await add("bad", 1);
    await add("bad", "two");
    await add("good", 2);
    declare(z.object({ count: z.int() }));
  }
  return sqliteDriver.open({ path: file, clock: systemClock, views: [perStream, total] });
}

const NAMED = /^position 3 \(bad#2, test\.counted\) cannot be understood: count: /;

test("reading goes on past it, and it says what is wrong with it", async () => {
  await using store = await withOneMalformed();
  const events = await store.journal.readAll({ after: 0, limit: 10 });
  expect(events.map(({ payload, fault }) => ({ payload, fault: fault !== undefined }))).toEqual([
    { payload: { count: 1 }, fault: false },
    { payload: { count: 1 }, fault: false },
    { payload: { count: "two" }, fault: true },
    { payload: { count: 2 }, fault: false },
  ]);
  expect(events.map((event) => counted.is(event))).toEqual([true, true, false, true]);
});

test("a state that needs it is refused by position and type; lists leave it out and warn", async () => {
  await using store = await withOneMalformed();
  await expect(store.journal.get(perStream, "bad")).rejects.toMatchObject({
    code: "JOURNAL_MALFORMED_EVENT",
    message: expect.stringMatching(NAMED) as string,
  });
  expect(await store.journal.get(perStream, "good")).toBe(3);
  expect(await store.journal.list(perStream)).toEqual([{ key: "good", state: 3 }]);
  expect(await store.journal.list(total)).toEqual([{ key: "all", state: 4 }]);
  expect(store.warnings).toEqual([expect.stringMatching(NAMED)]);
  // Others are written to as before.
  await store.journal.append("good", "any", [counted.create({ count: 4 }, { actor: USER })]);
  expect(await store.journal.get(perStream, "good")).toBe(7);
});

test("verify names it", async () => {
  await using store = await withOneMalformed();
  const report = await store.admin.verify();
  expect(report).toMatchObject({ valid: false, firstBad: { kind: "malformed", position: 3, stream: "bad", seq: 2 } });
  expect(report.problems.map(({ message }) => message)).toEqual([expect.stringMatching(NAMED)]);
});

test("as it is stored, payload and actor are what the hash covers", async () => {
  await using store = await withOneMalformed();
  const [, , stored] = await store.journal.readAll({ after: 0, limit: 10, asStored: true });
  expect(stored).toMatchObject({ payload: { count: "two" }, actor: "user" });
  expect(stored?.fault).toBeUndefined();
});
