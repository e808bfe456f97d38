import { z } from "zod";
import { roleFields, type RoleSpec } from "../../protocol/index.ts";

export const ROLE_ID = /^[a-z][a-z0-9_-]{0,40}$/;

const roleSpec = z.strictObject({ id: z.string(), ...roleFields });

/** The role nobody defined: it looks, and no more. */
export function leastRole(id: string): RoleSpec {
  return roleSpec.parse({ id });
}
