/**
 * The roles as they hold in this project. Each is put together field by field: what ships, then the user's
 * folder, then the folder of a project the user trusts; in each place `<role>.md` stands for the whole role,
 * `all.yaml` and `<role>.yaml` for single fields. Nothing is kept but what ships: files are read when asked.
 */
import path from "node:path";
import { SylkError, wording } from "../../kernel/index.ts";
import { roleFields, type Role, type RoleSpec } from "../../protocol/index.ts";
import { narrowRights } from "./narrow-rights.ts";
import type { RoleValues } from "./read-role-file.ts";
import { projectPlace, shipped, userPlace, type RolePlace } from "./role-places.ts";
import { leastRole, ROLE_ID } from "./least-role.ts";
import type { RoleField, RoleOrigin, RoleProblem } from "./role-parts.ts";

export interface RoleSource {
  /** The user's own roles and overrides. */
  userDir: string;
  projectDir: string;
  /** Whether the user trusts this text of a file of the project. */
  trusts(file: string, text: string): boolean;
}

export interface Roles {
  /** Every role that is defined here, by name. */
  ids(): string[];
  /** One that nobody defined has the least rights. */
  get(id: string): Role;
  /** The same, where only a defined one will do. */
  mustGet(id: string): Role;
  all(): Role[];
  /** Files that belong to no role, and why they do nothing. */
  strays(): RoleProblem[];
}

/** `all` names every role, `user` the user. */
const RESERVED: ReadonlySet<string> = new Set(["all", "user"]);
const FIELDS = Object.keys(roleFields) as RoleField[];
const isRoleId = (id: string): boolean => ROLE_ID.test(id) && !RESERVED.has(id);

interface Draft {
  /** Some file says what the role is; overrides alone make none. */
  defined: boolean;
  fields: Map<string, { value: unknown; origin: RoleOrigin }>;
  problems: RoleProblem[];
}

function specOf(id: string, { fields }: Draft): RoleSpec {
  return { ...leastRole(id), ...Object.fromEntries([...fields].map(([field, { value }]) => [field, value])) };
}

/** What one place says, on top of what stood before; `ceiling`: the rights it may not go beyond. */
function addPlace(id: string, place: RolePlace, draft: Draft, ceiling: RoleSpec | undefined): void {
  for (const name of [`${id}.md`, "all.yaml", `${id}.yaml`]) {
    const read = place.read(name);
    if (read === undefined) continue;
    draft.problems.push(...read.problems);
    if (read.problems.some(({ field }) => field === undefined)) continue;
    const narrowed = ceiling === undefined ? { values: read.values, problems: [] } : narrowRights(ceiling, read.values, read.file);
    draft.problems.push(...narrowed.problems);
    const values = withoutSelf(id, narrowed.values, read.file, draft.problems);
    if (name.endsWith(".md")) {
      draft.defined = true;
      // The whole role: what the file leaves out is the least, what it says badly stays as it was.
      for (const field of draft.fields.keys()) if (!read.problems.some((problem) => problem.field === field)) draft.fields.delete(field);
      if (ceiling !== undefined)
        values.capabilities ??= leastRole(id).capabilities.filter((capability) => ceiling.capabilities.includes(capability));
    }
    for (const [field, value] of Object.entries(values)) draft.fields.set(field, { value, origin: { from: place.from, file: read.file } });
  }
}

function strayOf(name: string, place: RolePlace, known: readonly string[]): RoleProblem[] {
  const { name: id, ext } = path.parse(name);
  const about = (message: string): RoleProblem[] => [{ file: place.file(name), message }];
  if (ext === ".yml") return about(`is not read: call it ${id}.yaml`);
  if ((ext !== ".md" && ext !== ".yaml") || known.includes(id) || (id === "all" && ext === ".yaml")) return [];
  if (!isRoleId(id)) return about("is not read: a role's name is small letters, digits, - and _, and neither all nor user");
  if (ext === ".yaml") return about(`changes nothing: there is no role ${id}; ${id}.md would make one`);
  return place.read(name)?.problems ?? about("cannot be read");
}

function unknownRole(id: string, known: readonly string[], problems: readonly RoleProblem[]): never {
  const near = wording.nearest(id, known);
  const [problem] = problems;
  throw new SylkError({
    code: "USAGE_UNKNOWN_ROLE",
    tier: "user_fixable",
    message: `there is no role ${id}${problem === undefined ? "" : `: ${problem.file} ${problem.message}`}`,
    fix: near === undefined ? `one of ${known.join(", ")}` : `did you mean ${near}?`,
  });
}

/** A role always has its own memory, and asks others. */
function withoutSelf(id: string, values: RoleValues, file: string, problems: RoleProblem[]): RoleValues {
  const { reads_from: reads, consults, ...rest } = values;
  const ownMemory = reads?.some(({ agent }) => agent === id) === true;
  if (ownMemory) problems.push({ file, field: "reads_from", message: `does not count: ${id} always has its own memory` });
  if (consults?.includes(id) === true) problems.push({ file, field: "consults", message: `${id} does not ask itself` });
  return {
    ...rest,
    ...(reads === undefined || ownMemory ? {} : { reads_from: reads }),
    ...(consults === undefined ? {} : { consults: consults.filter((role) => role !== id) }),
  };
}

export function createRoles(source: RoleSource): Roles {
  const [user, project] = [userPlace(source.userDir), projectPlace(source)];

  const get = (id: string): Role => {
    const draft: Draft = { defined: false, fields: new Map(), problems: [] };
    if (isRoleId(id)) {
      addPlace(id, shipped, draft, undefined);
      addPlace(id, user, draft, undefined);
      // All that a project says is held against what stood before its first word.
      addPlace(id, project, draft, specOf(id, draft));
    }
    if (!draft.defined) draft.fields.clear();
    const origins = FIELDS.map((field) => [field, draft.fields.get(field)?.origin ?? { from: "default" }]);
    return { spec: specOf(id, draft), origins: Object.fromEntries(origins) as Role["origins"], problems: draft.problems };
  };

  const ids = (): string[] => {
    const written = [shipped, user, project].flatMap((place) =>
      place.names().filter((name) => name.endsWith(".md") && place.read(name)?.trusted === true),
    );
    const found = written.map((name) => name.slice(0, -".md".length)).filter(isRoleId);
    return [...new Set(found)].toSorted();
  };

  return {
    ids,
    get,
    all: () => ids().map(get),
    mustGet(id) {
      const known = ids();
      return known.includes(id) ? get(id) : unknownRole(id, known, get(id).problems);
    },
    strays() {
      const known = ids();
      return [user, project].flatMap((place) => place.names().flatMap((name) => strayOf(name, place, known)));
    },
  };
}
