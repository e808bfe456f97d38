/**
 * The attacker can write the files of a journal but has not its signing key: he wants what happened to be gone, or
 * to read otherwise, without anybody noticing. Cutting the end with whatever marks he finds, replacing texts, changing
 * what people are shown: each must be named by `verify`, and nothing may be written on top of a cut.
 */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { z } from "zod";
import { expect, test } from "vitest";
import { type Store, type View, sqliteDriver } from "../../../src/journal/index.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { tempDir } from "../../support/temp.ts";
import { USER, agentActor } from "../../../src/protocol/events/index.ts";
import { defineEvent } from "../../../src/protocol/events/define-event.ts";

const said = defineEvent({ type: "hostile.said", version: 1, schema: z.object({ goal: z.string(), text: z.string().optional() }) });
const by = { actor: agentActor("tester") };
const goals: View<{ goal: string; count: number }> = {
  name: "goals",
  version: 1,
  key: (event) => event.stream,
  reduce: (state, event) => ({ goal: said.is(event) ? event.payload.goal : "", count: (state?.count ?? 0) + 1 }),
};
const snapshots: View<{ goal: string; count: number }> = { ...goals, name: "snapshots", snapshotEvery: 5 };

interface Place {
  dir: string;
  file: string;
  anchor: string;
  ledger: string;
  /** Under another name in the ledger when one is given. */
  open(journal?: string): Promise<Store>;
}

function place(keyFile?: string): Place {
  const dir = tempDir();
  const [file, anchor, ledger] = [path.join(dir, "p/sylk.db"), path.join(dir, "p/anchor.json"), path.join(dir, "journals.db")];
  const signing = {
    keyFile: keyFile ?? path.join(dir, "key.pem"),
    anchorFile: anchor,
    interval: 7,
  };
  const clock = new ManualClock();
  return {
    dir,
    file,
    anchor,
    ledger,
    open: (journal = "one") =>
      sqliteDriver.open({
        path: file,
        clock,
        durability: "process",
        signing: { ...signing, ledger: { file: ledger, journal } },
        views: [goals, snapshots],
      }),
  };
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += 1) {
    const text = await store.blobs.put(`text ${i} `.repeat(i % 2 === 0 ? 1 : 100));
    await store.journal.append(`s/${i % 3}`, "any", [said.create({ goal: `goal ${i}`, text }, by)]);
  }
}

/** Two working sessions; the marks as they stood after the first are what an attacker may have kept. */
async function lived(keyFile?: string): Promise<Place & { oldAnchor: string; oldLedger: string }> {
  const made = place(keyFile);
  const first = await made.open();
  await fill(first, 0, 40);
  await first.close();
  const kept = { oldAnchor: `${made.anchor}.old`, oldLedger: `${made.ledger}.old` };
  copyFileSync(made.anchor, kept.oldAnchor);
  copyFileSync(made.ledger, kept.oldLedger);
  const second = await made.open();
  await fill(second, 40, 80);
  await second.close();
  return { ...made, ...kept };
}

function raw(file: string, ...lines: [sql: string, ...values: (string | number | Uint8Array)[]][]): void {
  const db = new DatabaseSync(file);
  for (const [sql, ...values] of lines) db.prepare(sql).run(...values);
  db.close();
}

/** Events, heads and statements after a position go, as if they had never been. */
function cut(file: string, after = 40): void {
  raw(
    file,
    ["DELETE FROM events WHERE position > ?", after],
    ["DELETE FROM signatures WHERE json_extract(statement, '$.to') > ?", after],
    ["DELETE FROM streams WHERE stream <> '' AND stream NOT IN (SELECT stream FROM events)"],
    [
      "UPDATE streams SET seq = (SELECT max(seq) FROM events e WHERE e.stream = streams.stream), hash = (SELECT hash FROM events e WHERE e.stream = streams.stream ORDER BY seq DESC LIMIT 1) WHERE stream <> ''",
    ],
    ["UPDATE streams SET seq = ? WHERE stream = ''", after],
    ["DELETE FROM view_rows"],
    ["UPDATE views SET position = 0"],
  );
}

function rebuildFromLastRow({ file, anchor }: Place): void {
  const db = new DatabaseSync(file);
  const row = db.prepare("SELECT * FROM signatures ORDER BY number DESC LIMIT 1").get() as Record<string, unknown>;
  db.close();
  writeFileSync(anchor, JSON.stringify({ ...row, signature: Buffer.from(row["signature"] as Uint8Array).toString("base64") }));
}

type Lived = Awaited<ReturnType<typeof lived>>;
const CUTS: [name: string, marks: (at: Lived) => void, kinds: string[]][] = [
  ["the marks are left", () => undefined, ["truncated", "truncated"]],
  ["the anchor is removed", ({ anchor }) => rmSync(anchor), ["anchor_missing", "truncated"]],
  ["the anchor is garbled", ({ anchor }) => writeFileSync(anchor, '{"number": 4'), ["anchor_unreadable", "truncated"]],
  ["the anchor is emptied", ({ anchor }) => writeFileSync(anchor, ""), ["anchor_unreadable", "truncated"]],
  ["the anchor is a folder", ({ anchor }) => (rmSync(anchor), mkdirSync(anchor)), ["anchor_unreadable", "truncated"]],
  ["the anchor is rebuilt from the last row", rebuildFromLastRow, ["truncated"]],
  ["the anchor is set back to an older, genuine one", ({ anchor, oldAnchor }) => copyFileSync(oldAnchor, anchor), ["truncated"]],
  ["the ledger is removed", ({ ledger }) => rmSync(ledger), ["truncated", "anchor_missing"]],
  ["the ledger is garbled", ({ ledger }) => writeFileSync(ledger, "x".repeat(5_000)), ["truncated", "anchor_unreadable"]],
  ["its line in the ledger is removed", ({ ledger }) => raw(ledger, ["DELETE FROM anchors"]), ["truncated", "anchor_missing"]],
  ["both are removed", ({ anchor, ledger }) => (rmSync(anchor), rmSync(ledger)), ["anchor_missing", "anchor_missing"]],
];

test.each(CUTS)("M4: a cut end is named when %s, and nothing is written on top of it", async (_, marks, kinds) => {
  const at = await lived();
  cut(at.file);
  for (const ending of ["-wal", "-shm"]) rmSync(at.ledger + ending, { force: true });
  marks(at);
  const store = await at.open();
  const report = await store.admin.verify();
  expect(report.valid).toBe(false);
  expect(report.problems.map((problem) => problem.kind)).toEqual(kinds);
  await expect(store.journal.append("s/0", "any", [said.create({ goal: "more" }, by)])).rejects.toMatchObject({
    code: "JOURNAL_ANCHOR_LOST",
    tier: "user_fixable",
    fix: expect.stringContaining("sylk journal accept"),
  });
  await expect(store.blobs.put("more")).rejects.toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
  await expect(store.work.claim("k", "me", 1_000)).rejects.toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
  // Who only looks still can.
  expect((await store.journal.read("s/0")).length).toBeGreaterThan(0);
  expect(await store.journal.get(goals, "s/0")).toMatchObject({ goal: "goal 39" });
  await store.close();
  // Looking changed no mark: the next one sees the same.
  await using again = await at.open();
  expect((await again.admin.verify()).problems.map((problem) => problem.kind)).toEqual(kinds);
});

test("V6: an older copy put back is named, however often it is opened and written to; a new journal at the same path is not accused", async () => {
  const at = place();
  const first = await at.open();
  await fill(first, 0, 40);
  await first.close();
  copyFileSync(at.file, `${at.file}.copy`);
  const second = await at.open();
  await fill(second, 40, 80);
  await second.close();
  copyFileSync(`${at.file}.copy`, at.file);
  for (let session = 0; session < 3; session += 1) {
    const store = await at.open();
    await expect(fill(store, 80, 160)).rejects.toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
    expect(await store.admin.verify()).toMatchObject({ valid: false });
    await store.close();
  }
  // Another journal there has a name of its own in the ledger and comes with no marks.
  for (const part of [at.file, at.anchor, path.join(path.dirname(at.anchor), "head.json")]) rmSync(part, { force: true });
  await using anew = await at.open("another");
  await fill(anew, 0, 10);
  expect(await anew.admin.verify()).toMatchObject({ valid: true });
});

test.each([
  ["the anchor is removed", ({ anchor }: Lived) => rmSync(anchor), "anchor_missing"],
  ["the anchor is garbled", ({ anchor }: Lived) => writeFileSync(anchor, "{}"), "anchor_unreadable"],
  ["the ledger is removed", ({ ledger }: Lived) => rmSync(ledger), "anchor_missing"],
  ["the database is removed", ({ file }: Lived) => rmSync(file), "truncated"],
  [
    "a line of the ledger names another journal",
    ({ ledger }: Lived) => raw(ledger, ["UPDATE anchors SET journal = 'two'"]),
    "anchor_missing",
  ],
])("M4: even of a whole journal it is told when %s", async (_, act, kind) => {
  const at = await lived();
  for (const ending of ["-wal", "-shm"]) for (const file of [at.ledger, at.file]) rmSync(file + ending, { force: true });
  act(at);
  await using store = await at.open();
  expect((await store.admin.verify()).problems.map((problem) => problem.kind)).toContain(kind);
  expect(store.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
});

test("M4: marks signed with another key, or of another journal, are not believed", async () => {
  const at = await lived();
  const other = await lived();
  copyFileSync(other.anchor, at.anchor);
  await using store = await at.open();
  expect((await store.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["anchor_unreadable"]);
  expect(store.refusal?.message).toContain("not signed by this installation");
});

test("M4: a genuine mark or database of another journal of the same user, of the same length, is told", async () => {
  const at = await lived();
  const other = await lived(path.join(at.dir, "key.pem"));
  const own = readFileSync(at.anchor);
  copyFileSync(other.anchor, at.anchor);
  const marked = await at.open();
  expect((await marked.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["anchor_off_chain"]);
  expect(marked.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
  await marked.close();
  writeFileSync(at.anchor, own);
  for (const ending of ["-wal", "-shm"]) for (const file of [other.file, at.file]) rmSync(file + ending, { force: true });
  copyFileSync(other.file, at.file);
  await using replaced = await at.open();
  expect((await replaced.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["anchor_off_chain", "anchor_off_chain"]);
  expect(replaced.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
});

test("M4: a genuine statement passed off as the beginning does not hide a cut", async () => {
  const at = await lived();
  cut(at.file, 0);
  for (const ending of ["-wal", "-shm"]) rmSync(at.ledger + ending, { force: true });
  writeFileSync(at.anchor, JSON.stringify({ ...(JSON.parse(readFileSync(at.anchor, "utf8")) as object), number: 0 }));
  raw(at.ledger, ["UPDATE anchors SET number = 0"]);
  await using store = await at.open();
  expect((await store.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["anchor_off_chain", "anchor_off_chain"]);
  expect(store.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
});

test("M4: nothing is written after a newest statement that somebody else signed, though it says the same", async () => {
  const at = await lived();
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const db = new DatabaseSync(at.file);
  const { number, statement } = db.prepare("SELECT number, statement FROM signatures ORDER BY number DESC LIMIT 1").get() as {
    number: number;
    statement: string;
  };
  db.close();
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const forged = sign(null, Buffer.from(statement), privateKey);
  raw(at.file, ["UPDATE signatures SET public_key = ?, signature = ? WHERE number = ?", key, forged, number]);
  await using store = await at.open();
  expect(store.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST", details: { problems: ["bad_signature"] } });
});

test("M4: a beginning that nobody signed, under the person's own key, is not believed in either place", async () => {
  const at = await lived();
  for (const file of [at.file, at.ledger]) for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
  rmSync(at.file);
  const statement = JSON.stringify({ at: 0, from: 1, to: 0, digest: "", previous: "", v: 2 });
  const signature = Buffer.alloc(64, 1).toString("base64");
  const { public_key } = JSON.parse(readFileSync(at.anchor, "utf8")) as { public_key: string };
  writeFileSync(at.anchor, JSON.stringify({ number: 0, statement, public_key, signature }));
  raw(at.ledger, ["UPDATE anchors SET number = 0, statement = ?, signature = ?", statement, signature]);
  await using store = await at.open();
  expect((await store.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["anchor_unreadable", "anchor_unreadable"]);
});

test("M4: what is cut off under an open journal does not set its marks back", async () => {
  const at = await lived();
  const ahead = readFileSync(at.anchor, "utf8");
  const store = await at.open();
  cut(at.file);
  await fill(store, 40, 50);
  await store.close();
  expect(readFileSync(at.anchor, "utf8")).toBe(ahead);
  await using again = await at.open();
  expect((await again.admin.verify()).problems.map((problem) => problem.kind)).toEqual(["truncated", "truncated"]);
});

test("M4: a person goes on after a loss with a reason, which is a signed fact", async () => {
  const at = await lived();
  cut(at.file);
  const store = await at.open();
  const event = await store.admin.accept({ reason: "restored the copy of Monday", actor: USER });
  expect(event).toMatchObject({ type: "journal.accepted", position: 41, payload: { head: 40, reason: "restored the copy of Monday" } });
  await fill(store, 40, 60);
  await expect(store.admin.accept({ reason: "again", actor: USER })).rejects.toMatchObject({ code: "JOURNAL_NOTHING_TO_ACCEPT" });
  await store.close();
  const sound = await at.open();
  expect(await sound.admin.verify()).toMatchObject({
    valid: true,
    events: 61,
    signedUpTo: 61,
    accepted: [{ position: 41, reason: "restored the copy of Monday" }],
  });
  await sound.close();
  // The fact itself cannot be taken back in silence.
  cut(at.file);
  await using taken = await at.open();
  expect((await taken.admin.verify()).valid).toBe(false);
});

test("M4: texts that were replaced, garbled or removed are named with the event that refers to them", async () => {
  const at = await lived();
  const db = new DatabaseSync(at.file);
  const hashes = (db.prepare("SELECT hash, codec FROM blobs ORDER BY at, hash").all() as { hash: string; codec: string }[]).slice(0);
  db.close();
  const rawOne = hashes.find((blob) => blob.codec === "raw")?.hash as string;
  const packed = hashes.filter((blob) => blob.codec === "zstd").map((blob) => blob.hash);
  const [replaced, garbled, removed] = packed as [string, string, string];
  raw(
    at.file,
    ["UPDATE blobs SET data = ? WHERE hash = ?", Buffer.from("forged"), rawOne],
    ["UPDATE blobs SET data = ? WHERE hash = ?", zstdCompressSync(Buffer.from("forged")), replaced],
    ["UPDATE blobs SET data = ? WHERE hash = ?", Buffer.from("no such format"), garbled],
    ["DELETE FROM blobs WHERE hash = ?", removed],
    // Without its reference, too, the event says that it was there.
    ["DELETE FROM blob_refs WHERE hash = ?", removed],
  );
  await using store = await at.open();
  const report = await store.admin.verify();
  const found = (kind: string): string[] => report.problems.filter((problem) => problem.kind === kind).map((problem) => problem.message);
  for (const hash of [rawOne, replaced, garbled]) expect(found("blob_changed").join()).toContain(hash);
  expect(found("blob_missing")).toEqual([expect.stringContaining(removed)]);
  expect(report.problems.every((problem) => problem.position !== undefined)).toBe(true);
});

test.each([
  [
    "a changed row",
    "UPDATE view_rows SET state = json_set(state, '$.goal', 'FORGED GOAL') WHERE key = 's/1' AND view = 'goals'",
    "goals of s/1: the row was changed",
  ],
  ["a row that is no JSON", "UPDATE view_rows SET state = 'x' WHERE key = 's/1' AND view = 'goals'", "goals of s/1: the row was changed"],
  ["a removed row", "DELETE FROM view_rows WHERE key = 's/1' AND view = 'goals'", "goals of s/1: the row is gone"],
  [
    "an added row",
    `INSERT INTO view_rows VALUES ('goals', 's/9', 1, '{"goal":"FORGED GOAL","count":1}')`,
    "goals of s/9: the row was added",
  ],
  [
    "a changed snapshot",
    "UPDATE view_rows SET state = json_set(state, '$.goal', 'FORGED GOAL') WHERE key = 's/1' AND view = 'snapshots'",
    "snapshots of s/1: the row was changed",
  ],
  [
    "a snapshot of the future",
    "UPDATE view_rows SET seq = 999 WHERE key = 's/1' AND view = 'snapshots'",
    "snapshots of s/1: the row was added or moved",
  ],
  ["a view said to be further", "UPDATE views SET position = 500 WHERE name = 'goals'", "goals of everything"],
])("M4: %s in what people are shown is named, and folding again puts it right", async (_, sql, message) => {
  const at = await lived();
  raw(at.file, [sql]);
  await using store = await at.open();
  const report = await store.admin.verify();
  expect(report.problems).toEqual([{ kind: "view_changed", message: expect.stringContaining(message) }]);
  await store.admin.rebuildViews();
  expect((await store.admin.verify()).valid).toBe(true);
});

test("M4: a journal of before, with its one mark or none, is taken over once and guarded from then on", async () => {
  for (const withAnchor of [true, false]) {
    const at = place();
    const born = await at.open();
    await fill(born, 0, 20);
    await born.close();
    // As the version before left it: statements without a version, no ledger.
    const old = await downgrade(at);
    if (!withAnchor) rmSync(at.anchor);
    expect(old).toBeGreaterThan(0);
    const taken = await at.open();
    expect(taken.refusal).toBeUndefined();
    expect(await taken.admin.verify()).toMatchObject({ valid: true });
    await fill(taken, 20, 40);
    await taken.close();
    expect(existsSync(at.anchor)).toBe(true);
    rmSync(at.anchor);
    await using robbed = await at.open();
    expect(robbed.refusal).toMatchObject({ code: "JOURNAL_ANCHOR_LOST" });
  }
});

/** Signs every statement again the way the version before did. */
async function downgrade(at: Place): Promise<number> {
  const { canonicalJson, sha256 } = await import("../../../src/kernel/index.ts");
  const key = createPrivateKey(readFileSync(path.join(at.dir, "key.pem")));
  const db = new DatabaseSync(at.file);
  const rows = db.prepare("SELECT number, statement, public_key FROM signatures ORDER BY number").all() as {
    number: number;
    statement: string;
    public_key: string;
  }[];
  let previous = "";
  let anchor = "";
  for (const row of rows) {
    const { v: _, ...statement } = JSON.parse(row.statement) as Record<string, unknown>;
    const text = canonicalJson({ ...statement, previous });
    const signature = sign(null, Buffer.from(text), key);
    db.prepare("UPDATE signatures SET statement = ?, signature = ? WHERE number = ?").run(text, signature, row.number);
    previous = sha256(text);
    anchor = JSON.stringify({ number: row.number, statement: text, public_key: row.public_key, signature: signature.toString("base64") });
  }
  db.close();
  writeFileSync(at.anchor, anchor);
  for (const ending of ["", "-wal", "-shm"]) rmSync(at.ledger + ending, { force: true });
  return rows.length;
}

test("M4: marks behind the journal, as a kill leaves them, are no trouble", async () => {
  const at = place();
  const store = await at.open();
  await fill(store, 0, 30);
  // The process dies here: what it had signed while working is known outside, the rest is not yet.
  const copy = { ...place() };
  mkdirSync(path.dirname(copy.file), { recursive: true });
  raw(at.file, ["VACUUM INTO ?", copy.file]);
  raw(at.ledger, ["VACUUM INTO ?", copy.ledger]);
  copyFileSync(at.anchor, copy.anchor);
  copyFileSync(path.join(at.dir, "key.pem"), path.join(copy.dir, "key.pem"));
  await store.close();
  const { number } = JSON.parse(readFileSync(copy.anchor, "utf8")) as { number: number };
  expect(number).toBeGreaterThan(0);
  await using again = await copy.open();
  expect(again.refusal).toBeUndefined();
  await fill(again, 30, 40);
  expect(await again.admin.verify()).toMatchObject({ valid: true, events: 40 });
});

test("M4: a new journal needs nothing, and one that was never written to leaves nothing to refuse", async () => {
  const at = place();
  await (await at.open()).close();
  const store = await at.open();
  expect(store.refusal).toBeUndefined();
  await fill(store, 0, 3);
  await store.close();
  await using again = await at.open();
  expect(await again.admin.verify()).toMatchObject({ valid: true, events: 3, signedUpTo: 3 });
});
