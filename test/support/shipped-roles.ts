/** The roles as they ship, without anybody's overrides. */
import type { RoleSpec } from "../../src/protocol/index.ts";
import { createRoles } from "../../src/team/index.ts";

const roles = createRoles({ userDir: "/nowhere", projectDir: "/nowhere", trusts: () => false });

export function shippedRole(id: string): RoleSpec {
  return roles.get(id).spec;
}

export function shippedRoles(): RoleSpec[] {
  return roles.all().map(({ spec }) => spec);
}
