import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { openKnowledgeDatabase } from "../store/open-database.ts";
import { createNearSigns } from "./near-signs.ts";

function vectors(count: number): Int8Array[] {
  let state = 7;
  const next = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff);
  return Array.from({ length: count }, () => Int8Array.from({ length: 256 }, () => ((next() >> 8) % 255) - 127));
}

test("the nearest by signs are those the table itself finds, also after rows went and came, and by kind", () => {
  using database = openKnowledgeDatabase(path.join(tempDir(), "knowledge.db"));
  const { db } = database;
  const addPiece = db.prepare("INSERT INTO piece_signs (key, signs) VALUES (?, vec_quantize_binary(vec_int8(?)))");
  const addSaying = db.prepare("INSERT INTO saying_signs (key, kind, signs) VALUES (?, ?, vec_quantize_binary(vec_int8(?)))");
  const all = vectors(2_300);
  const bytes = (vector: Int8Array): Uint8Array => new Uint8Array(vector.buffer);
  db.exec("BEGIN");
  for (const [i, vector] of all.entries()) {
    addPiece.run(BigInt(i + 1), bytes(vector));
    if (i < 300) addSaying.run(BigInt(i + 1), i % 2 === 0 ? "turn" : "commit", bytes(vector));
  }
  db.exec("COMMIT");
  const signs = createNearSigns(db);
  const match = db.prepare("SELECT key, distance FROM piece_signs WHERE signs MATCH vec_quantize_binary(vec_int8(?)) AND k = 40");
  const compare = (asked: Int8Array): void => {
    const rows = match.all(bytes(asked)) as { key: number; distance: number }[];
    const last = rows.at(-1)?.distance;
    const found = signs.pieces(asked, 40);
    expect(found).toHaveLength(40);
    expect(new Set(found).size).toBe(40);
    // Which of those at the same, last distance are taken is left open.
    expect(found).toEqual(expect.arrayContaining(rows.filter((row) => row.distance !== last).map((row) => row.key)));
    expect(found[0]).toBe(rows[0]?.key);
  };
  for (const asked of vectors(4)) compare(asked);
  expect(signs.pieces(all[1_500] as Int8Array, 1)).toEqual([1_501]);

  db.exec("DELETE FROM piece_signs WHERE key % 3 = 0");
  addPiece.run(9_000_000_000n, bytes(all[2] as Int8Array));
  for (const asked of vectors(4)) compare(asked);
  expect(signs.pieces(all[2] as Int8Array, 1)).toEqual([9_000_000_000]);
  expect(signs.pieces(all[2] as Int8Array, 5_000)).toHaveLength(2_300 - 766 + 1);

  expect(signs.sayings("turn", all[4] as Int8Array, 1)).toEqual([5]);
  expect(signs.sayings("commit", all[4] as Int8Array, 500)).toHaveLength(150);
  expect(signs.sayings("commit", all[4] as Int8Array, 500)).not.toContain(5);
});
