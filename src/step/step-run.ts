/** One run of a task by this process: what its steps share. */
import { must } from "../kernel/index.ts";
import path from "node:path";
import type { Run } from "../journal/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import type { FileTrack, Workspace } from "../workspace/index.ts";
import type { Definition } from "../code/index.ts";
import type { Action, ActionResult } from "./actions/action.ts";
import type { StepEngine } from "./engine.ts";
import type { KeptTexts } from "./kept-texts.ts";
import { PROFILES, type Profile } from "./profiles.ts";
import type { TaskState } from "./task-state.ts";
import type { TaskType } from "./task-type.ts";

export interface StepRun {
  engine: StepEngine;
  type: TaskType;
  /** As it stood when this run began. */
  role: RoleSpec;
  workspace: Workspace;
  /** Its state, its ownership, and the one way to append to it. */
  durable: Run<TaskState>;
  signal: AbortSignal;
  taskId: string;
  texts: KeptTexts;
  /** Notices what its commands change; opened with the first of them. */
  track?: Promise<FileTrack>;
  /** Of the pages in view. */
  definitions: ReadonlyMap<string, readonly Definition[]>;
  /** When the checks last said something of the files as they stood. */
  checkedAt?: number;
  /** A test of this project to follow; looked for once. */
  exampleTest?: Promise<string | undefined>;
}

/** One call of a step, carried out. */
export interface Done {
  index: number;
  action: Action;
  args: unknown;
  result: ActionResult;
}

export function profileOf(state: TaskState): Profile {
  return PROFILES[state.profile] ?? must(PROFILES["minimal"]);
}

/** Where a task's commands record themselves, by step. */
export function recordsOf(engine: Pick<StepEngine, "tasksDir">, id: string): string {
  return path.join(engine.tasksDir, ".runs", id);
}
