/** What a run may do, as the user chose it: mode, and rules of the command line. */
import type { PermissionOptions } from "../guard/index.ts";

type Mode = NonNullable<PermissionOptions["mode"]>;

export const PERMISSION_MODES = ["default", "ask-edits", "accept-edits", "plan", "auto", "bypass"] as const satisfies readonly Mode[];

export interface PermissionPolicy {
  mode?: Mode | undefined;
  /** `docker build`, `domain:example.com`, `path:/srv/data=write`. */
  allow?: readonly string[] | undefined;
  deny?: readonly string[] | undefined;
}
