/** Writes the pieces files and documents are cut into: their words, their bag, and their vector where there is one. */
import type { DatabaseSync } from "node:sqlite";
import type { FoundChunk } from "./file-report.ts";
import { prepareWrite } from "./prepare-write.ts";

export interface PieceWriter {
  add(file: number, node: number | null, piece: FoundChunk): number;
  remove(key: number): void;
}

export function createPieceWriter(db: DatabaseSync): PieceWriter {
  const add = prepareWrite(
    db,
    "INSERT INTO chunks (file, node, line_start, line_end, name, hash, text, length, words, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addText = prepareWrite(db, "INSERT INTO chunk_fts (rowid, body) VALUES (?, ?)");
  const addSigns = prepareWrite(db, "INSERT INTO piece_signs (key, signs) VALUES (?, vec_quantize_binary(vec_int8(?)))");
  const drop = ["DELETE FROM chunk_fts WHERE rowid = ?", "DELETE FROM chunks WHERE key = ?"].map((sql) => prepareWrite(db, sql));
  const dropSigns = prepareWrite(db, "DELETE FROM piece_signs WHERE key = ?");
  return {
    add(file, node, { line, endLine, name, hash, text, words, bag, length, vector }) {
      const bytes = vector === undefined ? null : new Uint8Array(vector.buffer, vector.byteOffset, vector.length);
      const key = Number(add.run(file, node, line, endLine, name, hash, text ?? null, length, bag, bytes).lastInsertRowid);
      addText.run(key, words);
      if (bytes !== null) addSigns.run(BigInt(key), bytes);
      return key;
    },
    remove(key) {
      for (const statement of drop) statement.run(key);
      dropSigns.run(BigInt(key));
    },
  };
}
