/** What a project says about rights, cut to what the package and the user allow. Rights live in code and with the user. */
import type { RoleSpec } from "../../protocol/index.ts";
import type { RoleValues } from "./read-role-file.ts";
import type { RoleProblem } from "./role-parts.ts";

type Capability = RoleSpec["capabilities"][number];
type Credentials = RoleSpec["credentials"];
type GitRight = RoleSpec["git"][number];

/** A right that is part of a larger one. */
const PART_OF: Readonly<Partial<Record<Capability | GitRight, Capability | GitRight>>> = {
  execute_inspection: "execute",
  network_read: "network",
  commit_improvements: "commit",
  visit: "branch",
};

function allows<T extends Capability | GitRight>(ceiling: readonly T[], right: T): boolean {
  const larger = PART_OF[right];
  return ceiling.includes(right) || (larger !== undefined && ceiling.includes(larger as T));
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

export function narrowRights(ceiling: RoleSpec, values: RoleValues, file: string): { values: RoleValues; problems: RoleProblem[] } {
  const problems: RoleProblem[] = [];
  const tell = (field: string, more: readonly string[]): void => {
    if (more.length > 0)
      problems.push({ file, field, message: `a project may narrow rights, not widen them: ${more.join(", ")} does not count` });
  };
  const cut = <T extends Capability | GitRight>(field: string, has: readonly T[], wants: readonly T[] | undefined): T[] | undefined => {
    if (wants === undefined) return undefined;
    tell(
      field,
      wants.filter((right) => !allows(has, right)),
    );
    return wants.filter((right) => allows(has, right));
  };
  const capabilities = cut("capabilities", ceiling.capabilities, values.capabilities);
  const git = cut("git", ceiling.git, values.git);
  const consults = values.consults?.filter((role) => ceiling.consults.includes(role));
  tell("consults", values.consults?.filter((role) => !ceiling.consults.includes(role)) ?? []);
  const credentials = values.credentials === undefined ? undefined : scope(ceiling.credentials, values.credentials, tell);
  return {
    values: {
      ...values,
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(git === undefined ? {} : { git }),
      ...(consults === undefined ? {} : { consults }),
      ...(credentials === undefined ? {} : { credentials }),
    },
    problems,
  };
}

function scope(has: Credentials, wants: Credentials, tell: (field: string, more: readonly string[]) => void): Credentials {
  const may = (provider: string): boolean => has.allowed.includes("*") || has.allowed.includes(provider);
  tell(
    "credentials",
    wants.allowed.filter((provider) => !may(provider)),
  );
  // What is refused or asked about stays so; a project can only add to it.
  return {
    allowed: wants.allowed.filter(may),
    denied: union(has.denied, wants.denied),
    require_auth: union(has.require_auth, wants.require_auth),
  };
}
