/** When the table of word vectors came, went or is another: what was made with the one before is made again. */
import type { DatabaseSync } from "node:sqlite";
import { readMeta, writeMeta } from "./meta.ts";
import { transaction } from "./transaction.ts";

const NAME = "word_vectors";

/** Files and history are read again by the run that follows; entries and documents keep their text and lose only their vectors. */
export function followWordVectors(db: DatabaseSync, name: string): void {
  const before = readMeta(db, NAME);
  if (before === name) return;
  transaction(db, () => {
    if (before !== undefined) {
      db.exec(
        "UPDATE files SET hash = '', mtime_ms = -1 WHERE kind <> 'external'; UPDATE turns SET vector = NULL; UPDATE chunks SET vector = NULL",
      );
      db.exec("DELETE FROM piece_signs; DELETE FROM saying_signs");
      writeMeta(db, "git_head", "");
    }
    writeMeta(db, NAME, name);
  });
}
