/**
 * Periodic Ed25519 signatures over the journal's order. A chain per stream cannot show that its end
 * was cut off or that a whole stream vanished; a signed statement of how far the journal reached can.
 * The newest statement is also kept outside the database, so that cutting both is visible.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { canonicalJson, sha256, SylkError, messageOf, writeFileAtomic, type Clock } from "../../kernel/index.ts";
import type { StoredEvent } from "./event-codec.ts";
import { toHex } from "./event-codec.ts";
import type { EventLog } from "./event-log.ts";

export interface SigningOptions {
  /** PEM of the private key; created on first use. */
  keyFile: string;
  /** Holds the newest statement outside the database. */
  anchorFile: string;
  /** Events per signature. */
  interval: number;
}

export interface Statement {
  at: number;
  from: number;
  to: number;
  /** SHA-256 over the event hashes of `from..to`, in order of position. */
  digest: string;
  /** SHA-256 of the previous statement, or empty. */
  previous: string;
}

export interface SignatureRow {
  number: number;
  statement: string;
  public_key: string;
  signature: Uint8Array;
}

export function loadSigningKey(file: string): KeyObject {
  try {
    if (!existsSync(file)) {
      const { privateKey } = generateKeyPairSync("ed25519");
      writeFileAtomic(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    }
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

export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
}

export function digestOf(hashes: readonly string[]): string {
  return sha256(hashes.join(""));
}

export function signatureValid(row: Pick<SignatureRow, "statement" | "public_key" | "signature">): boolean {
  const key = createPublicKey({ key: Buffer.from(row.public_key, "base64"), format: "der", type: "spki" });
  return verify(null, Buffer.from(row.statement), key, row.signature);
}

export class Signer {
  private key: KeyObject | undefined;
  private readonly log: EventLog;
  private readonly clock: Clock;
  private readonly options: SigningOptions;

  constructor(log: EventLog, clock: Clock, options: SigningOptions) {
    this.log = log;
    this.clock = clock;
    this.options = options;
  }

  lastRow(): SignatureRow | undefined {
    return this.log.sql("SELECT * FROM signatures ORDER BY number DESC LIMIT 1").get() as unknown as SignatureRow | undefined;
  }

  /** Signs what is unsigned once it reaches the interval, or any of it when `all`. Inside a write transaction. */
  signDue(all: boolean): boolean {
    const last = this.lastRow();
    const from = last === undefined ? 1 : (JSON.parse(last.statement) as Statement).to + 1;
    const to = this.log.headPosition();
    if (to < from || (!all && to - from + 1 < this.options.interval)) return false;
    const rows = this.log.sql("SELECT hash FROM events WHERE position BETWEEN ? AND ? ORDER BY position").all(from, to) as unknown as Pick<
      StoredEvent,
      "hash"
    >[];
    const statement: Statement = {
      at: this.clock.now(),
      from,
      to,
      digest: digestOf(rows.map((row) => toHex(row.hash))),
      previous: last === undefined ? "" : sha256(last.statement),
    };
    const text = canonicalJson(statement);
    this.key ??= loadSigningKey(this.options.keyFile);
    this.log
      .sql("INSERT INTO signatures (statement, public_key, signature) VALUES (?, ?, ?)")
      .run(text, publicKeyOf(this.key), sign(null, Buffer.from(text), this.key));
    return true;
  }

  /** After the commit: remember outside the database how far the journal reached. */
  writeAnchor({ sync }: { sync: boolean }): void {
    const row = this.lastRow();
    if (row === undefined) return;
    const known = readAnchor(this.options.anchorFile);
    if (known !== undefined && known.number >= row.number) return;
    writeFileAtomic(this.options.anchorFile, canonicalJson({ ...row, signature: Buffer.from(row.signature).toString("base64") }), {
      mode: 0o600,
      sync,
    });
  }
}

export function readAnchor(file: string): (Omit<SignatureRow, "signature"> & { signature: string }) | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Omit<SignatureRow, "signature"> & { signature: string };
  } catch {
    return undefined;
  }
}
