/** One life of the process that runs a task, and the last one, which ends it. */
import type { ScriptedProject } from "../support/scripted-project.ts";
import { begin, NEVER, type Life, type Point } from "./run-life.ts";
import { readStory } from "./task-story.ts";

/** Killed by itself at an append, by us after some time, or not at all. */
type Death = Point | { afterMs: number };

export async function live(project: ScriptedProject, id: string, death: Death = NEVER): Promise<Life> {
  const point = "when" in death ? death : NEVER;
  const { child, end } = begin(project, { do: "task", id, streams: ["task/"], ...point, signal: "SIGKILL" });
  const timer = "afterMs" in death ? setTimeout(() => child.kill("SIGKILL"), death.afterMs) : undefined;
  try {
    return await end;
  } finally {
    clearTimeout(timer);
  }
}

/** This process takes over what a killed one left, ends the task and tells its story. */
export async function endHere(project: ScriptedProject, id: string): Promise<unknown[]> {
  const app = await project.open();
  await app.tasks.run(id, () => undefined, new AbortController().signal);
  const events = await readStory(app, project);
  await app.close();
  return events;
}
