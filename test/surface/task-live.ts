/** What `task-live.test.ts` and its long form share. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

export function projectFor(env: Record<string, string>, config: string): ScriptedProject {
  const project = scriptedProject({ "n.txt": "1\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  Object.assign(project.env, { NO_COLOR: "1", NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" }, env);
  mkdirSync(path.join(project.base, "home", "config"), { recursive: true });
  for (const place of ["home/config.yaml", "home/config/config.yaml"]) writeFileSync(path.join(project.base, place), config);
  return project;
}
