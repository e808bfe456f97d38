/**
 * A folder is somebody else's text until a user says otherwise, once, about what it brings. One record for
 * everything; what changed since is asked about again, the rest stays as it was answered.
 */
import type { ProjectDirs } from "../../kernel/index.ts";
import {
  broughtThings,
  fileThing,
  memoryBrought,
  memoryThing,
  settingThing,
  skillThing,
  type BroughtThing,
  type BroughtLook,
  type BroughtThings,
  type ProjectSetting,
} from "./brought-things.ts";
import { readTrustRecord, trustFile, writeTrustRecord, type Brought, type TrustRecord } from "./trust-record.ts";

export type ThingStanding = "trusted" | "refused" | "added" | "changed";

export interface TrustStatus {
  project: string;
  /** Where the answer is kept. */
  file: string;
  /** nothing: the folder brings nothing that needs trust; changed: something new since the answer. */
  state: "nothing" | "trusted" | "refused" | "undecided" | "changed";
  things: (BroughtThing & { standing: ThingStanding })[];
  /** Trusted once, no longer there. */
  removed: { kind: Brought["kind"]; name: string }[];
  unusable: { name: string; reason: string }[];
  /** Why the kept answer does not count. */
  problem?: string | undefined;
}

/** A look at the record; ask again for another. */
export interface Trusts {
  readonly thing: (thing: Brought) => boolean;
  readonly setting: (setting: ProjectSetting) => boolean;
  /** A file below the project, with the text that would be used, and the folder it would be used in where that is another. */
  readonly file: (file: string, text: string, folder?: string) => boolean;
  readonly skill: (folder: string) => boolean;
}

export interface ProjectTrust {
  now(): Trusts;
  /** `checks`: the project's own commands, where they need an answer too. */
  status(checks?: BroughtThings): TrustStatus;
  /** The answer covers the things that were shown, as they were shown; `earlier` is what was said about the rest. */
  decide(decision: { answer: "yes" | "no"; things: readonly Brought[]; earlier: "keep" | "forget" }): void;
  /** What a user just made or approved by Sylk's own commands needs no second yes. */
  addSettings(settings: readonly ProjectSetting[]): void;
  addSkills(folders: readonly string[]): void;
  /** Agents' memory beside the code may be used: it is trusted, or there is none yet and nobody said no to one. */
  memory(): boolean;
  /** Before the first of it is written. */
  addMemory(): void;
}

const keyOf = ({ kind, name, hash }: Brought): string => JSON.stringify([kind, name, hash]);
const nameOf = ({ kind, name }: Pick<Brought, "kind" | "name">): string => JSON.stringify([kind, name]);
const plain = ({ kind, name, hash }: Brought): Brought => ({ kind, name, hash });

/** `things` instead of whatever was said about the same names. */
function replaced(known: readonly Brought[], things: readonly Brought[], alsoDrop: readonly Brought[] = []): Brought[] {
  const names = new Set([...things, ...alsoDrop].map(nameOf));
  return [...known.filter((one) => !names.has(nameOf(one))), ...things.map(plain)];
}

export function createProjectTrust(project: ProjectDirs, look: BroughtLook): ProjectTrust {
  const file = trustFile(project);
  const read = () => readTrustRecord(file);
  const write = (record: TrustRecord): void => {
    project.claim();
    writeTrustRecord(file, record);
  };

  const add = (things: readonly Brought[]): void => {
    if (things.length === 0) return;
    const { trusted, refused } = read().record;
    write({ version: 1, trusted: replaced(trusted, things), refused: replaced(refused, [], things) });
  };

  const now = (): Trusts => {
    const trusted = new Set(read().record.trusted.map(keyOf));
    const thing = (one: Brought | undefined): boolean => one !== undefined && trusted.has(keyOf(one));
    return {
      thing,
      setting: (setting) => trusted.size > 0 && thing(settingThing(setting)),
      file: (name, text, folder = project.project) => trusted.size > 0 && thing(fileThing(folder, name, text)),
      skill: (folder) => trusted.size > 0 && thing(skillThing(project.project, folder, look.checksum)),
    };
  };

  const status = (checks: BroughtThings = { things: [], unusable: [] }): TrustStatus => {
    const { record, problem } = read();
    const { things: found, unusable } = broughtThings(project, look);
    const [trusted, refused] = [new Set(record.trusted.map(keyOf)), new Set(record.refused.map(keyOf))];
    const known = new Set([...record.trusted, ...record.refused].map(nameOf));
    const standing = (one: Brought): ThingStanding =>
      trusted.has(keyOf(one)) ? "trusted" : refused.has(keyOf(one)) ? "refused" : known.has(nameOf(one)) ? "changed" : "added";
    const things = [...found, ...checks.things].map((one) => ({ ...one, standing: standing(one) }));
    const there = new Set(things.map(nameOf));
    return {
      project: project.project,
      file,
      state: stateOf(things, known.size > 0),
      things,
      removed: record.trusted.filter((one) => !there.has(nameOf(one)) && one.kind !== "check").map(({ kind, name }) => ({ kind, name })),
      unusable: [...unusable, ...checks.unusable],
      ...(problem === undefined ? {} : { problem }),
    };
  };

  return {
    now,
    status,
    decide({ answer, things, earlier }) {
      const before = earlier === "keep" ? read().record : { trusted: [], refused: [] };
      write({
        version: 1,
        trusted: answer === "yes" ? replaced(before.trusted, things) : replaced(before.trusted, [], things),
        refused: answer === "no" ? replaced(before.refused, things) : replaced(before.refused, [], things),
      });
    },
    memory() {
      // Looked for before the record is read: what is written here is on record before it is there.
      const brought = memoryBrought(project);
      const { trusted, refused } = read().record;
      const isIn = (things: readonly Brought[]): boolean => things.some((one) => keyOf(one) === keyOf(memoryThing));
      return isIn(trusted) || (brought === undefined && !isIn(refused));
    },
    addMemory() {
      if (!now().thing(memoryThing)) add([memoryThing]);
    },
    addSettings: (settings) => add(settings.map(settingThing)),
    addSkills: (folders) => add(folders.flatMap((folder) => skillThing(project.project, folder, look.checksum) ?? [])),
  };
}

function pending<T extends { standing: ThingStanding }>(things: readonly T[]): T[] {
  return things.filter(({ standing }) => standing === "added" || standing === "changed");
}

function stateOf(things: TrustStatus["things"], answered: boolean): TrustStatus["state"] {
  if (things.length === 0) return "nothing";
  if (pending(things).length > 0) return answered ? "changed" : "undecided";
  return things.every(({ standing }) => standing === "trusted") ? "trusted" : "refused";
}
