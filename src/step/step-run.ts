/** One run of a task by this process: what its steps share. */
import type { Fence } from "../journal/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { Definition } from "../code/index.ts";
import type { StepEngine } from "./engine.ts";
import type { KeptTexts } from "./kept-texts.ts";
import { PROFILES, type Profile } from "./profiles.ts";
import type { TaskState } from "./task-state.ts";
import type { TaskType } from "./task-type.ts";
import type { JournalEvent } from "../protocol/events/index.ts";

export interface StepRun {
  engine: StepEngine;
  type: TaskType;
  /** As it stood when this run began. */
  role: RoleSpec;
  workspace: Workspace;
  fence: Fence;
  /** Asked directly before the world is changed: throws when another process has the task. */
  mustOwn(): Promise<void>;
  signal: AbortSignal;
  taskId: string;
  texts: KeptTexts;
  /** Of the pages in view. */
  definitions: ReadonlyMap<string, readonly Definition[]>;
  /** A test of this project to follow; looked for once. */
  exampleTest?: Promise<string | undefined>;
  /** Sequence of the stream up to which the state at hand is folded. */
  seq: number | undefined;
  /** Called with what was appended and the state after it. */
  onAppend(events: JournalEvent[], state: TaskState): Promise<void>;
}

export function profileOf(state: TaskState): Profile {
  return PROFILES[state.created.profile] ?? (PROFILES["minimal"] as Profile);
}
