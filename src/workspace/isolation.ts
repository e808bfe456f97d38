/** What running a command asks of a sandbox. */
import type { CommandLine } from "./gate.ts";

/** `auto`: sandboxed where the system can, otherwise direct with a warning. `require`: sandboxed or not at all. */
export type SandboxMode = "off" | "auto" | "require";

export type SandboxLayer = "bubblewrap" | "sandbox-runtime";

export interface SandboxStatus {
  mode: SandboxMode;
  available: boolean;
  layer: SandboxLayer | undefined;
  /** Why it is not available, or not whole, and what would help. */
  reason: string | undefined;
  fix: string | undefined;
  /** Commands with a list of hosts can be sandboxed too. */
  network: boolean;
}

export interface WrapRequest {
  command: CommandLine;
  argv: readonly string[];
  cwd: string;
  /** Folders this command may write. */
  writable: readonly string[];
  /** Instead of these, folders it only looks into; it then reaches nobody either. */
  readable?: readonly string[] | undefined;
  /** Where the command's programs are looked for. */
  searchPath: string;
  /** Variables that name libraries to load: for the command, not for what makes the sandbox around it. */
  loads: Readonly<Record<string, string>>;
  /** Hosts asked for by this command. */
  network: readonly string[];
  /** The command listens on this machine and must be reachable; it keeps the machine's network. */
  serves: boolean;
  /** Permission was given for a sandboxed run: without a sandbox it does not hold. */
  onlySandboxed: boolean;
  tempDir: string;
  signal?: AbortSignal | undefined;
}

export type WrapOutcome =
  | {
      kind: "sandboxed";
      argv: string[];
      env: Record<string, string>;
      layer: SandboxLayer;
      /** What the command was not given although it might expect it. */
      notice: string | undefined;
      /** When the command has ended: what then had to be put right, for the user to know. */
      release: () => Promise<string | undefined>;
    }
  | { kind: "direct"; reason: string }
  | { kind: "unavailable"; reason: string; fix: string | undefined };

export interface Sandbox extends AsyncDisposable {
  wrap(request: WrapRequest): Promise<WrapOutcome>;
  status(): Promise<SandboxStatus>;
  /** Hosts a command would be given. */
  hostsFor(command: CommandLine, asked: readonly string[]): string[];
}
