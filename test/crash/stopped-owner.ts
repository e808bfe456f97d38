/**
 * An owner on another machine is stopped at an append for longer than its lease, the task is taken over and ended
 * here, and then the owner goes on: it must do nothing more.
 */
import { expect } from "vitest";
import { mapLimit, systemClock, holders, SylkError } from "../../src/kernel/index.ts";
import { copyProject, filesOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { begin, NEVER, type Job, type Point } from "./run-life.ts";
import { endHere } from "./task-life.ts";
import { story } from "./task-story.ts";

/** Long enough that a process which works is never without it on a busy machine. */
const LEASE_MS = 2_500;
const LOOK_MS = 5;
const FILES = { "a.txt": "one\n" };
const RULES = script([
  { name: "write_file", input: { path: "made.txt", content: "made\n" } },
  { name: "run_command", input: { command: "echo once >> log.txt" } },
  { name: "edit_file", input: { path: "a.txt", find: "one", replace: "two" } },
  // What was there and is deleted must not come back.
  { name: "delete_file", input: { path: "made.txt" } },
  { name: "run_command", input: { command: "echo twice >> log.txt" } },
  { name: "complete", input: { summary: "done" } },
]);
const EXPECTED = { "a.txt": "two\n", "log.txt": "once\ntwice\n" };

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.sleep(LOOK_MS);
}

/** Ends the task here as soon as the other's lease has run out. */
async function takeOver(project: ScriptedProject, id: string): Promise<unknown[]> {
  for (;;) {
    try {
      return await endHere(project, id);
    } catch (error) {
      if (!SylkError.is(error, "TASK_RUNS_ELSEWHERE")) throw error;
      await systemClock.sleep(LEASE_MS / 4);
    }
  }
}

/** Stops owners at places that go round through the task's appends; returns how many. */
export async function stopOwners(times: number, stride: number, from = 0): Promise<number> {
  const origin = scriptedProject(FILES, RULES);
  const app = await origin.open();
  const id = await app.tasks.start({
    goal: "write it down",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    discoverChecks: false,
    model: origin.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  await app.close();
  const job = (point: Point): Job => ({ do: "task", id, streams: ["task/"], signal: "SIGSTOP", leaseMs: LEASE_MS, ...point });
  const straight = copyProject(origin);
  const { appends } = await begin(straight, job(NEVER)).end;
  expect(filesOf(straight.dir)).toEqual(EXPECTED);

  const points = Array.from({ length: times }, (_v, i): Point => {
    const place = ((from + i) * stride + 3) % (appends * 2);
    return { when: place % 2 === 0 ? "before" : "after", n: Math.floor(place / 2) + 1 };
  });
  const stopped = await mapLimit(points, 3, async (point) => {
    const project = copyProject(origin);
    const { child, end, stopping } = begin(project, job(point));
    const holder = holders.ofProcess(child.pid);
    const came = await Promise.race([stopping.then(() => "stopping"), end]);
    expect({ point, came }).toEqual({ point, came: "stopping" });
    await until(() => holders.state(holder) === "stopped");
    const told = await takeOver(project, id);
    const files = filesOf(project.dir);
    child.kill("SIGCONT");
    const { refused, outcome } = await end;
    // After the last append nothing is left to do; before, it is told that the task is another's.
    const last = point.n === appends && point.when === "after";
    expect({ point, refused, outcome }).toEqual(
      last
        ? { point, refused: undefined, outcome: expect.anything() as unknown }
        : { point, refused: "TASK_RUNS_ELSEWHERE", outcome: undefined },
    );
    expect({ point, files }).toEqual({ point, files: EXPECTED });
    expect({ point, after: filesOf(project.dir) }).toEqual({ point, after: EXPECTED });
    expect(await story(project)).toEqual(told);
    return 1;
  });
  return stopped.length;
}
