/** Skills: making, checking, installing and finding them. */
import { z } from "zod";
import { CHOICES } from "../choices.ts";
import { defineCall, none } from "./define-call.ts";
import { attended } from "./task.ts";

const words = z.array(z.string());
const files = z.record(z.string(), z.string());

const report = z.strictObject({
  name: z.string(),
  description: z.string(),
  lines: z.int(),
  tokens: z.int(),
  checks: z.array(
    z.strictObject({
      number: z.int(),
      title: z.string(),
      severity: z.enum(["CRITICAL", "WARNING", "INFO"]),
      /** `open`: nobody judged it. */
      result: z.enum(["passed", "failed", "open"]),
      judge: z.enum(["code", "model", "nobody"]),
      detail: z.string(),
    }),
  ),
  grade: z.enum(["PASS", "PARTIAL", "FAIL"]),
  critical: z.int(),
  warnings: z.int(),
  /** What reading forgave, and what is left for a user to fill in. */
  notes: words,
});

const made = { run: z.string(), name: z.string() };

const outcome = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("installed"),
    ...made,
    description: z.string(),
    report,
    folders: z.array(z.strictObject({ target: z.string(), folder: z.string(), files: words, invoke: z.string() })),
    backup: z.string().nullable(),
    corrections: words,
    written_by: z.string(),
  }),
  z.strictObject({
    kind: z.literal("shown"),
    ...made,
    text: z.string(),
    files,
    report,
    targets: words,
    collisions: words,
    /** What is there already, against what would be; empty when nothing is. */
    diff: z.string(),
    written_by: z.string(),
  }),
  z.strictObject({ kind: z.literal("rejected"), ...made, by: z.enum(["person", "collision"]) }),
]);

/** What was decided beforehand; the rest is asked. */
const decided = {
  /** Approved without being asked. */
  yes: z.boolean(),
  /** When it exists already. */
  on_collision: z.enum(CHOICES.collision).optional(),
  attended,
};

const writing = {
  /** Its id, for a sender who follows what it asks; one is made when absent. */
  run: z
    .string()
    .regex(/^run_[0-9a-z]{26}$/)
    .optional(),
  targets: words,
  template: z.string(),
  /** Who writes the text; null: nobody, the template is only filled; absent: the configured model. */
  model: z.string().nullable().optional(),
  name: z.string().optional(),
  global: z.boolean(),
  dry_run: z.boolean(),
  ...decided,
};

const drift = z.strictObject({
  what: z.enum(["registry_edited", "registry_missing", "folder_missing", "folder_changed"]),
  skill: z.string(),
  place: z.string(),
});

const installed = z.strictObject({
  name: z.string(),
  description: z.string(),
  origin: z.string(),
  version: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  checksum: z.string(),
  run: z.string(),
  folders: z.array(z.strictObject({ target: z.string(), folder: z.string(), checksum: z.string() })),
  drift: z.array(drift),
});

const found = z.strictObject({
  name: z.string(),
  description: z.string(),
  folder: z.string(),
  scope: z.enum(["project", "user"]),
  /** A project's skill steers agents only after the user trusted it; until then it is listed, never loaded. */
  trusted: z.boolean(),
  warnings: words,
});

/** Progress of the first six is live, about `skill`. */
export const commands = {
  "skill.create": defineCall(z.strictObject({ description: z.string().optional(), ...writing }), outcome),
  "skill.update": defineCall(z.strictObject({ skill: z.string(), change: z.string(), ...writing }), outcome),
  /** From existing documents or code. */
  "skill.extract": defineCall(z.strictObject({ from: z.string(), ...writing }), outcome),
  "skill.import": defineCall(z.strictObject({ from: z.string(), ...writing }), outcome),
  "skill.resume": defineCall(z.strictObject({ run: z.string().optional(), dry_run: z.boolean(), ...decided }), outcome),
  /** Another description for a run whose first one did not work. */
  "skill.rephrase": defineCall(z.strictObject({ run: z.string(), description: z.string(), ...decided }), outcome),
  /** Drops a run, the newest when none is named. */
  "skill.discard": defineCall(z.strictObject({ run: z.string().optional(), dry_run: z.boolean() }), z.strictObject({ run: z.string() })),
  "skill.remove": defineCall(
    z.strictObject({ skill: z.string(), dry_run: z.boolean() }),
    z.strictObject({ removed: z.boolean(), backup: z.string().nullable(), folders: words }),
  ),
};

export const queries = {
  /** Commands that were interrupted, newest first. */
  "skill.open": defineCall(
    none,
    z.array(z.strictObject({ run: z.string(), phase: z.string(), name: z.string(), description: z.string() })),
  ),
  "skill.validate": defineCall(z.strictObject({ where: z.string() }), report),
  /** What the forge installed and what drifted, and what agents find here. */
  "skill.list": defineCall(
    none,
    z.strictObject({
      installed: z.array(installed),
      drift: z.array(drift),
      undone: words,
      found: z.array(found),
      shadowed: z.array(found),
      broken: z.array(z.strictObject({ folder: z.string(), reason: z.string() })),
    }),
  ),
  "skill.show": defineCall(z.strictObject({ skill: z.string() }), installed.extend({ text: z.string() })),
};
