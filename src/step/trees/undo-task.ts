/**
 * Takes back what a task changed in the project's folder, by its steps or by its merge, from the content that was
 * kept before. A file that was changed again since, or by somebody else between the task's own changes, is left
 * alone, and then nothing is taken back.
 */
import type { BlobRef, Questions, Run } from "../../journal/index.ts";
import { SylkError } from "../../kernel/index.ts";
import type { FileRequest, Workspace } from "../../workspace/index.ts";
import { EVENTS, STREAMS, USER, type NewEvent } from "../../protocol/events/index.ts";
import { leftRunning } from "../left-running.ts";
import { changedSoFar } from "../task-files.ts";
import type { TaskState } from "../task-state.ts";
import { taskView } from "../task-view.ts";
import { withdrawQuestions } from "../wait-for-answer.ts";
import { auditByPerson, openByPerson, type TreeHands } from "./merge-tree.ts";
import { PROJECT } from "../place-folder.ts";
import type { Place } from "../../protocol/index.ts";

export type UndoOutcome =
  /** `commands`: how many commands of the task changed what is not known and not taken back. */
  | {
      kind: "undone";
      what: "changes" | "merge";
      files: string[];
      dry_run: boolean;
      commands: number;
      /** A command of it that runs now, and may change them again. */
      still_runs?: string | undefined;
    }
  | { kind: "nothing_to_undo" }
  | { kind: "changed_since"; files: string[]; commands: number }
  | { kind: "not_kept"; files: string[] };

export interface UndoOptions {
  dryRun: boolean;
  force: boolean;
  /** Back to how things stood after this step; undefined: to before the first. */
  toStep?: number | undefined;
  /** What was asked after that step is asked no more. */
  questions: Pick<Questions, "list" | "withdraw">;
}

interface Undo {
  what: "changes" | "merge";
  /** Names this undo among those of the task. */
  key: string;
  place: Place;
  files: {
    path: string;
    before: string | null;
    after: string | null;
    mode?: number | undefined;
    newMode?: number | undefined;
    mixed?: boolean | undefined;
    command?: boolean | undefined;
  }[];
  commands: number;
}

function commandsOf(state: TaskState): number {
  return state.history
    .flatMap((record) => record.actions)
    .filter(
      ({ action, ok, tracked }) =>
        // What a tool of an MCP server does elsewhere nobody can know.
        (action === "mcp_call" && ok) || (action === "run_command" && (tracked === false || (ok && tracked !== true))),
    ).length;
}

/** The task as it was known when a step was over. */
async function stateAfter({ journal }: TreeHands, now: TaskState, step: number): Promise<TaskState> {
  const stream = STREAMS.task(now.created.id);
  let state: TaskState | undefined;
  for (const event of await journal.read(stream)) {
    if (EVENTS.task.stepped.is(event) && event.payload.step > step) break;
    state = taskView.reduce(state, event, stream);
  }
  return state ?? now;
}

/** What was changed after a step; a file goes back to what it was then. */
async function undoTo(hands: TreeHands, state: TaskState, step: number): Promise<Undo> {
  if (state.tree !== undefined || state.merged !== undefined)
    throw new SylkError({
      code: "TASK_HAS_WORK_TREE",
      tier: "user_fixable",
      message: "its steps were made in a tree of its own: only its merge as a whole can be taken back",
      fix: `\`sylk task undo ${state.created.id}\` takes the merge back`,
    });
  if (step < 0 || step >= state.step)
    throw new SylkError({
      code: "TASK_NO_SUCH_STEP",
      tier: "user_fixable",
      message: `there is no step after ${step} to take back: the task has made ${state.step}`,
      fix: `\`sylk task show ${state.created.id}\` lists its steps`,
    });
  const then = (await stateAfter(hands, state, step)).changedFiles;
  const changed = Object.entries(changedSoFar(state));
  const files = changed.map(([path, file]) => ({ path, ...file, before: then[path] === undefined ? file.before : then[path].after }));
  const gone = Object.entries(then).flatMap(([path, file]) =>
    changed.some(([name]) => name === path) ? [] : [{ path, before: file.after, after: file.before }],
  );
  return {
    what: "changes",
    key: `undo ${state.changes} to ${step}`,
    place: state.created.place,
    files: [...files, ...gone].filter(({ before, after }) => before !== after),
    commands: commandsOf({ ...state, history: state.history.filter((record) => record.step > step) }),
  };
}

/** Of a task in a tree of its own, the merge; otherwise what its steps did. */
function undoOf(state: TaskState): Undo {
  if (state.tree !== undefined || state.merged !== undefined)
    return {
      what: "merge",
      key: `undo merge ${state.merged?.at ?? 0}`,
      place: PROJECT,
      files: (state.merged?.files ?? []).map((file) => ({ ...file, newMode: file.new_mode })),
      commands: 0,
    };
  const changed = Object.entries(changedSoFar(state));
  return {
    what: "changes",
    key: `undo ${state.changes}`,
    place: state.created.place,
    files: changed.map(([path, file]) => ({ path, ...file })),
    commands: commandsOf(state),
  };
}

type Requests = { requests: FileRequest[]; kept: string[] } | { outcome: UndoOutcome };

async function requestsOf({ blobs }: TreeHands, workspace: Workspace, undo: Undo, force: boolean): Promise<Requests> {
  const requests: FileRequest[] = [];
  const [since, lost, kept]: [string[], string[], string[]] = [[], [], []];
  for (const { path, before, after, mode, newMode, mixed, command } of undo.files) {
    const now = await workspace.files.hash(path);
    if (now === before && newMode === undefined) continue;
    // What a command deleted can be brought back; what it left may hold what the user wrote while it ran.
    const isDisputed = mixed === true || (command === true && after !== null);
    if ((now !== after || isDisputed) && !force) {
      since.push(path);
      continue;
    }
    if (now !== null && now !== undefined) kept.push(`blob:sha256:${now}`);
    const ref: BlobRef = `blob:sha256:${before}`;
    if (before === null) requests.push({ kind: "delete", path, expect: now ?? undefined });
    else if (await blobs.has(ref)) requests.push({ kind: "restore", path, bytes: await blobs.get(ref), mode, expect: now ?? null });
    else lost.push(path);
  }
  if (since.length > 0) return { outcome: { kind: "changed_since", files: since, commands: undo.commands } };
  return lost.length > 0 ? { outcome: { kind: "not_kept", files: lost } } : { requests, kept };
}

export async function undoTask(run: Run<TaskState>, hands: TreeHands, options: UndoOptions): Promise<UndoOutcome> {
  const { toStep } = options;
  const undo = toStep === undefined ? undoOf(run.state) : await undoTo(hands, run.state, toStep);
  if (undo.files.length === 0 && toStep === undefined) return { kind: "nothing_to_undo" };
  await using workspace = openByPerson(hands, undo.place, "the person takes it back");
  const wanted = await requestsOf(hands, workspace, undo, options.force);
  if ("outcome" in wanted) return wanted.outcome;
  const files = undo.files.map(({ path }) => path);
  const left = leftRunning(workspace, hands.tasksDir, run.state)?.command;
  const outcome: UndoOutcome = {
    kind: "undone",
    what: undo.what,
    files,
    dry_run: options.dryRun,
    commands: undo.commands,
    ...(left === undefined ? {} : { still_runs: left }),
  };
  if (options.dryRun) return outcome;
  const audited = { eventType: undo.what === "merge" ? "merge_undone" : "task_undone", action: "undo", rule: "the person takes it back" };
  await run.effect(undo.key, {
    plan: () => Promise.resolve(files),
    act: async () => {
      if (wanted.requests.length === 0) return wanted.kept;
      await auditByPerson(hands, run.state, audited, files);
      await write(workspace, wanted.requests, run.signal);
      return wanted.kept;
    },
    // What a process that died had taken back stands as before and is not asked for again.
    settle: () => Promise.resolve("act" as const),
  });
  await run.append(factOf(undo, wanted.kept, toStep));
  const why = toStep === undefined ? "the task's changes were taken back" : "the task went back to before it was asked";
  await withdrawQuestions(options.questions, run.state.created.id, why);
  return outcome;
}

function factOf({ what, files }: Undo, kept: string[], toStep: number | undefined): NewEvent {
  const names = files.map(({ path }) => path);
  if (what === "merge") return EVENTS.task.mergeUndone.create({ files: names, kept }, { actor: USER });
  // What it was before is what it is again.
  const back = files.map(({ path, before, after }) => ({
    path,
    operation: before === null ? ("delete" as const) : ("modify" as const),
    before: after,
    after: before,
  }));
  return EVENTS.task.undone.create(
    { files: names, ...(toStep === undefined ? {} : { to: { step: toStep, files: back } }) },
    { actor: USER },
  );
}

async function write(workspace: Workspace, requests: readonly FileRequest[], signal: AbortSignal): Promise<void> {
  const written = await workspace.files.apply(requests, signal);
  if (written.kind === "changed" || written.kind === "unchanged") return;
  throw new SylkError({
    code: "TASK_UNDO_FAILED",
    tier: "user_fixable",
    message: `nothing was taken back: ${written.kind}${"path" in written ? ` ${written.path}` : ""}`,
    fix: "try again; nothing was changed",
  });
}
