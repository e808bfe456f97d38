/** What happens to installed skills, on the stream `skill/<name>`. */
import { z } from "zod";
import { decoderOf, defineEvent } from "./define-event.ts";

/** One target's folder: where it goes, where it is prepared, where what was there waits. */
const placement = z.object({
  target: z.string(),
  folder: z.string(),
  staged: z.string(),
  aside: z.string(),
  /** SHA-256 over names and contents of its files. */
  checksum: z.string(),
});
export type Placement = z.infer<typeof placement>;

/** Recorded before the first folder moves, so that an interrupted installation can be undone. */
const installing = defineEvent({
  type: "skill.installing",
  version: 1,
  schema: z.object({ run: z.string(), name: z.string(), placements: z.array(placement) }),
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
    folders: z.array(placement.pick({ target: true, folder: true, checksum: true })),
  }),
});
const undone = defineEvent({
  type: "skill.undone",
  version: 1,
  schema: z.object({ run: z.string(), name: z.string(), reason: z.string() }),
});
const removed = defineEvent({ type: "skill.removed", version: 1, schema: z.object({ name: z.string(), backup: z.string() }) });

export const skillEvents = { installing, installed, undone, removed };
export const decodeSkill = decoderOf(skillEvents);
