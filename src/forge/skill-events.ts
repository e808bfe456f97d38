/** The registry of installed skills, folded from what happened to them. */
import { unreachable } from "../kernel/index.ts";
import type { View } from "../journal/index.ts";
import { EVENTS, decode, typesOf, type Payload } from "../protocol/events/index.ts";

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
  open?: Payload<"skill.installing"> | undefined;
}

export const emptyRecord: SkillRecord = { version: 0 };

export const skillStream = (name: string): string => `skill/${name}`;

export const skillView: View<SkillRecord> = {
  name: "skill",
  version: 2,
  types: typesOf(EVENTS.skill),
  key: (event) => event.stream,
  reduce(state, happened) {
    const before: SkillRecord = state ?? emptyRecord;
    const event = decode(EVENTS.skill, happened);
    switch (event?.type) {
      case "skill.installing":
        return { ...before, open: event.payload };
      case "skill.undone":
        return { skill: before.skill, version: before.version };
      case "skill.removed":
        return { version: before.version };
      case "skill.installed":
        return installed(before, event.payload, event.at);
      case undefined:
        return before;
      default:
        return unreachable(event);
    }
  },
};

function installed(before: SkillRecord, payload: Payload<"skill.installed">, at: number): SkillRecord {
  const { name, description, origin, checksum, run } = payload;
  const version = before.version + 1;
  const kept = (before.skill?.folders ?? []).filter((old) => !payload.folders.some((now) => now.folder === old.folder));
  const createdAt = before.skill?.createdAt ?? at;
  const folders = [...kept, ...payload.folders].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
  return { version, skill: { name, description, origin, version, createdAt, updatedAt: at, checksum, run, folders } };
}
