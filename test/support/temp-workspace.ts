/** For tests of this floor: a real workspace in a fresh temp folder, with a gate that records and obeys a rule. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { systemClock, systemPaths } from "../../src/kernel/index.ts";
import type { PermissionGate, WorkspaceAction } from "../../src/workspace/gate.ts";
import { openWorkspace, type Workspace, type WorkspaceOptions } from "../../src/workspace/open-workspace.ts";

export interface TempWorkspace extends Disposable {
  /** Parent of the root: a place outside the workspace. */
  base: string;
  root: string;
  workspace: Workspace;
  asked: WorkspaceAction[];
}

export function tempFolder(name: string): string {
  const parent = systemPaths.temp("test");
  mkdirSync(parent, { recursive: true });
  return realpathSync(mkdtempSync(path.join(parent, `${name}-`)));
}

export function putFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
}

export function tempWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<WorkspaceOptions> & { deny?: (action: WorkspaceAction) => string | undefined } = {},
): TempWorkspace {
  const base = tempFolder("workspace");
  const root = path.join(base, "project");
  mkdirSync(root);
  putFiles(root, files);
  const asked: WorkspaceAction[] = [];
  const gate = {
    decide(action: WorkspaceAction): ReturnType<PermissionGate["decide"]> {
      asked.push(action);
      const reason = options.deny?.(action);
      return Promise.resolve(reason === undefined ? { kind: "allow", rule: "test" } : { kind: "deny", reason, rule: "test-deny" });
    },
  };
  const workspace = openWorkspace({
    root,
    gate,
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    clock: systemClock,
    tempDir: path.join(base, "temp"),
    ...options,
  });
  return {
    base,
    root,
    workspace,
    asked,
    [Symbol.dispose]() {
      rmSync(base, { recursive: true, force: true });
    },
  };
}
