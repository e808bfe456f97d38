/**
 * What the workspace asks of the guard. The workspace never decides who may do what: it describes
 * the action truthfully and obeys the answer. `redact` is applied to every text that leaves.
 */
export type CommandLine =
  /** Executable and arguments, no shell involved. */
  | { readonly kind: "direct"; readonly argv: readonly [string, ...string[]] }
  /** A whole line for `sh -c`. */
  | { readonly kind: "shell"; readonly line: string };

export type WorkspaceAction =
  | { readonly kind: "read"; readonly path: string; readonly absolute: string }
  | {
      readonly kind: "write";
      readonly operation: "create" | "modify" | "delete" | "move";
      /** Relative to the workspace root, `/` between parts; absolute when in an extra root. */
      readonly path: string;
      readonly absolute: string;
      readonly bytes: number;
    }
  | {
      readonly kind: "run";
      readonly command: CommandLine;
      readonly cwd: string;
      readonly background: boolean;
      /** Hosts the command asks to reach; empty means none were asked for. */
      readonly network: readonly string[];
    };

export type GateDecision =
  /** `onlySandboxed`: given because the command is isolated; without a sandbox it must not start. */
  { kind: "allow"; rule: string; onlySandboxed?: boolean | undefined } | { kind: "deny"; reason: string; rule: string };

export interface PermissionGate {
  decide(action: WorkspaceAction, signal?: AbortSignal): Promise<GateDecision>;
}

export type Redact = (text: string) => string;

/** Every operation may end like this: nothing was done. */
export interface Refused {
  kind: "refused";
  reason: string;
  rule: string;
  path?: string;
}
