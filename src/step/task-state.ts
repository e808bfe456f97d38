/** What is known of a task. Everything the next step needs is here or in a blob this refers to. */
import type { WorkingMemory } from "../memory/index.ts";
import type { Payload } from "../protocol/events/index.ts";
import type { Result } from "../protocol/api/index.ts";
import type { Ledger } from "./ledger.ts";
import type { StartOfTask } from "./start-of-task.ts";
import type { CheckResult, RecordedChange } from "./task-facts.ts";
import type { ChangedFiles, MergedFile } from "./task-files.ts";

export type TaskStatus = "running" | "complete" | "escalated" | "failed" | "paused" | "cancelled";

/** Groups of statuses, each with its meaning. */
const STATUSES = {
  /** Its work is over; only a user takes it up again. */
  ended: ["complete", "failed", "cancelled"],
  /** It has told a user how it stands: by ending, or by asking. */
  reported: ["complete", "failed", "cancelled", "escalated"],
} as const satisfies Record<string, readonly TaskStatus[]>;

export function standsAt(group: keyof typeof STATUSES, { status }: Pick<TaskState, "status">): boolean {
  const statuses: readonly TaskStatus[] = STATUSES[group];
  return statuses.includes(status);
}

export interface ActionRecord {
  action: string;
  target: string;
  ok: boolean;
  outcome: string;
  summary: string;
  signature: string;
  /** Of a command: whether all it changed is known. */
  tracked?: boolean | undefined;
}

export interface StepRecord {
  step: number;
  phase: string;
  actions: ActionRecord[];
  invalid: string | undefined;
  /** What the agent said before it acted. */
  said?: string | undefined;
  progress: boolean;
  /** It saw something the task had not seen before. */
  news?: boolean | undefined;
  /** Failing checks' signatures after the step; undefined when nothing was verified. */
  failing: string[] | undefined;
  tokens: number;
}

export interface PendingStep {
  step: number;
  calls: { name: string; args: unknown; refused?: string | undefined; note?: string | undefined }[];
  intended: { index: number; action: string; args: unknown; files: RecordedChange[] }[];
}

export interface TaskState {
  created: Payload<"task.created">;
  /** Its profile now; it may have grown. */
  profile: string;
  createdAt: number;
  updatedAt: number;
  /** Nothing is changed before its plan is approved. */
  planning: boolean;
  status: TaskStatus;
  /** By the user, on purpose, and nothing happened since. */
  stopped: boolean;
  phase: string;
  /** Last step that was decided. */
  step: number;
  limit: number;
  pending: PendingStep | undefined;
  current: StepRecord | undefined;
  history: StepRecord[];
  memory: WorkingMemory;
  /** A line for every step that was decided. */
  ledger: Ledger;
  /** Changes made so far; a verification is fresh when it saw them all. */
  changes: number;
  changedFiles: ChangedFiles;
  seen: string[];
  /** `rested`: time has passed since in which anyone may have changed anything. */
  verification:
    | {
        step: number;
        changes: number;
        checks: CheckResult[];
        ready: boolean;
        rested?: boolean;
        /** Failing tests that the results before this one had too, with the same words. */
        repeated: string[];
      }
    | undefined;
  /** What the checks said before anything was done. */
  atStart: StartOfTask | undefined;
  /** A person was told that checks could not run. */
  toldCannotRun: boolean;
  bestPassing: number;
  invalidInRow: number;
  usage: { input: number; output: number; cached: number; costUsd: number; calls: number };
  question: string | undefined;
  /** The question it rests for; tasks of earlier versions have only its words. */
  questionId: string | undefined;
  report: string | undefined;
  /** What it handed over beside its report. */
  outputs: Payload<"task.decided">["outputs"];
  /** Why it stands where it stands; `reason` tells people. */
  why: Result<"task.show">["why"];
  reason: string;
  code: string | undefined;
  verified: boolean;
  /** What shows it. */
  evidence: Payload<"task.decided">["evidence"];
  answers: { step: number; text: string }[];
  pauseAsked: boolean;
  /** Its own work tree. */
  tree: { id: string; discarded: boolean } | undefined;
  /** A merge that was begun; whether it was done only the files can say. */
  merging: Payload<"task.merge_intended"> | undefined;
  /** What came into the project's folder. */
  merged: { at: number; files: MergedFile[]; combined: boolean } | undefined;
  /** What it learnt is in its role's memory. */
  kept: boolean;
  lastDetail: Record<string, string>;
  /** What the agent said in its last steps. */
  words: string[];
  /** What went out of view with the last step, and was not sent away. */
  dropped: string[];
  /** What the engine tells the model about the last step. */
  notices: string[];
  /** The loop detector saw no way forward since the last step. */
  standstill: boolean;
}
