/** What a role may do at all (SEC-003), as a value that whoever asks the guard brings along. */
import { capability, type Capability, type GitRight, type RoleSpec } from "../../protocol/index.ts";

export interface RoleRights extends Pick<RoleSpec, "id" | "capabilities"> {
  git: readonly GitRight[] | "all";
}

/** The user's own acts. */
export const USER_RIGHTS: RoleRights = { id: "user", capabilities: [...capability.options], git: "all" };

export function hasCapability(role: RoleRights, wanted: Capability): boolean {
  return role.capabilities.includes(wanted);
}
