/** Whatever is done to a stored event, verification sees it and names the first bad one. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Store, type View, sqliteDriver } from "../../src/journal/index.ts";
import { noted } from "../contract/store-contract.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";
import { agentActor } from "../../src/protocol/events/index.ts";

const by = { actor: agentActor("tester") };

function place() {
  const dir = tempDir();
  const file = path.join(dir, "sylk.db");
  const signing = { keyFile: path.join(dir, "key.pem"), anchorFile: path.join(dir, "anchor.json"), interval: 7 };
  const clock = new ManualClock();
  return { dir, file, signing, open: () => sqliteDriver.open({ path: file, clock, durability: "process", signing }) };
}

async function fill(store: Store, events: number, streams = 3): Promise<void> {
  for (let i = 0; i < events; i += 1) await store.journal.append(`s/${i % streams}`, "any", [noted.create({ text: `event ${i}` }, by)]);
}

function raw(file: string, sql: string, ...values: (string | number | Uint8Array)[]): void {
  const db = new DatabaseSync(file);
  db.prepare(sql).run(...values);
  db.close();
}

const COLUMNS: [string, string | number | Uint8Array][] = [
  ["stream", "s/other"],
  ["seq", 999],
  ["id", "evt_forged"],
  ["type", "contract.counted"],
  ["at", 1],
  ["actor", "someone else"],
  ["causation_id", "x"],
  ["correlation_id", "x"],
  ["payload", '{"text":"forged"}'],
  ["prev_hash", new Uint8Array(32)],
  ["hash", new Uint8Array(32)],
];

test.each(COLUMNS)("AUD-003 AUD-006: a changed %s is found and the event named", async (column, value) => {
  const { file, open } = place();
  await using store = await open();
  await fill(store, 20);
  raw(file, `UPDATE events SET ${column} = ? WHERE position = 11`, value);
  const report = await store.admin.verify();
  expect(report.valid).toBe(false);
  expect(report.firstBad?.position).toBe(11);
});

test("AUD-006: random tampering (change, remove, insert, swap) never verifies", async () => {
  const kinds = fc.constantFrom("change", "remove", "insert", "swap");
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 30 }), async (kind, a, b) => {
      fc.pre(kind !== "swap" || a !== b);
      const { file, open } = place();
      const store = await open();
      await fill(store, 30);
      await store.close();
      if (kind === "change") raw(file, 'UPDATE events SET payload = \'{"text":"x"}\' WHERE position = ?', a);
      else if (kind === "remove") raw(file, "DELETE FROM events WHERE position = ?", a);
      else if (kind === "insert")
        raw(
          file,
          "INSERT INTO events SELECT 31, 's/new', 1, 'evt_new', type, at, actor, causation_id, correlation_id, payload, zeroblob(32), hash FROM events WHERE position = ?",
          a,
        );
      else {
        raw(file, "UPDATE events SET position = -1 WHERE position = ?", a);
        raw(file, "UPDATE events SET position = ? WHERE position = ?", a, b);
        raw(file, "UPDATE events SET position = ? WHERE position = -1", b);
      }
      await using again = await open();
      const report = await again.admin.verify();
      expect(report.valid).toBe(false);
      expect(report.firstBad?.message).toEqual(expect.any(String));
    }),
    { numRuns: 40 },
  );
});

test("~AUD-004: cutting off the end, chain heads adjusted and all, is visible by the signatures", async () => {
  const { file, open } = place();
  const store = await open();
  await fill(store, 30, 1);
  await store.close();
  raw(file, "DELETE FROM events WHERE position > 20");
  raw(file, "UPDATE streams SET seq = 20, hash = (SELECT hash FROM events WHERE position = 20) WHERE stream <> ''");
  raw(file, "UPDATE streams SET seq = 20 WHERE stream = ''");
  const cut = await open();
  expect(await cut.admin.verify()).toMatchObject({ valid: false, firstBad: { kind: "truncated" } });
  await cut.close();
  raw(file, "DELETE FROM signatures WHERE json_extract(statement, '$.to') > 20");
  const hidden = await open();
  const report = await hidden.admin.verify();
  expect(report.problems.map((problem) => problem.kind)).toContain("truncated");
  await hidden.close();
});

test("~AUD-004: the mark outside the database is renewed while writing, so a killed process leaves one too", async () => {
  const { file, signing, open } = place();
  const store = await open();
  await fill(store, 20);
  const anchor = JSON.parse(readFileSync(signing.anchorFile, "utf8")) as { number: number };
  expect(anchor.number).toBe(2);
  // As after a kill: the store is never closed, and somebody cuts off the end.
  const copy = path.join(path.dirname(file), "copy.db");
  raw(file, "VACUUM INTO ?", copy);
  raw(copy, "DELETE FROM events WHERE position > 7");
  raw(copy, "DELETE FROM signatures WHERE number > 1");
  await store.close();
  writeFileSync(signing.anchorFile, JSON.stringify(anchor));
  await using cut = await sqliteDriver.open({ path: copy, clock: new ManualClock(), durability: "process", signing });
  expect((await cut.admin.verify()).valid).toBe(false);
});

test("a mark that cannot be written harms no write, and is told", async () => {
  const { dir, file, signing } = place();
  writeFileSync(path.join(dir, "in the way"), "");
  const nowhere = { ...signing, anchorFile: path.join(dir, "in the way", "anchor.json") };
  await using store = await sqliteDriver.open({ path: file, clock: new ManualClock(), durability: "process", signing: nowhere });
  await fill(store, 20);
  expect(await store.journal.headPosition()).toBe(20);
  expect(store.warnings).toEqual([expect.stringContaining("the journal is not signed:")]);
});

test("~AUD-004: a signature by another key does not count", async () => {
  const { file, open } = place();
  const store = await open();
  await fill(store, 20);
  await store.close();
  const other = place();
  const forger = await other.open();
  await fill(forger, 20);
  await forger.close();
  const donor = new DatabaseSync(other.file);
  const row = donor.prepare("SELECT public_key, signature FROM signatures WHERE number = 1").get() as {
    public_key: string;
    signature: Uint8Array;
  };
  donor.close();
  raw(file, "UPDATE signatures SET public_key = ?, signature = ? WHERE number = 1", row.public_key, row.signature);
  await using again = await open();
  expect(await again.admin.verify()).toMatchObject({ valid: false, firstBad: { kind: "bad_signature" } });
});

test("an untouched journal verifies, with every event covered by a signature after closing", async () => {
  const { open } = place();
  const store = await open();
  await fill(store, 23);
  await store.close();
  await using again = await open();
  expect(await again.admin.verify()).toMatchObject({ valid: true, events: 23, streams: 3, signedUpTo: 23 });
});

test("AUD-006: a damaged page beside the events is no sound journal, and whoever reads it is told how to mend it", async () => {
  const { file, signing } = place();
  const texts: View<string> = { name: "texts", version: 1, key: (event) => event.stream, reduce: (_, event) => event.id };
  const open = () => sqliteDriver.open({ path: file, clock: new ManualClock(), durability: "process", signing, views: [texts] });
  const store = await open();
  await fill(store, 10);
  await store.close();
  const db = new DatabaseSync(file);
  const [page, size] = [
    (db.prepare("SELECT rootpage AS n FROM sqlite_master WHERE name = 'view_rows'").get() as { n: number }).n,
    (db.prepare("PRAGMA page_size").get() as { page_size: number }).page_size,
  ];
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xaa, (page - 1) * size, page * size));
  await using damaged = await open();
  expect(await damaged.admin.verify()).toMatchObject({ valid: false, firstBad: { kind: "unreadable" } });
  await expect(damaged.journal.list(texts, {})).rejects.toMatchObject({
    code: "STORE_CORRUPT",
    fix: expect.stringContaining("journal rebuild"),
  });
});
