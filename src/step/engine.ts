/** What the step engine is given. Everything comes in here; the engine opens nothing itself. */
import type { Clock, Log } from "../kernel/index.ts";
import type { Questions, Store } from "../journal/index.ts";
import type { ToolCredentials } from "../guard/index.ts";
import type { RoleSpec } from "../protocol/index.ts";
import type { ModelGate } from "../model/index.ts";
import type { Workspace } from "../workspace/index.ts";
import type { ActionContext } from "./actions/action.ts";
import type { ActionRegistry } from "./actions/registry.ts";
import type { StepExtension } from "./extension.ts";
import type { TaskState } from "./task-state.ts";
import type { PlaceTrees } from "./place-trees.ts";
import type { FairScheduler } from "./fair-scheduler.ts";

export interface StepEngine {
  store: Store;
  gate: ModelGate;
  /** What tasks ask the user. */
  questions: Questions;
  registry: ActionRegistry;
  extensions: readonly StepExtension[];
  clock: Clock;
  /** Many tasks share one thread. */
  turns: FairScheduler;
  log: Log;
  /** The project's own folder. */
  projectDir: string;
  /** Whether the user trusts this text of a file of the project: its own task types and prompts. */
  trusts(file: string, text: string): boolean;
  /** A role as it holds now; one that nobody defined has the least rights. */
  roleOf(id: string): RoleSpec;
  /** Whoever runs this wants plans only: tasks that begin here end with one first. */
  plansOnly: boolean;
  /** The permission mode the person named for this process, as far as it is kept with a task; absent: none, or one for this run only. */
  keeps?: TaskState["created"]["mode"];
  /** Longest wait for the answer of one step, over all attempts. */
  stepTimeoutMs: number;
  /** Told while a model has not said anything for a while: `provider` is the model's name before one was asked. */
  onWaiting?:
    | ((waiting: { task: string; provider: string; attempt: number; attempts: number; waited_ms: number; limit_ms: number }) => void)
    | undefined;
  /** Folder of the readable views. */
  tasksDir: string;
  /** The hands a task works with, by its place and role. */
  workspaceFor(task: TaskState["created"]): Workspace;
  /** What would be said to a command as a check of this task; nobody is asked. */
  mayRun(task: TaskState["created"], command: string): Promise<"runs" | "asks" | "never">;
  /** Copies of a place to try something in, what commands change in one, and what they would find there. */
  trees: PlaceTrees;
  /** Credentials that a task's tools may be handed, by name. */
  credentialsFor(task: TaskState["created"]): ToolCredentials;
  /** What is known about a question, ready for a model's eyes; absent: nothing is. */
  findKnowledge?: ((query: string, maxTokens: number, signal: AbortSignal) => Promise<string>) | undefined;
  /** Files that belong to one; absent: nothing is known. */
  relatedFiles?: ActionContext["relatedFiles"];
  /** The command for some of the project's tests. */
  narrowTests?: ActionContext["narrowTests"];
  /** Takes secrets out of a text before it is kept. */
  redact(text: string): string;
}
