/**
 * Brings a task's work tree into the project's folder, or throws it away, as effects of the task's run. The content
 * before is kept, so a merge can be taken back. Killed in between, the next merge sees by the files what was done.
 */
import path from "node:path";
import { openAudit } from "../../guard/index.ts";
import type { Blobs, Journal, Run } from "../../journal/index.ts";
import type { Clock } from "../../kernel/index.ts";
import {
  gateByRule,
  openWorkspace,
  type MergeConflict,
  type MergePlan,
  type Resolution,
  type Workspace,
  type WorkTree,
} from "../../workspace/index.ts";
import { EVENTS, USER } from "../../protocol/events/index.ts";
import type { MergedFile } from "../task-files.ts";
import { standsAt, type TaskState } from "../task-state.ts";
import { placeFolder, PROJECT } from "../place-folder.ts";
import type { Place } from "../../protocol/index.ts";

type MergeIntended = NonNullable<TaskState["merging"]>;

export type MergeOutcome =
  | { kind: "merged"; files: Named[]; /** Edits of both sides were combined: check again. */ combined: boolean }
  | { kind: "already_merged"; files: Named[] }
  | { kind: "nothing_to_merge" }
  | { kind: "conflicts"; /** What the task is for. */ wanted: string; conflicts: Dispute[]; clean: string[] }
  | { kind: "refused"; path: string; reason: string };

/** One file that both changed, in the words of the user who merges. */
export interface Dispute extends Pick<MergeConflict, "path" | "reason" | "marked"> {
  /** Each disputed place as it was, as it is in the user's folder, and as the task wants it. */
  places: { before: string; mine: string; task: string }[];
  /** Lines that are gone with `--prefer mine`, and with `--prefer task`. */
  lost: { mine: string[]; task: string[] };
}

type Named = Pick<MergedFile, "path" | "how">;

/** For every disputed file: the project's version, or the task's. */
export type MergeChoice = "mine" | "task";

export interface TreeHands {
  projectDir: string;
  tasksDir: string;
  clock: Clock;
  redact: (text: string) => string;
  blobs: Blobs;
  journal: Journal;
}

export interface TreeRun {
  run: Run<TaskState>;
  hands: TreeHands;
  /** Undefined: it is gone. */
  tree: WorkTree | undefined;
}

/** Files as the user's own act; the act itself is audited. */
export function openByPerson({ projectDir, redact, clock, blobs }: TreeHands, place: Place, rule: string): Workspace {
  const gate = gateByRule(rule, ["read", "write"]);
  return openWorkspace({ root: placeFolder(projectDir, place), gate, redact, clock, blobs });
}

export function auditByPerson(
  { journal, redact }: TreeHands,
  { created }: TaskState,
  what: { eventType: string; action: string; rule: string },
  files: readonly string[],
): Promise<unknown> {
  const audit = openAudit({ journal, redact, actor: USER, sessionId: created.session, taskId: created.id });
  return audit.record({ category: "file", severity: "info", outcome: "allowed", target: files.join(", "), ...what });
}

export async function discardTree(
  { run, tree }: TreeRun,
  options: { force: boolean },
): Promise<{ kind: "discarded" } | { kind: "kept"; changed: string[] }> {
  await run.mustOwn();
  const outcome = (await tree?.discard(options)) ?? { kind: "discarded" as const, recoverableFrom: undefined };
  if (outcome.kind === "kept") return { kind: "kept", changed: outcome.changed };
  if (run.state.tree?.discarded !== true)
    await run.append(EVENTS.task.treeDiscarded.create({ recoverable_from: outcome.recoverableFrom ?? null }, { actor: USER }));
  return { kind: "discarded" };
}

/** A task that goes on keeps its tree. */
async function cleanUp(task: TreeRun): Promise<void> {
  if (standsAt("ended", task.run.state)) await discardTree(task, { force: false });
}

/** Of a merge that was begun and never told: the files that stand as it wanted them. */
async function alreadyWritten(begun: MergeIntended, workspace: Workspace): Promise<MergedFile[]> {
  await workspace.files.sweep(begun.files.map((file) => file.path));
  const written: MergedFile[] = [];
  for (const file of begun.files)
    if (file.before !== file.after && (await workspace.files.hash(file.path)) === file.after) written.push(file);
  return written;
}

async function intentOf({ commit, combined, changes, summary }: MergePlan, blobs: Blobs): Promise<MergeIntended> {
  const files = changes.map(async ({ path: file, before, after, mode, oldMode, oldBytes }, index) => ({
    path: file,
    how: summary[index]?.how ?? "as_is",
    before,
    after,
    ...(oldBytes === null ? {} : { mode: oldMode ?? mode, snapshot: await blobs.put(oldBytes) }),
    ...(oldMode === undefined ? {} : { new_mode: mode }),
  }));
  return { commit, combined, files: await Promise.all(files) };
}

/** A command may delete a few files by the way. */
const BY_COMMANDS = 3;

/** Files the merge would delete although no action of the task did: somebody else emptied its tree. */
function neverDeleted({ created, changedFiles, history }: TaskState, tree: WorkTree, { changes }: MergePlan): string[] {
  const deleted = Object.entries(changedFiles).flatMap(([file, { after }]) =>
    after === null ? [path.relative(tree.path, path.join(created.place.folder, file))] : [],
  );
  const missing = changes.filter((change) => change.operation === "delete" && !deleted.includes(change.path)).map((change) => change.path);
  const ran = history.some((record) => record.actions.some(({ action }) => action === "run_command"));
  return ran && missing.length <= BY_COMMANDS ? [] : missing;
}

interface Planned {
  intent: MergeIntended;
  /** Undefined for one that another process planned. */
  plan: MergePlan | undefined;
}

type Written = { kind: "written" } | Extract<MergeOutcome, { kind: "refused" }>;

/** Undefined: there is no tree, and nothing was ever merged from one. */
export async function mergeTree(
  task: TreeRun,
  choice: MergeChoice | undefined,
  deleted: readonly string[],
): Promise<MergeOutcome | undefined> {
  const { run, hands, tree } = task;
  await using workspace = openByPerson(hands, PROJECT, "the person merges");
  const begun = run.state.merging;
  let left: MergedFile[] = [];
  const performed = await run.perform<Written, Planned, MergeOutcome | undefined>(
    {
      pending: begun === undefined ? undefined : { intent: begun, plan: undefined },
      intend: async ({ intent }) => void (await run.append(EVENTS.task.mergeIntended.create(intent, { actor: USER }))),
    },
    {
      plan: () => planned(task, workspace, choice, left, deleted),
      act: async ({ plan }) => (plan === undefined ? { kind: "written" } : write(workspace, plan, run.signal)),
      settle: async ({ intent }) => {
        left = await alreadyWritten(intent, workspace);
        if (left.length < intent.files.length) return "plan";
        await tree?.markMerged(intent.commit);
        return { value: { kind: "written" } };
      },
    },
  );
  if (performed.kind === "unknown") return undefined;
  if (performed.kind === "declined") return performed.why;
  if (performed.value.kind === "refused") return performed.value;
  return await done(task, performed.plan.intent);
}

/** The merge is done: it is audited, told, and the tree goes. */
async function done(task: TreeRun, { files, combined }: MergeIntended): Promise<MergeOutcome> {
  const { run, hands } = task;
  const what = { eventType: "work_merged", action: "merge", rule: "the person merges" };
  await auditByPerson(
    hands,
    run.state,
    what,
    files.map((file) => file.path),
  );
  await run.append(EVENTS.task.merged.create({ files, combined }, { actor: USER }));
  await cleanUp(task);
  return { kind: "merged", files: named(files), combined };
}

const named = (files: readonly Named[]): Named[] => files.map(({ path: file, how }) => ({ path: file, how }));

async function write(workspace: Workspace, plan: MergePlan, signal: AbortSignal): Promise<Written> {
  const outcome = await workspace.merging.apply(plan, signal);
  if (outcome.kind === "changed" || outcome.kind === "unchanged") return { kind: "written" };
  return {
    kind: "refused",
    path: "path" in outcome ? outcome.path : "the project",
    reason: outcome.kind === "stale" ? "it was changed this very moment; merge again" : outcome.kind,
  };
}

type PlanAnswer = { plan: Planned } | { declined: MergeOutcome | undefined };

/** `left`: what a merge that was cut off had written; it belongs to this one. */
async function planned(
  task: TreeRun,
  workspace: Workspace,
  choice: MergeChoice | undefined,
  left: readonly MergedFile[],
  deleted: readonly string[],
): Promise<PlanAnswer> {
  const { run, tree, hands } = task;
  const { merged, merging: begun } = run.state;
  const already = async (): Promise<PlanAnswer> => {
    await cleanUp(task);
    return { declined: merged === undefined ? { kind: "nothing_to_merge" } : { kind: "already_merged", files: named(merged.files) } };
  };
  if (tree === undefined) return merged === undefined ? { declined: undefined } : already();
  const outcome = await resolved(workspace, tree, choice, run.signal);
  if (outcome.kind === "conflicts") {
    const conflicts = outcome.conflicts.map(({ path: file, reason, marked, lost, hunks }) => {
      const places = hunks.map(({ base, ours, theirs }) => ({ before: base, mine: theirs, task: ours }));
      return { path: file, reason, marked, lost, places };
    });
    return { declined: { ...outcome, wanted: run.state.created.goal, conflicts } };
  }
  if (outcome.kind === "outside") return { declined: { kind: "refused", path: outcome.path, reason: outcome.reason } };
  // Somebody brought the rest about by hand: the project has all of what was begun.
  if (outcome.kind === "nothing_to_merge") return begun === undefined ? already() : { plan: { intent: begun, plan: undefined } };
  const missing = choice === "task" ? [] : neverDeleted(run.state, tree, outcome.plan).filter((file) => !deleted.includes(file));
  if (missing[0] !== undefined) {
    const reason = `${missing.length} file(s) are missing from the work tree that the task did not delete; --prefer task deletes them here too`;
    return { declined: { kind: "refused", path: missing[0], reason } };
  }
  const intent = await intentOf(outcome.plan, hands.blobs);
  const before = left.filter((file) => !intent.files.some((one) => one.path === file.path));
  const combined = intent.combined || (before.length > 0 && begun?.combined === true);
  return { plan: { intent: { ...intent, files: [...before, ...intent.files], combined }, plan: outcome.plan } };
}

async function resolved(workspace: Workspace, tree: WorkTree, choice: MergeChoice | undefined, signal: AbortSignal) {
  const outcome = await workspace.merging.plan(tree, { signal });
  if (outcome.kind !== "conflicts" || choice === undefined) return outcome;
  const answer: Resolution = choice === "mine" ? "keep_theirs" : "take_ours";
  const resolutions = Object.fromEntries(outcome.conflicts.map((conflict) => [conflict.path, answer]));
  return workspace.merging.plan(tree, { resolutions, signal });
}
