/** Journal against bare SQLite: the same rows, the same indexes, the same durability, in one run. */
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { systemClock } from "../src/kernel/index.ts";
import { type View, sqliteDriver } from "../src/journal/index.ts";
import { MIGRATIONS } from "../src/journal/internal/schema.ts";
import { inTempDir, median, timed } from "./measure.ts";
import type { BenchRow } from "./run.ts";
import { agentActor } from "../src/protocol/events/index.ts";
import { defineEvent } from "../src/protocol/events/define-event.ts";

const happened = defineEvent({ type: "bench.happened", version: 1, schema: z.object({ step: z.int(), text: z.string() }) });
const payload = (i: number) => ({ step: i, text: "a line of ordinary length, as actions have it, ".repeat(5) });
const event = (i: number) => happened.create(payload(i), { actor: agentActor("bench") });

const last: View<{ count: number; last: number; texts: string[] }> = {
  name: "bench.last",
  version: 1,
  key: (e) => e.stream,
  snapshotEvery: 100,
  reduce: (state, e) => {
    const { step, text } = e.payload as { step: number; text: string };
    return { count: (state?.count ?? 0) + 1, last: step, texts: [...(state?.texts ?? []), text].slice(-20) };
  },
};

const SINGLES = 400;
const BATCH = 1_000;
const BATCHES = 50;

function bare(file: string, durability: "FULL" | "NORMAL"): { insert: (i: number) => void; db: DatabaseSync } {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}`);
  MIGRATIONS[0]?.up(db);
  const statement = db.prepare(
    "INSERT INTO events (position, stream, seq, id, type, at, actor, payload, prev_hash, hash) VALUES (?, 's', ?, ?, 'bench.happened', ?, 'bench', ?, ?, ?)",
  );
  const hash = new Uint8Array(32);
  return {
    db,
    insert: (i) =>
      void statement.run(i, i, `evt_${String(i).padStart(26, "0")}`, 1_800_000_000_000, JSON.stringify(payload(i)), hash, hash),
  };
}

async function single(dir: string): Promise<BenchRow> {
  const plain = bare(path.join(dir, "bare.db"), "FULL");
  await using store = await sqliteDriver.open({ path: path.join(dir, "journal.db"), clock: systemClock, durability: "full" });
  const ours: number[] = [];
  const theirs: number[] = [];
  // Interleaved, so that a busy moment of the machine hits both.
  for (let i = 1; i <= SINGLES; i += 1) {
    theirs.push(await timed(() => plain.insert(i)));
    ours.push(await timed(() => store.journal.append("s", i - 1, [event(i)])));
  }
  plain.db.close();
  const ratio = median(ours) / median(theirs);
  return {
    name: "single append, full durability, against a bare insert",
    value: ratio,
    unit: "x",
    target: "<= 1.5x",
    met: ratio <= 1.5,
    note: `${median(ours).toFixed(3)} ms against ${median(theirs).toFixed(3)} ms`,
  };
}

async function batched(dir: string): Promise<BenchRow> {
  const plain = bare(path.join(dir, "bare-batch.db"), "NORMAL");
  await using store = await sqliteDriver.open({ path: path.join(dir, "journal-batch.db"), clock: systemClock, durability: "process" });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const from = batch * BATCH;
    theirs.push(
      await timed(() => {
        plain.db.exec("BEGIN IMMEDIATE");
        for (let i = 1; i <= BATCH; i += 1) plain.insert(from + i);
        plain.db.exec("COMMIT");
      }),
    );
    const events = Array.from({ length: BATCH }, (_v, i) => event(from + i));
    ours.push(await timed(() => store.journal.append("s", from, events)));
  }
  plain.db.close();
  const perSecond = (BATCH / median(ours)) * 1_000;
  const ratio = median(ours) / median(theirs);
  return {
    name: "batched append (1,000 events)",
    value: perSecond,
    unit: "events/s",
    target: ">= 100,000/s or <= 2x bare",
    met: perSecond >= 100_000 || ratio <= 2,
    note: `${ratio.toFixed(2)}x bare SQLite`,
  };
}

async function opening(dir: string): Promise<BenchRow[]> {
  const file = path.join(dir, "large.db");
  const store = await sqliteDriver.open({ path: file, clock: systemClock, durability: "process", views: [last] });
  for (let from = 0; from < 100_000; from += 5_000)
    await store.journal.append(
      "s",
      from,
      Array.from({ length: 5_000 }, (_v, i) => event(from + i)),
    );
  await store.journal.append("s", 100_000, [event(1), event(2), event(3)]);
  await store.close();
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    times.push(
      await timed(async () => {
        await using again = await sqliteDriver.open({ path: file, clock: systemClock, views: [last] });
        if ((await again.journal.get(last, "s"))?.count !== 100_003) throw new Error("the view is wrong");
      }),
    );
  }
  return [
    {
      name: "opening a 100,000-event stream through its snapshot",
      value: median(times),
      unit: "ms",
      target: "<= 50 ms",
      met: median(times) <= 50,
    },
  ];
}

async function durabilities(dir: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const durability of ["full", "process"] as const) {
    await using store = await sqliteDriver.open({ path: path.join(dir, `d-${durability}.db`), clock: systemClock, durability });
    const times: number[] = [];
    for (let i = 0; i < 300; i += 1) times.push(await timed(() => store.journal.append("s", i, [event(i)])));
    rows.push({ name: `single append, durability ${durability}`, value: median(times) * 1_000, unit: "µs" });
  }
  return rows;
}

export function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => [await single(dir), await batched(dir), ...(await opening(dir)), ...(await durabilities(dir))]);
}
