/**
 * Brings a task's work tree into the project's folder, or throws it away, and leaves the facts on the
 * task's stream: intended, done, told. Killed in between, the next merge sees by the files what was done.
 */
import path from "node:path";
import { openAudit } from "../guard/index.ts";
import type { Claim, Store } from "../journal/index.ts";
import { SylkError, type Clock, type ProjectDirs } from "../kernel/index.ts";
import { standsAt, type TaskState } from "../step/index.ts";
import { openWorkspace, type MergeConflict, type MergePlan, type Resolution, type Workspace, type WorkTree } from "../workspace/index.ts";
import { taskEvents, taskStream, USER, type NewEvent } from "../protocol/events/index.ts";

type MergeIntended = NonNullable<TaskState["merging"]>;

interface MergedFile {
  path: string;
  how: string;
}

export type MergeOutcome =
  | { kind: "merged"; files: MergedFile[]; /** Edits of both sides were combined: check again. */ combined: boolean }
  | { kind: "already_merged"; files: MergedFile[] }
  | { kind: "nothing_to_merge" }
  | { kind: "conflicts"; conflicts: Pick<MergeConflict, "path" | "reason" | "marked">[]; clean: string[] }
  | { kind: "refused"; path: string; reason: string };

/** For every disputed file: the project's version, or the task's. */
export type MergeChoice = "mine" | "task";

interface OwnedTask {
  store: Store;
  claim: Claim;
  state: TaskState;
  /** Undefined: it is gone. */
  tree: WorkTree | undefined;
}

interface Merge extends OwnedTask {
  project: ProjectDirs;
  clock: Clock;
  redact: (text: string) => string;
}

async function tell({ store, claim, state }: OwnedTask, event: NewEvent): Promise<void> {
  await store.journal.append(taskStream(state.created.id), "any", [event], { key: claim.key, epoch: claim.epoch });
}

export async function discardTree(
  task: OwnedTask,
  options: { force: boolean },
): Promise<{ kind: "discarded" } | { kind: "kept"; changed: string[] }> {
  const outcome = (await task.tree?.discard(options)) ?? { kind: "discarded" as const, recoverableFrom: undefined };
  if (outcome.kind === "kept") return { kind: "kept", changed: outcome.changed };
  if (task.state.tree?.discarded !== true)
    await tell(task, taskEvents.treeDiscarded.create({ recoverable_from: outcome.recoverableFrom ?? null }, { actor: USER }));
  return { kind: "discarded" };
}

/** A task that goes on keeps its tree. */
async function cleanUp(task: OwnedTask): Promise<void> {
  if (standsAt("ended", task.state)) await discardTree(task, { force: false });
}

/** The merge is done: it is audited, told, and the tree goes. */
async function done(task: Merge, files: MergeIntended["files"], combined: boolean): Promise<MergeOutcome> {
  const { store, redact, state } = task;
  const audit = openAudit({ journal: store.journal, redact, actor: USER, sessionId: state.created.session, taskId: state.created.id });
  await audit.record({
    category: "file",
    eventType: "work_merged",
    severity: "info",
    outcome: "allowed",
    action: "merge",
    target: files.map((file) => file.path).join(", "),
    rule: "the person merges",
  });
  await tell(task, taskEvents.merged.create({ files, combined }, { actor: USER }));
  await cleanUp(task);
  return { kind: "merged", files: files.map(({ path, how }) => ({ path, how })), combined };
}

/** Of a merge that was begun and never told: the files that stand as it wanted them. */
async function alreadyWritten({ state }: OwnedTask, workspace: Workspace): Promise<MergeIntended["files"]> {
  const files = state.merging?.files ?? [];
  await workspace.files.sweep(files.map((file) => file.path));
  const written: MergeIntended["files"] = [];
  for (const file of files) if (file.before !== file.after && (await workspace.files.hash(file.path)) === file.after) written.push(file);
  return written;
}

function intentOf({ commit, combined, changes, summary }: MergePlan): MergeIntended {
  const files = changes.map(({ path, before, after }, index) => ({ path, how: summary[index]?.how ?? "as_is", before, after }));
  return { commit, combined, files };
}

/** A command may delete a few files by the way. */
const BY_COMMANDS = 3;

/** Files the merge would delete although no action of the task did: somebody else emptied its tree. */
function neverDeleted({ created, changedFiles, history }: TaskState, tree: WorkTree, { changes }: MergePlan): string[] {
  const deleted = Object.entries(changedFiles).flatMap(([file, { after }]) =>
    after === null ? [path.relative(tree.path, path.join(created.root, file))] : [],
  );
  const missing = changes.filter((change) => change.operation === "delete" && !deleted.includes(change.path)).map((change) => change.path);
  const ran = history.some((record) => record.actions.some(({ action }) => action === "run_command"));
  return ran && missing.length <= BY_COMMANDS ? [] : missing;
}

/** Undefined: there is no tree, and nothing was ever merged from one. */
export async function mergeTree(task: Merge, choice: MergeChoice | undefined, signal: AbortSignal): Promise<MergeOutcome | undefined> {
  const { store, state, tree, project } = task;
  await using workspace = openWorkspace({
    root: project.project,
    gate: { decide: () => Promise.resolve({ kind: "allow", rule: "the person merges" }) },
    redact: task.redact,
    clock: task.clock,
    blobs: store.blobs,
  });
  const begun = state.merging;
  const written = await alreadyWritten(task, workspace);
  if (begun !== undefined && written.length === begun.files.length) {
    await tree?.markMerged(begun.commit);
    return await done(task, begun.files, begun.combined);
  }
  if (tree === undefined) {
    if (state.merged === undefined) return undefined;
    await cleanUp(task);
    return { kind: "already_merged", files: state.merged.files };
  }
  const plan = await planned(workspace, tree, choice, signal);
  if (plan.kind === "conflicts")
    return { ...plan, conflicts: plan.conflicts.map(({ path, reason, marked }) => ({ path, reason, marked })) };
  if (plan.kind === "outside") return { kind: "refused", path: plan.path, reason: plan.reason };
  if (plan.kind === "nothing_to_merge") {
    if (begun !== undefined) return await done(task, begun.files, begun.combined);
    await cleanUp(task);
    return state.merged === undefined ? plan : { kind: "already_merged", files: state.merged.files };
  }
  const missing = choice === "task" ? [] : neverDeleted(state, tree, plan.plan);
  if (missing[0] !== undefined)
    return {
      kind: "refused",
      path: missing[0],
      reason: `${missing.length} file(s) are missing from the work tree that the task did not delete; --prefer task deletes them here too`,
    };
  const intent = intentOf(plan.plan);
  const before = written.filter((file) => !intent.files.some(({ path }) => path === file.path));
  const whole = {
    ...intent,
    files: [...before, ...intent.files],
    combined: intent.combined || (before.length > 0 && begun?.combined === true),
  };
  await tell(task, taskEvents.mergeIntended.create(whole, { actor: USER }));
  if ((await store.work.renew([task.claim])).length > 0)
    throw new SylkError({
      code: "TASK_RUNS_ELSEWHERE",
      tier: "permanent",
      message: `task ${state.created.id} was taken over by another process; nothing was merged`,
    });
  const outcome = await workspace.merging.apply(plan.plan, signal);
  if (outcome.kind !== "changed" && outcome.kind !== "unchanged")
    return {
      kind: "refused",
      path: "path" in outcome ? outcome.path : project.project,
      reason: outcome.kind === "stale" ? "it was changed this very moment; merge again" : outcome.kind,
    };
  return await done(task, whole.files, whole.combined);
}

async function planned(workspace: Workspace, tree: WorkTree, choice: MergeChoice | undefined, signal: AbortSignal) {
  const outcome = await workspace.merging.plan(tree, { signal });
  if (outcome.kind !== "conflicts" || choice === undefined) return outcome;
  const answer: Resolution = choice === "mine" ? "keep_theirs" : "take_ours";
  const resolutions = Object.fromEntries(outcome.conflicts.map((conflict) => [conflict.path, answer]));
  return workspace.merging.plan(tree, { resolutions, signal });
}
