/**
 * Takes back what a task changed in the project's folder, by its steps or by its merge, from the content that was
 * kept before. A file that was changed again since, or by somebody else between the task's own changes, is left
 * alone, and then nothing is taken back.
 */
import type { BlobRef, Run } from "../../journal/index.ts";
import { SylkError } from "../../kernel/index.ts";
import type { FileRequest, Workspace } from "../../workspace/index.ts";
import { EVENTS, USER, type NewEvent } from "../../protocol/events/index.ts";
import { leftRunning } from "../left-running.ts";
import { changedSoFar } from "../task-files.ts";
import type { TaskState } from "../task-state.ts";
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
  const undo = undoOf(run.state);
  if (undo.files.length === 0) return { kind: "nothing_to_undo" };
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
  await run.append(factOf(undo.what, files, wanted.kept));
  return outcome;
}

function factOf(what: Undo["what"], files: string[], kept: string[]): NewEvent {
  return what === "merge"
    ? EVENTS.task.mergeUndone.create({ files, kept }, { actor: USER })
    : EVENTS.task.undone.create({ files }, { actor: USER });
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
