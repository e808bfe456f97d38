/** What every search is given, and one line it finds. */
import type { Clock } from "../../kernel/index.ts";
import type { PathBoundary } from "../files/path-boundary.ts";
import type { PermissionGate, Redact } from "../gate.ts";
import type { WorkspaceLimits } from "../limits.ts";

export interface Match {
  path: string;
  line: number;
  text: string;
}

export interface SearchContext {
  boundary: PathBoundary;
  gate: PermissionGate;
  redact: Redact;
  clock: Clock;
  limits: WorkspaceLimits;
}
