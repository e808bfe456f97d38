/**
 * An action is one opaque value: what the model sees of it, what it may do, and how it is done.
 * The registry is the only list of what an agent can do.
 */
import type { Payload } from "../../protocol/events/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import type { ZodType } from "zod";
import type { ToolCredentials } from "../../guard/index.ts";
import type { Blobs } from "../../journal/index.ts";
import type { ChangeOutcome, FileRequest, FileTrack, Workspace } from "../../workspace/index.ts";
import type { NarrowTests, TestScope } from "../../tooling/index.ts";
import type { Profile } from "../profiles.ts";
import type { TaskState } from "../task-state.ts";
import type { CheckResult, EndKind, MemoryEffect, RecordedChange } from "../task-facts.ts";

/**
 * What an action changes: nothing, what the task has in view, files, whatever a process does, or what Sylk itself
 * keeps. The first two and the last are harmless and may run together; files and processes change the world, one a step.
 */
export type ActionEffect = "none" | "memory" | "files" | "process" | "record";

export interface RelatedFile {
  path: string;
  why: string;
}

export interface ActionContext {
  workspace: Workspace;
  state: TaskState;
  step: number;
  /** Names this call for ever, also when a restart does it again: what it appends under this name is there once. */
  callId: string;
  profile: Profile;
  blobs: Blobs;
  signal: AbortSignal;
  /** Folder in which this step's command records itself. */
  recordDir: string;
  /** Notices what a command changes. */
  track(): Promise<FileTrack>;
  /** Hands credentials to a command without showing them. */
  credentials: ToolCredentials;
  /** What is known about a question; absent: there is no knowledge here. */
  findKnowledge?: ((query: string, maxTokens: number, signal: AbortSignal) => Promise<string>) | undefined;
  /** Files that belong to one: its tests, what it uses, what uses it, what changes with it. */
  relatedFiles?: ((path: string, signal: AbortSignal) => Promise<readonly RelatedFile[]>) | undefined;
  /** The command for some of the project's tests; absent or undefined: only all of them can be run. */
  narrowTests?: ((folder: string, scope: TestScope) => Promise<NarrowTests | undefined>) | undefined;
  /** All changes of the task so far. */
  diff(): Promise<string>;
  /** Runs the task's checks now. */
  runChecks(filter?: string): Promise<CheckResult[]>;
  /** Runs a command as if it were one. */
  runCheck(check: { name: string; command: string }): Promise<CheckResult>;
}

export interface ActionResult {
  ok: boolean;
  /** Machine name of what happened, e.g. `edited`, `no_match`. */
  outcome: string;
  /** One line for the model and for people. */
  summary: string;
  files?: RecordedChange[];
  /** Of a command: whether `files` is all it changed. */
  tracked?: boolean;
  effects?: MemoryEffect[];
  /** Whole result, kept aside for load_context. */
  detail?: string;
  /** What would make two results the same news. */
  newsKey?: string;
  checks?: CheckResult[];
  /** It fails because of the bug, and is a check from now on. */
  reproduction?: CheckResult;
  /** What the task hands over beside its report. */
  outputs?: NonNullable<Payload<"task.decided">["outputs"]>;
}

export interface Action<Args = unknown> {
  name: string;
  /** One short line for the model. */
  summary: string;
  effect: ActionEffect;
  /** It ends the turn. */
  ends?: EndKind;
  schema: ZodType<Args>;
  /** It may wait for an index or a model. */
  slow?: boolean;
  /** Arguments that name a place: in them nothing is text. */
  paths?(args: Args): readonly string[];
  /** What it is about, for lists and loop detection. */
  target(args: Args): string;
  /** Actions from higher floors say which tasks and roles they are for; the task type lists the others. */
  offeredTo?(task: TaskState["created"], role: Pick<RoleSpec, "actions" | "consults">): boolean;
  /** Another action without which it is of no use: who may not do that one is not shown this. */
  leadsTo?: string;
  /** As a role sees it, where that differs. */
  shownTo?(role: Pick<RoleSpec, "consults">): Action;
  /** For `files`: the file requests, so that the intent can be recorded with its hashes first. */
  requests?(args: Args, state: TaskState): FileRequest[];
  /** The same where they must be asked for first; what was worked out once is what is done. */
  worksOut?(args: Args, context: ActionContext): Promise<FileRequest[] | ActionResult>;
  /** For `files`: what to say of a change that cannot be made; nothing is written. */
  explain?(args: Args, problem: Exclude<ChangeOutcome, { kind: "changed" }>, context: ActionContext): Promise<ActionResult>;
  /** For `files`: these arguments only ask what would happen. */
  onlyShows?(args: Args): boolean;
  execute(args: Args, context: ActionContext): Promise<ActionResult>;
  /** For `process`: makes ready what `recover` will ask, before the intent is told. */
  prepare?(context: ActionContext): void;
  /** For `process`: what became of it in a process that was interrupted; `act`: it certainly never began. */
  recover?(args: Args, context: ActionContext): Promise<{ value: ActionResult } | "act">;
}

/** Whether it changes the world with these arguments. */
export function changesWorld(action: Action, args: unknown): boolean {
  return (action.effect === "files" || action.effect === "process") && action.onlyShows?.(args) !== true;
}

/** It only looks. */
export function looks({ effect, ends }: Action): boolean {
  return effect === "none" && ends === undefined;
}

/** Keeps each action's own argument type inside and one common type outside. */
export function defineAction<Args>(action: Action<Args>): Action {
  return action;
}
