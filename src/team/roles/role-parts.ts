/** Parts of a role, by their own names. */
import type { Role } from "../../protocol/index.ts";

export type RoleField = keyof Role["origins"];
/** Where a field's value was written. */
export type RoleOrigin = Role["origins"][RoleField];
export type RoleProblem = Role["problems"][number];
