/**
 * Checks that nothing in the journal was changed, removed, inserted or reordered, and names the
 * first bad event; then blobs and views. Reads in slices so that other work goes on meanwhile.
 */
import type { DatabaseSync } from "node:sqlite";
import { yieldToLoop, sha256, must } from "../../kernel/index.ts";
import type { View } from "../types.ts";
import type { AnchorProblem } from "./anchors.ts";
import { blobHashes, eventHash, decoded, GENESIS, toHex, type StoredEvent, STORED_EVENT } from "./event-codec.ts";
import type { EventLog } from "./event-log.ts";
import { malformedEvent } from "./malformed-event.ts";
import { digestOf, readStatement, signatureValid, type SignatureRow, type Statement, SIGNATURE } from "./signatures.ts";
import { sqliteCode } from "./sqlite-errors.ts";
import { verifyBlobs, verifyViews, type JournalPlace } from "./verify-content.ts";
import type { VerifyContext, VerifyProblem } from "./verify-content.ts";
import { EVENTS } from "../../protocol/events/index.ts";
import { rowsOf } from "./rows.ts";

export interface VerifyReport {
  valid: boolean;
  events: number;
  streams: number;
  signatures: number;
  /** Last position covered by a good signature. */
  signedUpTo: number;
  head: number;
  blobs: number;
  /** Where a user went on after a loss, and why. */
  accepted: { position: number; at: number; reason: string }[];
  firstBad: VerifyProblem | undefined;
  problems: VerifyProblem[];
}

export interface VerifyOptions {
  /** Trust only this key (base64 SPKI); absent: whatever key the rows carry. */
  publicKey?: string | undefined;
  /** What the places outside say against it. */
  anchorProblems?: readonly AnchorProblem[] | undefined;
  views?: readonly View<unknown>[] | undefined;
  onProgress?: VerifyContext["onProgress"];
  signal?: AbortSignal | undefined;
}

const SLICE = 2_000;
const MAX_PROBLEMS = 100;

interface Chain {
  seq: number;
  hash: string;
}

export async function verifyLog(db: DatabaseSync, log: EventLog, options: VerifyOptions): Promise<VerifyReport> {
  const problems: VerifyProblem[] = [];
  const add = (problem: VerifyProblem): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  const chains = new Map<string, Chain>();
  const hashes: string[] = [];
  const referred = new Map<string, JournalPlace>();
  const accepted: VerifyReport["accepted"] = [];
  let blobs = 0;
  let events = 0;
  let position = 0;
  const head = log.headPosition();
  try {
    for (;;) {
      options.signal?.throwIfAborted();
      const rows = slice(db, log, position);
      if (rows.length === 0) break;
      for (const row of rows) {
        events += 1;
        if (row.position !== position + 1) {
          add({ kind: "position_gap", message: `positions ${position + 1} to ${row.position - 1} are missing`, position: position + 1 });
          for (let gap = position + 1; gap < row.position && hashes.length < head; gap += 1) hashes.push("");
        }
        position = row.position;
        checkEvent(row, chains, add);
        hashes.push(toHex(row.hash));
        for (const hash of blobHashes(row.payload)) if (!referred.has(hash)) referred.set(hash, placeOf(row));
        noteAccepted(row, accepted);
      }
      options.onProgress?.({ phase: "events", done: events, total: head });
      await yieldToLoop();
    }
    if (position !== head)
      add({
        kind: "truncated",
        message: `the journal says it reaches position ${head}, its events end at ${position}`,
        position: position + 1,
      });
    checkHeads(log, chains, add);
    const context = { ...options, add };
    blobs = await verifyBlobs(db, referred, context);
    // Views of events that do not verify prove nothing more.
    if (problems.every((problem) => problem.kind.startsWith("blob_"))) await verifyViews(log, options.views ?? [], context);
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    add({
      kind: "unreadable",
      message: `a damaged page stops the reading after position ${position}: ${(error as Error).message}`,
      position: position + 1,
    });
  }
  const signatures = checkSignatures(log, hashes, options, add);
  for (const problem of options.anchorProblems ?? []) add(problem);
  // A signature speaks of a range; an event at fault inside it is the better answer.
  const atFault = problems.filter((problem) => problem.kind !== "bad_signature");
  const firstBad = (atFault.length > 0 ? atFault : problems).toSorted((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity))[0];
  return { valid: problems.length === 0, events, streams: chains.size, ...signatures, head, blobs, accepted, firstBad, problems };
}

function placeOf({ position, stream, seq }: StoredEvent): JournalPlace {
  return { position, stream, seq };
}

function noteAccepted(row: StoredEvent, accepted: VerifyReport["accepted"]): void {
  if (row.type !== EVENTS.journal.accepted.type) return;
  const event = decoded(row);
  if (EVENTS.journal.accepted.is(event)) accepted.push({ position: event.position, at: event.at, reason: event.payload.reason });
}

function slice(db: DatabaseSync, log: EventLog, after: number): StoredEvent[] {
  const live = rowsOf(db.prepare("SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?").all(after, SLICE), STORED_EVENT);
  const upTo = live.length === SLICE ? must(live.at(-1)).position : Number.MAX_SAFE_INTEGER;
  const archived = log.archives.between(after, upTo).slice(0, SLICE);
  if (archived.length === 0) return live;
  return [...live, ...archived].sort((a, b) => a.position - b.position).slice(0, SLICE);
}

function checkEvent(row: StoredEvent, chains: Map<string, Chain>, add: (problem: VerifyProblem) => void): void {
  const where = { position: row.position, stream: row.stream, seq: row.seq, id: row.id };
  const chain = chains.get(row.stream) ?? { seq: 0, hash: GENESIS };
  const prev = toHex(row.prev_hash);
  if (row.seq !== chain.seq + 1) {
    add({ kind: "sequence_gap", message: `${row.stream}: expected sequence ${chain.seq + 1}, found ${row.seq}`, ...where });
  } else if (prev !== chain.hash) {
    add({ kind: "chain_break", message: `${row.stream}#${row.seq} does not follow the event before it`, ...where });
  }
  const hash = toHex(row.hash);
  if (eventHash(row, prev) !== hash)
    add({ kind: "hash_mismatch", message: `${row.stream}#${row.seq} (${row.type}) was changed`, ...where });
  else checkPayloadOf(row, where, add);
  chains.set(row.stream, { seq: row.seq, hash });
}

/** Nobody changed it, and yet it cannot be understood. */
function checkPayloadOf(row: StoredEvent, where: Partial<VerifyProblem>, add: (problem: VerifyProblem) => void): void {
  const event = decoded(row);
  if (event.fault !== undefined) add({ kind: "malformed", message: malformedEvent(event).message, ...where });
}

function checkHeads(log: EventLog, chains: Map<string, Chain>, add: (problem: VerifyProblem) => void): void {
  const rows = rowsOf(log.sql("SELECT stream, seq, hash FROM streams WHERE stream <> ''").all(), {
    stream: "text",
    seq: "number",
    hash: "bytes",
  });
  const seen = new Set<string>();
  for (const row of rows) {
    seen.add(row.stream);
    const chain = chains.get(row.stream);
    if (chain?.seq !== row.seq || chain.hash !== toHex(row.hash)) {
      add({
        kind: "head_mismatch",
        message: `${row.stream} should end at sequence ${row.seq}, ends at ${chain?.seq ?? 0}`,
        stream: row.stream,
        seq: (chain?.seq ?? 0) + 1,
      });
    }
  }
  for (const stream of chains.keys())
    if (!seen.has(stream)) add({ kind: "head_mismatch", message: `${stream} has events but no head`, stream, seq: 1 });
}

function checkSignatures(
  log: EventLog,
  hashes: readonly string[],
  options: VerifyOptions,
  add: (problem: VerifyProblem) => void,
): { signatures: number; signedUpTo: number } {
  const rows = rowsOf(log.sql("SELECT * FROM signatures ORDER BY number").all(), SIGNATURE);
  // What a user accepted stands for all that was said before it.
  const start = Math.max(
    0,
    rows.findLastIndex((row) => isRestart(row, options.publicKey)),
  );
  let signatures = 0;
  let signedUpTo = 0;
  let previous = start === 0 ? "" : sha256(must(rows[start - 1]).statement);
  for (const row of rows.slice(start)) {
    const statement = readStatement(row.statement);
    if (statement === undefined) {
      add({ kind: "bad_signature", message: `signature ${row.number} cannot be read`, position: signedUpTo + 1 });
      continue;
    }
    const problem = signatureProblem(row, statement, { hashes, expectedFrom: signedUpTo + 1, previous, publicKey: options.publicKey });
    if (problem === undefined) signatures += 1;
    else add({ ...problem, position: problem.position ?? statement.from });
    signedUpTo = statement.to;
    previous = sha256(row.statement);
  }
  return { signatures, signedUpTo };
}

function isRestart(row: SignatureRow, publicKey: string | undefined): boolean {
  return readStatement(row.statement)?.restart === true && signatureValid(row) && (publicKey === undefined || row.public_key === publicKey);
}

function signatureProblem(
  row: SignatureRow,
  statement: Statement,
  expected: { hashes: readonly string[]; expectedFrom: number; previous: string; publicKey: string | undefined },
): VerifyProblem | undefined {
  const name = `signature ${row.number} over positions ${statement.from}–${statement.to}`;
  if (!signatureValid(row)) return { kind: "bad_signature", message: `${name} is not valid` };
  if (expected.publicKey !== undefined && row.public_key !== expected.publicKey)
    return { kind: "bad_signature", foreignKey: true, message: `${name} was made with another key` };
  if (statement.from !== expected.expectedFrom || statement.previous !== expected.previous)
    return { kind: "bad_signature", message: `${name} does not follow the one before it` };
  if (statement.to > expected.hashes.length)
    return { kind: "truncated", message: `${name}: the journal ends at ${expected.hashes.length}`, position: expected.hashes.length + 1 };
  if (digestOf(expected.hashes.slice(statement.from - 1, statement.to)) !== statement.digest)
    return { kind: "bad_signature", message: `${name} does not match the events there` };
  return undefined;
}
