/**
 * The roles as they hold in this project. Each is put together field by field: what ships, then the user's
 * folder, then the folder of a project the user trusts; in each place `<role>.md` stands for the whole role,
 * `all.yaml` and `<role>.yaml` for single fields. Nothing is kept but what ships: files are read when asked.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageFile, projectText, systemCode } from "../../kernel/index.ts";
import {
  leastRole,
  ROLE_ID,
  roleFields,
  type Role,
  type RoleField,
  type RoleOrigin,
  type RoleProblem,
  type RoleSpec,
} from "../../protocol/index.ts";
import { narrowRights } from "./narrow-rights.ts";
import { readRoleFile, type RoleFile, type RoleValues } from "./read-role-file.ts";

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
  all(): Role[];
}

interface Place {
  from: RoleOrigin["from"];
  names(): string[];
  /** What a file says; undefined when it is not there. Untrusted is a problem, and nothing of it counts. */
  read(name: string): (RoleFile & { file: string; trusted: boolean }) | undefined;
}

const OWN = ".sylk/agents";
/** `all` names every role, `user` the person. */
const RESERVED: ReadonlySet<string> = new Set(["all", "user"]);
const FIELDS = Object.keys(roleFields) as RoleField[];
const shippedFiles = new Map<string, RoleFile & { file: string; trusted: boolean }>();

const isRoleId = (id: string): boolean => ROLE_ID.test(id) && !RESERVED.has(id);

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch {
    // Not there, or no folder: it brings nothing.
    return [];
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const shipped: Place = {
  from: "shipped",
  names: () => namesIn(packageFile("agents")),
  read(name) {
    const known = shippedFiles.get(name);
    if (known !== undefined) return known;
    const text = textOf(packageFile("agents", name));
    if (text === undefined) return undefined;
    const file = `agents/${name}`;
    const read = { ...readRoleFile(file, text), file, trusted: true };
    shippedFiles.set(name, read);
    return read;
  },
};

function userPlace(dir: string): Place {
  return {
    from: "user",
    names: () => namesIn(dir),
    read(name) {
      const file = path.join(dir, name);
      const text = textOf(file);
      return text === undefined ? undefined : { ...readRoleFile(file, text), file, trusted: true };
    },
  };
}

function projectPlace({ projectDir, trusts }: RoleSource): Place {
  return {
    from: "project",
    names: () => namesIn(path.join(projectDir, OWN)),
    read(name) {
      const file = `${OWN}/${name}`;
      const text = projectText(projectDir, file);
      if (text === undefined) return undefined;
      if (trusts(file, text)) return { ...readRoleFile(file, text), file, trusted: true };
      return { values: {}, problems: [{ file, message: "is not used before you read it and run `sylk trust`" }], file, trusted: false };
    },
  };
}

interface Draft {
  fields: Map<string, { value: unknown; origin: RoleOrigin }>;
  problems: RoleProblem[];
}

function specOf(id: string, { fields }: Draft): RoleSpec {
  return { ...leastRole(id), ...Object.fromEntries([...fields].map(([field, { value }]) => [field, value])) };
}

/** What one place says, on top of what stood before; `ceiling`: the rights it may not go beyond. */
function addPlace(id: string, place: Place, draft: Draft, ceiling: RoleSpec | undefined): void {
  for (const name of [`${id}.md`, "all.yaml", `${id}.yaml`]) {
    const read = place.read(name);
    if (read === undefined) continue;
    draft.problems.push(...read.problems);
    if (read.problems.some(({ field }) => field === undefined)) continue;
    const narrowed = ceiling === undefined ? { values: read.values, problems: [] } : narrowRights(ceiling, read.values, read.file);
    draft.problems.push(...narrowed.problems);
    const values = withoutSelf(id, narrowed.values, read.file, draft.problems);
    if (name.endsWith(".md")) {
      // The whole role: what the file leaves out is the least, what it says badly stays as it was.
      for (const field of draft.fields.keys()) if (!read.problems.some((problem) => problem.field === field)) draft.fields.delete(field);
      if (ceiling !== undefined)
        values.capabilities ??= leastRole(id).capabilities.filter((capability) => ceiling.capabilities.includes(capability));
    }
    for (const [field, value] of Object.entries(values)) draft.fields.set(field, { value, origin: { from: place.from, file: read.file } });
  }
}

/** A role always has its own memory. */
function withoutSelf(id: string, values: RoleValues, file: string, problems: RoleProblem[]): RoleValues {
  if (values.reads_from?.some(({ agent }) => agent === id) !== true) return values;
  problems.push({ file, field: "reads_from", message: `does not count: ${id} always has its own memory` });
  const { reads_from: _self, ...rest } = values;
  return rest;
}

export function createRoles(source: RoleSource): Roles {
  const [user, project] = [userPlace(source.userDir), projectPlace(source)];

  const get = (id: string): Role => {
    const draft: Draft = { fields: new Map(), problems: [] };
    if (isRoleId(id)) {
      addPlace(id, shipped, draft, undefined);
      addPlace(id, user, draft, undefined);
      // All that a project says is held against what stood before its first word.
      addPlace(id, project, draft, specOf(id, draft));
    }
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

  return { ids, get, all: () => ids().map(get) };
}
