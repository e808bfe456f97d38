/** A task in a clone that brings a language server of its own, under the name of a well-known one. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { systemPaths } from "../../../src/kernel/index.ts";
import { script, scriptedProject, type ScriptedCall } from "../../support/scripted-project.ts";

const never = new AbortController().signal;
const FAKE = path.join(systemPaths.shipped("test"), "support/fake-language-server.mjs");

export interface HostileTask {
  dir: string;
  /** What the model was given, step by step. */
  contexts: string[];
  /** What the model was given and what the journal keeps. */
  kept: string;
  text(file: string): string;
}

export async function hostileTask(
  server: { how: string; words?: string },
  files: Record<string, string>,
  steps: ScriptedCall[],
  prepare: (dir: string) => void = () => undefined,
): Promise<HostileTask> {
  const all = { "tsconfig.json": "{}", "node_modules/.bin/tsc": "", ...files };
  const project = scriptedProject(all, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const program = path.join(project.dir, "node_modules/.bin/tsc");
  const quoted = [FAKE, server.how, "", server.words ?? ""].map((word) => `'${word}'`).join(" ");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' ${quoted}\n`);
  chmodSync(program, 0o755);
  prepare(project.dir);
  const home = project.env["SYLK_HOME"] ?? "";
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "config.yaml"), "tools:\n  language_servers: always\n");
  const app = await project.open();
  onTestFinished(() => app.close());
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer", discoverChecks: false });
  await app.tasks.run(id, () => undefined, never);
  const contexts = await Promise.all(Array.from({ length: steps.length + 1 }, (_v, i) => app.tasks.context(id, i + 1)));
  const events: unknown[] = [];
  for await (const event of app.journal.export({ filter: {}, signal: never })) events.push(event);
  return {
    dir: project.dir,
    contexts: contexts.map((one) => one?.user ?? ""),
    kept: JSON.stringify([contexts, events]),
    text: (file) => readFileSync(path.join(project.dir, file), "utf8"),
  };
}
