/** What a run may do, as the user chose it: mode, and rules of the command line. */
import type { PermissionOptions } from "../guard/index.ts";

type PermissionMode = NonNullable<PermissionOptions["mode"]>;

export const PERMISSION_MODES = ["default", "plan", "accept-edits", "auto", "bypass"] as const satisfies readonly PermissionMode[];

export interface PermissionPolicy {
  mode?: PermissionMode | undefined;
  /** `docker build`, `domain:example.com`, `path:/srv/data=write`. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
}
