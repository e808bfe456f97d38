/** What happens to installed skills, on the stream `skill/<name>`. */
import { z } from "zod";
import { defineEvent } from "./define-event.ts";

/** One target's folder. */
const placement = z.object({
  target: z.string(),
  folder: z.string(),
  /** SHA-256 over names and contents of its files. */
  checksum: z.string(),
});

const placedFile = z.object({
  /** Below the root. */
  path: z.string(),
  /** Hashes of the content; null: no file. */
  before: z.string().nullable(),
  after: z.string().nullable(),
  mode: z.int(),
  /** The content before, so that it can be brought back. */
  snapshot: z.string().optional(),
});

/** Recorded before the first file is written, so that an interrupted installation can be undone. */
const installing = defineEvent({
  type: "skill.installing",
  version: 2,
  schema: z.object({
    run: z.string(),
    name: z.string(),
    /** The project, or the home folder. */
    root: z.string(),
    placements: z.array(placement),
    files: z.array(placedFile),
  }),
  // The first version moved whole folders and named no files.
  upcast: (old) => ({ ...old, root: "/", files: [] }),
});
const installed = defineEvent({
  type: "skill.installed",
  version: 1,
  schema: z.object({
    run: z.string(),
    name: z.string(),
    description: z.string(),
    origin: z.string(),
    checksum: z.string(),
    backup: z.string().nullable(),
    folders: z.array(placement),
  }),
});
const undone = defineEvent({
  type: "skill.undone",
  version: 1,
  schema: z.object({ run: z.string(), name: z.string(), reason: z.string() }),
});
const removed = defineEvent({ type: "skill.removed", version: 1, schema: z.object({ name: z.string(), backup: z.string() }) });

export const skillEvents = { installing, installed, undone, removed };
