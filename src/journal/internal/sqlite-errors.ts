/** Turns SQLite's result codes into errors a user can act on. */
import { SylkError, messageOf } from "../../kernel/index.ts";

const BUSY = 5;
const LOCKED = 6;

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR" && "errcode" in error)) return undefined;
  // Extended codes carry the primary one in the low byte.
  return Number(error.errcode) & 0xff;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

interface Known {
  code: SylkError["code"];
  tier: "transient" | "permanent" | "user_fixable";
  what: string;
  fix: string;
}

const KNOWN: Record<number, Known> = {
  5: {
    code: "STORE_BUSY",
    tier: "transient",
    what: "another process holds the database",
    fix: "wait for the other sylk process, or stop it",
  },
  8: {
    code: "STORE_READ_ONLY",
    tier: "user_fixable",
    what: "the database is read-only",
    fix: "give yourself write access to the file and its folder",
  },
  10: {
    code: "STORE_IO",
    tier: "user_fixable",
    what: "the disk refused a read or write",
    fix: "check free space and the disk's health; nothing acknowledged was lost",
  },
  11: {
    code: "STORE_CORRUPT",
    tier: "user_fixable",
    what: "the database is damaged",
    fix: "run `sylk journal rebuild`: it keeps the damaged file aside and recovers every event that verifies",
  },
  13: {
    code: "STORE_FULL",
    tier: "user_fixable",
    what: "the disk is full",
    fix: "free some space and run the command again; nothing acknowledged was lost",
  },
  14: {
    code: "STORE_CANNOT_OPEN",
    tier: "user_fixable",
    what: "the database cannot be opened",
    fix: "check that the folder exists and that you may write to it",
  },
  26: {
    code: "STORE_NOT_A_DATABASE",
    tier: "user_fixable",
    what: "the file is not a Sylk database",
    fix: "run `sylk journal rebuild`, or move the file away",
  },
};

export function storeError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const known = KNOWN[code];
  return new SylkError({
    code: known?.code ?? "STORE_FAILED",
    tier: known?.tier ?? "permanent",
    message: `${path}: ${known?.what ?? "database error"} (${messageOf(error)})`,
    fix: known?.fix,
    cause: error,
  });
}
