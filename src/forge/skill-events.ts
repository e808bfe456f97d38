/** What happens to installed skills, on the stream `skill/<name>`, and the registry folded from it. */
import { z } from "zod";
import { defineEvent, type View } from "../journal/index.ts";

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
export const skillInstalling = defineEvent(
  "skill.installing",
  z.object({ run: z.string(), name: z.string(), placements: z.array(placement) }),
);
export const skillInstalled = defineEvent(
  "skill.installed",
  z.object({
    run: z.string(),
    name: z.string(),
    description: z.string(),
    origin: z.string(),
    checksum: z.string(),
    backup: z.string().nullable(),
    folders: z.array(placement.pick({ target: true, folder: true, checksum: true })),
  }),
);
export const skillUndone = defineEvent("skill.undone", z.object({ run: z.string(), name: z.string(), reason: z.string() }));
export const skillRemoved = defineEvent("skill.removed", z.object({ name: z.string(), backup: z.string() }));

export interface RegisteredSkill {
  name: string;
  description: string;
  origin: string;
  version: number;
  createdAt: number;
  updatedAt: number;
  checksum: string;
  run: string;
  folders: { target: string; folder: string; checksum: string }[];
}

export interface SkillRecord {
  /** Undefined before the first installation and after removal. */
  skill?: RegisteredSkill | undefined;
  version: number;
  /** An installation that began and has not ended. */
  open?: { run: string; placements: Placement[] } | undefined;
}

export const skillStream = (name: string): string => `skill/${name}`;

export const skillView: View<SkillRecord> = {
  name: "skill",
  version: 1,
  types: [skillInstalling.type, skillInstalled.type, skillUndone.type, skillRemoved.type],
  key: (event) => event.stream,
  reduce(state, event) {
    const before: SkillRecord = state ?? { version: 0 };
    if (skillInstalling.is(event)) return { ...before, open: { run: event.payload.run, placements: event.payload.placements } };
    if (skillUndone.is(event)) return { skill: before.skill, version: before.version };
    if (skillRemoved.is(event)) return { version: before.version };
    if (skillInstalled.is(event)) {
      const { name, description, origin, checksum, run } = event.payload;
      const version = before.version + 1;
      const kept = (before.skill?.folders ?? []).filter((old) => !event.payload.folders.some((now) => now.folder === old.folder));
      const createdAt = before.skill?.createdAt ?? event.at;
      const folders = [...kept, ...event.payload.folders].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
      return { version, skill: { name, description, origin, version, createdAt, updatedAt: event.at, checksum, run, folders } };
    }
    return before;
  },
};
