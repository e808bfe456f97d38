/** What may be near a vector, by the signs of its numbers alone: quick, and a little rough. The numbers decide afterwards. */
import type { DatabaseSync } from "node:sqlite";

export interface NearSigns {
  pieces(vector: Int8Array, count: number): number[];
  sayings(kind: "commit" | "turn", vector: Int8Array, count: number): number[];
}

export function createNearSigns(db: DatabaseSync): NearSigns {
  const pieces = db.prepare("SELECT key FROM piece_signs WHERE signs MATCH vec_quantize_binary(vec_int8(?)) AND k = ?");
  const sayings = db.prepare("SELECT key FROM saying_signs WHERE kind = ? AND signs MATCH vec_quantize_binary(vec_int8(?)) AND k = ?");
  for (const statement of [pieces, sayings]) statement.setReturnArrays(true);
  const keysOf = (rows: unknown): number[] => (rows as [number][]).map(([key]) => key);
  const bytesOf = (vector: Int8Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.length);
  return {
    pieces: (vector, count) => keysOf(pieces.all(bytesOf(vector), BigInt(count))),
    sayings: (kind, vector, count) => keysOf(sayings.all(kind, bytesOf(vector), BigInt(count))),
  };
}
