/** A small real project with a failing check and a scripted model that mends it. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import type { PermissionPolicy } from "../../src/app/index.ts";
import { openApp, type App } from "./lab.ts";
import { openProject, systemClock, systemPaths } from "../../src/kernel/index.ts";
import { tempDir } from "./temp.ts";

export interface ScriptedProject {
  /** Holds project and home. */
  base: string;
  dir: string;
  env: Record<string, string>;
  rules: string;
  open(options?: { attended?: boolean; permissions?: PermissionPolicy }): Promise<App>;
}

export type ScriptedCall = { name: string; input: unknown };

/** One answer per step. */
export function script(steps: readonly (ScriptedCall | readonly ScriptedCall[])[]): string {
  return stringify({
    rules: steps.map((calls, index) => ({
      when: { step: index + 1 === steps.length ? `>=${index + 1}` : index + 1 },
      answer: { text: `step ${index + 1}`, tool_calls: [calls].flat() },
    })),
  });
}

export function scriptedProject(files: Record<string, string>, rules: string): ScriptedProject {
  const base = tempDir("sylk-project");
  const dir = path.join(base, "project");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  execFileSync("git", ["init", "-q", "."], { cwd: dir });
  const rulesFile = path.join(base, "rules.yaml");
  writeFileSync(rulesFile, rules);
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, SYLK_HOME: path.join(base, "home") };
  return { base, dir, env, rules: `scripted/${rulesFile}`, open: (options) => openApp({ cwd: dir, env, clock: systemClock, ...options }) };
}

/** Where the project's private files stand. */
export function privateOf({ dir, env }: Pick<ScriptedProject, "dir" | "env">): string {
  return openProject(dir, systemPaths.dirs({ env, platform: process.platform })).private;
}

export function copyProject(from: ScriptedProject): ScriptedProject {
  const base = tempDir("sylk-copy");
  cpSync(from.base, base, { recursive: true });
  const record = path.join(base, path.relative(from.base, privateOf(from)), "project.json");
  if (existsSync(record)) writeFileSync(record, readFileSync(record, "utf8").replaceAll(from.base, base));
  const env = { ...from.env, HOME: base, SYLK_HOME: path.join(base, "home") };
  const dir = path.join(base, "project");
  return { base, dir, env, rules: from.rules, open: (options) => openApp({ cwd: dir, env, clock: systemClock, ...options }) };
}

/** Every file of the project that is not Sylk's or git's own. */
export function filesOf(dir: string): Record<string, string> {
  const out: Record<string, string> = {};
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(dir, file);
    if (entry.isFile() && !/^(\.sylk|\.git)\//.test(name)) out[name] = readFileSync(file, "utf8");
  }
  return out;
}
