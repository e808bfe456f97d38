import fc from "fast-check";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { createHistoryRanker } from "../search/rank-history.ts";
import { openKnowledgeDatabase } from "./open-database.ts";
import { createHistoryWriter, type HistoryEntry } from "./history-writer.ts";

const ENTRIES: HistoryEntry[] = [
  [0, "Ana", "How was the weekend?"],
  [1, "Ben", "We pitched our tent by the lake."],
  [2, "Ana", "Lovely."],
  [3, "Ben", "It rained, though."],
  // Three hours later: another sitting.
  [183, "Ana", "Did the parcel come?"],
  [184, "Ben", "This morning, a day late."],
  [185, "Ana", "Good to hear."],
].map(([minute, author, text]) => ({
  id: `t${minute}`,
  externalId: `t${minute}`,
  thread: "talk",
  author: author as string,
  at: Date.UTC(2024, 4, 1, 12) + (minute as number) * 60_000,
  text: text as string,
  kind: "history_entry",
}));

function told(portions: readonly (readonly HistoryEntry[])[]) {
  using database = openKnowledgeDatabase(path.join(tempDir(), "knowledge.db"));
  const writer = createHistoryWriter(database.db);
  for (const portion of portions) writer.write("import:talk", portion);
  const places = database.db
    .prepare("SELECT t.external_id AS id, t.place, t.session, t.length FROM turns t ORDER BY t.place")
    .all()
    .map((row) => ({ ...row }));
  const ranked = createHistoryRanker(database.db)
    .rank("Where did Ben go camping?", 5)
    .map(({ entry, score }) => [entry.externalId, score.toFixed(6)]);
  return { places, ranked };
}

test("KNO-031 ING-007: entries told in any order, in portions or twice, have the same places and are found alike", () => {
  const once = told([ENTRIES]);
  expect(once.places.map(({ place, session }) => [place, session])).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [5, 2],
    [6, 2],
    [7, 2],
  ]);
  expect(once.ranked[0]?.[0]).toBe("t1");
  fc.assert(
    fc.property(fc.shuffledSubarray(ENTRIES, { minLength: ENTRIES.length }), fc.nat(ENTRIES.length), fc.boolean(), (order, cut, again) => {
      expect(told([order.slice(0, cut), order.slice(cut), ...(again ? [order] : [])])).toEqual(once);
    }),
    { numRuns: 40 },
  );
});

test("KNO-031: a changed entry keeps its place among its neighbours", () => {
  const changed = ENTRIES.map((entry) => (entry.id === "t1" ? { ...entry, text: "We slept in a tent by the lake." } : entry));
  expect(told([ENTRIES, changed])).toEqual(told([changed]));
});
