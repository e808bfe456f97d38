/**
 * Where programs of the project run that only look: language servers and formatters. They are executable content of
 * somebody else's, so they run inside the sandbox, or where the user allowed it without one.
 */
import type { Clock } from "../kernel/index.ts";
import { openWorkspace, type Sandbox, type Workspace } from "../workspace/index.ts";

/** `sandboxed`: nowhere else. */
export type LookingMode = "off" | "sandboxed" | "always";

export interface LookingParts {
  env: Record<string, string | undefined>;
  clock: Clock;
  sandbox: () => Sandbox;
  mode: () => LookingMode;
}

export class LookingWorkspaces {
  readonly #parts: LookingParts;
  readonly #rule: string;
  readonly #open = new Map<string, Workspace>();

  constructor(parts: LookingParts, rule: string) {
    this.#parts = parts;
    this.#rule = rule;
  }

  in(folder: string): Workspace {
    const known = this.#open.get(folder);
    if (known !== undefined) return known;
    const { env, clock, sandbox, mode } = this.#parts;
    const made = openWorkspace({
      root: folder,
      gate: { decide: () => Promise.resolve({ kind: "allow", rule: this.#rule, onlySandboxed: mode() !== "always" }) },
      // What they say goes into files as it is; what is shown of it is redacted there.
      redact: (text) => text,
      clock,
      parentEnv: env,
      sandbox: sandbox(),
    });
    this.#open.set(folder, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((workspace) => workspace[Symbol.asyncDispose]()));
  }
}
