/** One life of the process that runs a task, and the last one, which ends it. */
import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { ScriptedProject } from "../support/scripted-project.ts";
import { readStory } from "./task-story.ts";

/** Killed by itself at an append, by us after some time, or not at all. */
type Death = { when: string; n: number } | { afterMs: number };

export async function live(project: ScriptedProject, id: string, death?: Death): Promise<{ killed: boolean; out: string }> {
  const point = death !== undefined && "when" in death ? [death.when, String(death.n)] : ["never", "0"];
  const child = spawn(process.execPath, [path.resolve("test/crash/task-child.ts"), project.dir, id, ...point], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...project.env },
  });
  const timer = death !== undefined && "afterMs" in death ? setTimeout(() => child.kill("SIGKILL"), death.afterMs) : undefined;
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  const [out, trouble, { code, signal }] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearTimeout(timer);
  if (signal !== "SIGKILL" && code !== 0) throw new Error(trouble);
  return { killed: signal === "SIGKILL", out };
}

/** This process takes over what a killed one left, ends the task and tells its story. */
export async function endHere(project: ScriptedProject, id: string): Promise<unknown[]> {
  const app = await project.open();
  await app.tasks.run(id, () => undefined, new AbortController().signal);
  const events = await readStory(app, project);
  await app.close();
  return events;
}
