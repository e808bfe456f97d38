/** The journal: where it stands, the way into it, and its upkeep. The events themselves come through `events`. */
import { z } from "zod";
import { wireEvent } from "../wire-event.ts";
import { defineCall, none } from "./define-call.ts";
import { eventFilter } from "./filters.ts";

const problem = z.strictObject({
  kind: z.string(),
  message: z.string(),
  /** A good signature of somebody else. */
  foreign_key: z.literal(true).optional(),
  position: z.int().optional(),
  stream: z.string().optional(),
  seq: z.int().optional(),
  id: z.string().optional(),
});

const verifyReport = z.strictObject({
  valid: z.boolean(),
  events: z.int(),
  streams: z.int(),
  signatures: z.int(),
  /** Last position covered by a good signature. */
  signed_up_to: z.int(),
  head: z.int(),
  blobs: z.int(),
  /** Where a user went on after a loss, and why. */
  accepted: z.array(z.strictObject({ position: z.int(), at: z.int(), reason: z.string() })),
  first_bad: problem.optional(),
  problems: z.array(problem),
});

const rebuildOutcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("views"), events: z.int() }),
  z.strictObject({
    kind: z.literal("salvaged"),
    kept: z.int(),
    set_aside: z.int(),
    missing: z.int(),
    damaged_file: z.string(),
    set_aside_file: z.string().optional(),
  }),
]);

const adoptReport = z.strictObject({
  file: z.string(),
  events: z.int(),
  streams: z.int(),
  own: z.boolean(),
  /** What does not verify; a journal with any is not adopted. */
  problems: z.array(z.string()),
  adopted: z.boolean(),
  cancelled: z.int(),
});

const compacted = z.strictObject({
  archived_streams: z.int(),
  archived_events: z.int(),
  removed_blobs: z.int(),
  bytes_before: z.int(),
  bytes_after: z.int(),
});

export const commands = {
  /** Goes on from a journal that is not what it was signed to be; the reason becomes a signed fact. */
  "journal.accept": defineCall(z.strictObject({ reason: z.string() }), wireEvent),
  /** Folds every view again; a damaged database is first recovered from itself and its backups. */
  "journal.rebuild": defineCall(none, rebuildOutcome),
  /** A journal in the project's folder that somebody else made: what it holds and, when confirmed, its history. */
  "journal.adopt": defineCall(z.strictObject({ confirmed: z.boolean() }), adoptReport),
  "journal.compact": defineCall(none, compacted),
};

export const queries = {
  /** The newest position; 0 while nothing has happened. */
  "journal.head": defineCall(none, z.strictObject({ position: z.int() })),
  /** After which position the newest `count` of these events stand. */
  "journal.tail": defineCall(
    z.strictObject({ filter: eventFilter, count: z.int().min(0) }),
    z.strictObject({ after: z.int(), head: z.int() }),
  ),
  /** By event id or its last or first characters, by position, or as `stream#seq`. */
  "journal.show": defineCall(z.strictObject({ which: z.string() }), wireEvent.nullable()),
  /** That nothing was changed, removed, inserted or reordered. Its progress is live, about `verify`. */
  "journal.verify": defineCall(none, verifyReport),
  "journal.path": defineCall(none, z.strictObject({ path: z.string() })),
};
