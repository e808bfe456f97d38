/**
 * Periodic Ed25519 signatures over the journal's order. A chain per stream cannot show that its end
 * was cut off or that a whole stream vanished; a signed statement of how far the journal reached can.
 * The newest statement is also kept outside the database (`anchors.ts`), so that cutting both is visible.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync } from "node:fs";
import { z } from "zod";
import {
  canonicalJson,
  messageOf,
  newId,
  sha256,
  SylkError,
  systemClock,
  systemCode,
  writeFileAtomic,
  type Clock,
} from "../../kernel/index.ts";
import { toHex } from "./event-codec.ts";
import type { EventLog } from "./event-log.ts";
import { type RowOf, rowOf, rowsOf } from "./rows.ts";

export interface SigningOptions {
  /** PEM of the private key; created on first use. */
  keyFile: string;
  /** Events per signature. */
  interval: number;
}

const statementSchema = z.object({
  at: z.number(),
  from: z.int(),
  to: z.int(),
  /** SHA-256 over the event hashes of `from..to`, in order of position. */
  digest: z.string(),
  /** SHA-256 of the previous statement, or empty. */
  previous: z.string(),
  /** A user accepted what was there: it speaks of the whole journal and stands for all statements before it. */
  restart: z.boolean().optional(),
  /** 2: from here on the newest statement is kept outside in two places. Absent: 1. */
  v: z.int().optional(),
});

export type Statement = z.output<typeof statementSchema>;

const VERSION = 2;
/** With fewer events than the interval: signed nevertheless when the last signature is so old. */
const MAX_UNSIGNED_MS = 10_000;
const PAGE = 5_000;

export function readStatement(text: string): Statement | undefined {
  try {
    return statementSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const SIGNATURE = {
  number: "number",
  statement: "text",
  public_key: "text",
  signature: "bytes",
} as const;
export type SignatureRow = RowOf<typeof SIGNATURE>;

export function loadSigningKey(file: string): KeyObject {
  try {
    if (!existsSync(file)) createKey(file);
    return createPrivateKey(readFileSync(file));
  } catch (error) {
    if (error instanceof SylkError) throw error;
    throw new SylkError({
      code: "SIGNING_KEY_UNREADABLE",
      tier: "user_fixable",
      message: `cannot read the journal's signing key ${file}: ${messageOf(error)}`,
      fix: "restore the file from a backup, or move it away: a new key is made and older signatures then verify as signed by another key",
      cause: error,
    });
  }
}

/** Of several processes that find none, the first one's key counts for all. */
function createKey(file: string): void {
  const made = `${file}.${newId("new", systemClock.now())}`;
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileAtomic(made, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  try {
    linkSync(made, file);
  } catch (error) {
    // Where the disk knows no links, the last one's counts.
    if (systemCode(error) !== "EEXIST") renameSync(made, file);
  } finally {
    rmSync(made, { force: true });
  }
}

export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
}

export function digestOf(hashes: readonly string[]): string {
  return sha256(hashes.join(""));
}

export function signatureValid(row: Pick<SignatureRow, "statement" | "public_key" | "signature">): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(row.public_key, "base64"), format: "der", type: "spki" });
    return verify(null, Buffer.from(row.statement), key, row.signature);
  } catch {
    return false;
  }
}

export class Signer {
  private key: KeyObject | undefined;
  private newest: { text: string; said: Statement | undefined } | undefined;
  private readonly log: EventLog;
  private readonly clock: Clock;
  private readonly options: SigningOptions;

  constructor(log: EventLog, clock: Clock, options: SigningOptions) {
    this.log = log;
    this.clock = clock;
    this.options = options;
  }

  lastRow(): SignatureRow | undefined {
    return rowOf(this.log.sql("SELECT * FROM signatures ORDER BY number DESC LIMIT 1").get(), SIGNATURE);
  }

  head(): number {
    return this.log.headPosition();
  }

  hashAt(position: number): string | undefined {
    const [event] = this.log.readAll(position - 1, 1);
    return event?.position === position ? event.hash : undefined;
  }

  row(number: number): SignatureRow | undefined {
    return rowOf(this.log.sql("SELECT * FROM signatures WHERE number = ?").get(number), SIGNATURE);
  }

  /** Signs what is unsigned once it reaches the interval or has waited for long, or any of it when `all`. Inside a write transaction. */
  signDue(all: boolean): boolean {
    const last = this.lastRow();
    const said = last === undefined ? undefined : this.saidIn(last.statement);
    const from = (said?.to ?? 0) + 1;
    const to = this.log.headPosition();
    if (to < from) return false;
    const waited = said !== undefined && this.clock.now() - said.at >= MAX_UNSIGNED_MS;
    if (!all && !waited && to - from + 1 < this.options.interval) return false;
    const rows = rowsOf(this.log.sql("SELECT hash FROM events WHERE position BETWEEN ? AND ? ORDER BY position").all(from, to), {
      hash: "bytes",
    });
    this.insert({
      from,
      to,
      digest: digestOf(rows.map((row) => toHex(row.hash))),
      previous: last === undefined ? "" : sha256(last.statement),
    });
    return true;
  }

  /** Asked with every append: the same statement is read once. */
  private saidIn(text: string): Statement | undefined {
    if (this.newest?.text !== text) this.newest = { text, said: readStatement(text) };
    return this.newest.said;
  }

  /** Signs the whole journal as it is now, after a user accepted it. Inside a write transaction. */
  signRestart(): void {
    const hashes: string[] = [];
    for (let after = 0; ;) {
      const events = this.log.readAll(after, PAGE);
      hashes.push(...events.map((event) => event.hash));
      if (events.length < PAGE) break;
      after = events.at(-1)?.position ?? after;
    }
    const last = this.lastRow();
    this.insert({
      from: 1,
      to: this.log.headPosition(),
      digest: digestOf(hashes),
      previous: last === undefined ? "" : sha256(last.statement),
      restart: true,
    });
  }

  private insert(said: Omit<Statement, "at" | "v">): void {
    const { statement, public_key, signature } = this.sign(said);
    this.log.sql("INSERT INTO signatures (statement, public_key, signature) VALUES (?, ?, ?)").run(statement, public_key, signature);
  }

  /** Says that the journal begins here; kept outside before there is anything to sign. */
  genesis(): SignatureRow {
    return { number: 0, ...this.sign({ from: 1, to: 0, digest: "", previous: "" }) };
  }

  private sign(said: Omit<Statement, "at" | "v">): Omit<SignatureRow, "number"> {
    const statement = canonicalJson({ ...said, at: this.clock.now(), v: VERSION });
    this.key ??= loadSigningKey(this.options.keyFile);
    return { statement, public_key: publicKeyOf(this.key), signature: sign(null, Buffer.from(statement), this.key) };
  }
}
