/**
 * Whether the file this process has open is still the one at its path. SQLite writes on into a file that was removed
 * or replaced, so it is asked before every write and before every change of the world. Once it is not, what is open is
 * saved beside the path and nothing more is written by this process.
 */
import { chmodSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isoTime, messageOf, SylkError, type Clock } from "../../kernel/index.ts";

/** Never opened for this: closing a second handle would drop SQLite's locks. */
function identity(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

export class FileInPlace {
  private readonly db: DatabaseSync;
  private readonly file: string;
  private readonly clock: Clock;
  private readonly known: readonly (readonly [string, string])[];
  private gone: SylkError | undefined;

  /** Made when the file was just written to, so that its write-ahead log is there. */
  constructor(db: DatabaseSync, file: string, clock: Clock) {
    this.db = db;
    this.file = file;
    this.clock = clock;
    this.known = [file, `${file}-wal`].flatMap((part) => {
      const id = identity(part);
      return id === undefined ? [] : [[part, id] as const];
    });
  }

  /** Throws JOURNAL_FILE_GONE, from the first time on every time. */
  mustStand(): void {
    if (this.gone !== undefined) throw this.gone;
    const lost = this.known.find(([part, id]) => identity(part) !== id);
    if (lost === undefined) return;
    const what = identity(lost[0]) === undefined ? "was removed" : "was replaced by another file";
    this.gone = this.save(`${lost[0]} ${what} while it was in use; nothing more is done`);
    throw this.gone;
  }

  /** A transaction that is open is not part of what is saved. */
  private save(message: string): SylkError {
    const target = `${this.file}.saved-${isoTime(this.clock.now()).replace(/[:.]/g, "-")}`;
    const told = { code: "JOURNAL_FILE_GONE", tier: "user_fixable" } as const;
    try {
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
      this.db.prepare("VACUUM INTO ?").run(target);
      chmodSync(target, 0o600);
      return new SylkError({
        ...told,
        message: `${message}. All that was recorded is saved in ${target}`,
        fix: `end every sylk process, then put it back: rm -f '${this.file}-wal' '${this.file}-shm' && cp '${target}' '${this.file}'`,
        details: { saved: target },
      });
    } catch (error) {
      return new SylkError({
        ...told,
        message: `${message}. It could not be saved to ${target}: ${messageOf(error)}`,
        fix: `bring ${this.file} back from a backup`,
        cause: error,
      });
    }
  }
}
