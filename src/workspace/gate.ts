/**
 * What the workspace asks of the guard. The workspace never decides who may do what: it describes
 * the action truthfully and obeys the answer. `redact` is applied to every text that leaves.
 */
import type { Permissions } from "../guard/index.ts";

/** What the workspace does. */
export type WorkspaceAction = Parameters<Permissions["decide"]>[0];

export type CommandLine = Extract<WorkspaceAction, { kind: "run" }>["command"];

export interface PermissionGate {
  decide(action: WorkspaceAction, signal?: AbortSignal): ReturnType<Permissions["decide"]>;
}

/** For what somebody decided beforehand, or Sylk does by itself: acts of these kinds, under one named rule, and no others. */
export function gateByRule(rule: string, kinds: readonly WorkspaceAction["kind"][]): PermissionGate {
  return {
    decide: ({ kind }) =>
      Promise.resolve(
        kinds.includes(kind) ? { kind: "allow", rule } : { kind: "deny", reason: `this is only for: ${kinds.join(", ")}`, rule },
      ),
  };
}

export type Redact = (text: string) => string;

/** Every operation may end like this: nothing was done. */
export interface Refused {
  kind: "refused";
  reason: string;
  rule: string;
  path?: string;
}
