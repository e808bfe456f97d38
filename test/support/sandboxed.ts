/** For attack tests: a workspace whose commands run in the real sandbox, and what the machine can give. */
import { systemClock } from "../../src/kernel/index.ts";
import { createSandbox } from "../../src/workspace/sandbox/create-sandbox.ts";
import type { Sandbox } from "../../src/workspace/isolation.ts";
import type { SandboxPolicy } from "../../src/workspace/sandbox/policy.ts";
import type { RunOutcome } from "../../src/workspace/process/run-process.ts";
import { openWorkspace, type Workspace } from "../../src/workspace/open-workspace.ts";
import { defaultSandboxPolicy } from "./sandbox-policy.ts";

export const sandboxWith = (
  policy: Partial<SandboxPolicy> = {},
  home = "/nonexistent",
  searchPath?: string,
  env: Readonly<Record<string, string>> = {},
): Sandbox => createSandbox({ policy: { ...defaultSandboxPolicy, ...policy }, home, env, clock: systemClock, searchPath });

/** Why tests of the sandbox itself are left out here; undefined where there is one. */
export const NO_SANDBOX = await sandboxWith()
  .status()
  .then((status) => (status.available ? undefined : (status.reason ?? "no sandbox")));

export function sandboxedWorkspace(
  root: string,
  sandbox: Sandbox,
  parentEnv: Readonly<Record<string, string | undefined>> = process.env,
): Workspace {
  return openWorkspace({
    root,
    sandbox,
    parentEnv,
    clock: systemClock,
    redact: (text) => text,
    gate: { decide: () => Promise.resolve({ kind: "allow", rule: "test", onlySandboxed: true }) },
  });
}

/** What it said on both streams, and its exit code. */
export async function run(workspace: Workspace, command: string | readonly string[]): Promise<{ code: number | null; said: string }> {
  const outcome: RunOutcome = await workspace.processes.run({ command });
  if (outcome.kind !== "exited") return { code: null, said: JSON.stringify(outcome) };
  return { code: outcome.exitCode, said: outcome.stdout + outcome.stderr };
}
