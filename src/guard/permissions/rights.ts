/** What a role may do at all (SEC-003), as a value that whoever asks the guard brings along. */
import { type RoleSpec, roleFields } from "../../protocol/index.ts";

export interface RoleRights extends Pick<RoleSpec, "id" | "capabilities"> {
  git: readonly RoleSpec["git"][number][] | "all";
}

/** The user's own acts. */
export const USER_RIGHTS: RoleRights = { id: "user", capabilities: [...roleFields.capabilities.unwrap().element.options], git: "all" };

export function hasCapability(role: RoleRights, wanted: RoleSpec["capabilities"][number]): boolean {
  return role.capabilities.includes(wanted);
}
