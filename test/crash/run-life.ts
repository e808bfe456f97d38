/** One life of a process that does a piece of a run: it ends, is killed, or is stopped and taken over. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { App } from "../support/lab.ts";
import { mapLimit } from "../../src/kernel/index.ts";
import type { ScriptedProject } from "../support/scripted-project.ts";

type Do =
  | { do: "task"; id: string }
  | { do: "merge"; id: string }
  | { do: "tree"; rules: string }
  | { do: "skill"; wish: string }
  /** `adds`: what the person says, unless it was said, once somebody builds that piece. */
  | { do: "request"; id: string; adds?: { words: string; during: string } | undefined };

export type Job = Do & {
  /** Beginnings of the streams whose appends are counted. */
  streams: string[];
  when: "before" | "after" | "never";
  n: number;
  signal: "SIGKILL" | "SIGSTOP";
  /** As a worker on another machine with such a lease. */
  leaseMs?: number | undefined;
};

export type Point = Pick<Job, "when" | "n">;
export const NEVER: Point = { when: "never", n: 0 };

export interface Life {
  killed: boolean;
  outcome: unknown;
  refused: string | undefined;
  appends: number;
}

export function begin(project: ScriptedProject, job: Job): { child: ChildProcess; stopping: Promise<unknown>; end: Promise<Life> } {
  const child = spawn(process.execPath, [path.resolve("test/crash/run-child.ts"), project.dir, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...project.env },
  });
  const end = async (): Promise<Life> => {
    const ended = new Promise<[number | null, string | null]>((resolve) => child.on("close", (...how) => resolve(how)));
    const [out, trouble, [code, signal]] = await Promise.all([text(child.stdout as Readable), text(child.stderr as Readable), ended]);
    if (signal === "SIGKILL") return { killed: true, outcome: undefined, refused: undefined, appends: 0 };
    if (code !== 0) throw new Error(trouble);
    return { killed: false, refused: undefined, outcome: undefined, ...(JSON.parse(out) as { appends: number }) };
  };
  const stopping = once(child.stdio[3] as Readable, "data").catch(() => undefined);
  return { child, stopping, end: end() };
}

export function liveOut(project: ScriptedProject, job: Do & { streams: string[] }, point: Point): Promise<Life> {
  return begin(project, { ...job, ...point, signal: "SIGKILL" }).end;
}

/** Every place of the chosen ones, two at a time; returns how many. */
export async function atPlaces(
  appends: number,
  isChosen: (place: number) => boolean,
  work: (point: Point) => Promise<void>,
): Promise<number> {
  const points = Array.from({ length: appends }, (_v, i) => (["before", "after"] as const).map((when) => ({ when, n: i + 1 })))
    .flat()
    .filter((_point, place) => isChosen(place));
  await mapLimit(points, 2, work);
  return points.length;
}

export function startInTree(app: App, rules: string): Promise<string> {
  return app.tasks.start({
    goal: "say it louder",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: ["true"],
    model: rules,
    profile: "minimal",
    maxSteps: undefined,
    worktree: true,
  });
}
