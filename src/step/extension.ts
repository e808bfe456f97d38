/**
 * What plugs into the step: what a task is given, may do, is kept from and leaves behind. Whoever has the engine
 * has all of it; nothing of it stands around the engine. What the user should know is a fact of the task.
 */
import type { NewEvent, Payload } from "../protocol/events/index.ts";
import type { Workspace, WorkTree } from "../workspace/index.ts";
import type { Action } from "./actions/action.ts";
import type { TaskState } from "./task-state.ts";

export interface NewTask {
  /** Chosen by whoever must find it again; a new one when absent. */
  id?: string | undefined;
  goal: string;
  type: string;
  role: string;
  criteria: string[];
  constraints: string[];
  /** `own`: the project's, as far as they are known. */
  checks: Payload<"task.created">["checks"] | "own";
  /** A command that fails because of what is wrong; one more check. */
  reproduce?: string | undefined;
  /** Facts it starts from, by name. */
  inputs: Record<string, string>;
  /** What the user gave to look at. */
  pictures?: Payload<"task.created">["pictures"];
  /** Of these, what is cut where there is no room for all: the first named first. Nothing that a person said. */
  yields?: readonly string[] | undefined;
  /** What was said before it in the same session: requests and tasks by id, oldest first. A request knows its own. */
  before?: readonly string[] | undefined;
  model: string;
  profile: string;
  maxSteps: number | undefined;
  session: string;
  /** Most all tasks of the session may cost together. */
  sessionUsd?: number | undefined;
  /** Who waits for it to be made gives up. */
  signal?: AbortSignal | undefined;
  /** Folder of the project it is about. */
  folder: string;
  /** What failed before whoever gives it began, and the test files it is to make pass, where that is known. */
  failing?: Payload<"task.created">["failing"];
  /** The work tree that was made for it; absent: it works in the project. */
  tree?: Pick<WorkTree, "id" | "branch" | "base" | "path"> | undefined;
  /** One that it shares with the tasks before and after it, and that is not its to merge. */
  sharedTree?: Pick<WorkTree, "id" | "path"> | undefined;
}

export interface Given {
  rules?: Payload<"task.created">["rules"];
  /** Left out where the user's own text needs the room. */
  inputs?: Record<string, string>;
  /** What was said before in its session; cut where there is no room for all of it. */
  said?: string | undefined;
  /** Never left out. */
  facts?: Record<string, string>;
  /** For a task that asked for the project's own. */
  checks?: Payload<"task.created">["checks"];
}

export interface Notice {
  /** `memory`, `skills`, `project`. */
  about: string;
  target: string;
  outcome: string;
  summary: string;
}

/** What is said of a change beside its result. */
export interface ChangeNews {
  /** Follows the result's own line; empty: nothing to say. */
  summary: string;
  /** Kept in view until the next change; without lines, what was there goes. */
  item: { key: string; title: string; lines: readonly string[] };
}

/** What is about to be done. */
export interface PlannedAct {
  action: Action;
  args: unknown;
  /** Texts it would change, as they are and as they would be. */
  files(): Promise<readonly { path: string; before: string; after: string }[]>;
}

export type Vetted = { kind: "refused"; reason: string } | { kind: "noted"; note: string };

/** What is made of a call before it is kept: it is refused, or goes on, with other arguments or a word to be read with its result. */
export type Allowed = { kind: "refused"; reason: string } | { kind: "allowed"; args?: unknown; note?: string | undefined };

/** What is made of a result. */
export interface Reviewed {
  /** Why it counts as failed, although it was done. */
  failed?: string | undefined;
  note?: string | undefined;
}

export interface StepExtension {
  name: string;
  actions?: readonly Action[];
  /** Words of the user, before anything uses them; throws when they must not be used. */
  screen?(text: string): Promise<string>;
  given?(task: NewTask): Promise<Given>;
  /** Why this must not be done, if so: nothing of the arguments was kept yet. */
  before?(call: { action: Action; args: unknown }, task: Payload<"task.created">): Promise<string | undefined>;
  /** Asked about a call that nothing above refused, before anything of it is kept; may take long. Other arguments are checked again. */
  allows?(call: { action: Action; args: unknown }, task: TaskState, signal: AbortSignal): Promise<Allowed>;
  /** Looks at a change or a command before anybody is asked for it; may take a moment. A note is told with its result. */
  vets?(
    act: PlannedAct,
    task: TaskState,
    workspace: Pick<Workspace, "root" | "files" | "web">,
    signal: AbortSignal,
  ): Promise<Vetted | undefined>;
  /** These files are about to be changed; waits for no program. */
  changing?(task: TaskState, workspace: Pick<Workspace, "root" | "files">, files: readonly string[]): Promise<void>;
  /** They were changed. */
  changed?(
    task: TaskState,
    workspace: Pick<Workspace, "root" | "files">,
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<ChangeNews | undefined>;
  /** Something was done, or failed; what was refused is not shown. May take long. */
  reviews?(
    call: { action: Action; args: unknown },
    result: { ok: boolean; outcome: string; summary: string },
    task: TaskState,
    signal: AbortSignal,
  ): Promise<Reviewed>;
  /** Before work begins or goes on. */
  begins?(task: TaskState): Promise<readonly Notice[]>;
  /** After a step. `append` writes a fact of the task, as its owner. */
  after?(task: TaskState, append: (fact: NewEvent) => Promise<void>, signal: AbortSignal): Promise<void>;
  /** When it has come to rest. Facts of its own are written with the notices. */
  rests?(task: TaskState, signal: AbortSignal): Promise<{ notices: readonly Notice[]; facts: readonly NewEvent[] }>;
}
