/**
 * Brings the changes of a work tree into the user's tree (CCY-040…045). Each file is compared three
 * ways: where the work started, what it made, what is there now. What the user changed meanwhile is
 * merged when that is safe and otherwise left as it is and reported; nothing is written while a
 * dispute is open, and then all files or none. Planning again after a crash finds what is done already.
 */
import { lstat, readFile } from "node:fs/promises";
import { sha256, systemCode, type Clock } from "../../kernel/index.ts";
import type { ChangeOutcome, PlannedWriter } from "../files/files.ts";
import type { PathBoundary } from "../files/path-boundary.ts";
import type { PlannedChange } from "../files/plan-changes.ts";
import { readError } from "../files/read-file.ts";
import { decodeText, encodeText, withEnding } from "../files/text-format.ts";
import type { Hunk } from "../../code/lines/index.ts";
import { plainMerge } from "./plain-merge.ts";
import type { TreeChange } from "./file-diffs.ts";
import type { WorkTree } from "./work-tree.ts";

export type ConflictReason =
  | "both_changed"
  | "changed_here_deleted_there"
  | "deleted_here_changed_there"
  | "both_created"
  | "binary"
  | "not_a_file";

export interface MergeConflict {
  path: string;
  reason: ConflictReason;
  /** Each disputed place of a text. */
  hunks: Hunk[];
  /** The file with conflict markers, for texts. */
  marked: string | undefined;
  /** Lines that are gone when the user's file is kept, and when the task's is taken. */
  lost: { mine: string[]; task: string[] };
  /** Hashes of the three versions; null where there is no file. */
  base: string | null;
  ours: string | null;
  theirs: string | null;
}

/** A user's answer to a conflict. */
export type Resolution = "keep_theirs" | "take_ours" | { content: string };

export interface MergePlan {
  work: WorkTree;
  /** The state of the work that is being merged. */
  commit: string;
  changes: PlannedChange[];
  summary: { path: string; how: "as_is" | "by_lines" | "by_structure" | "resolved" | "deleted" }[];
  /** Something was combined that nobody has run together yet (CCY-045). */
  combined: boolean;
}

export type PlanOutcome =
  | { kind: "ready"; plan: MergePlan }
  | { kind: "nothing_to_merge" }
  | { kind: "conflicts"; conflicts: MergeConflict[]; /** Files that would merge without a dispute. */ clean: string[] }
  | { kind: "outside"; path: string; reason: string };

export interface Merging {
  plan(work: WorkTree, options?: { resolutions?: Readonly<Record<string, Resolution>>; signal?: AbortSignal }): Promise<PlanOutcome>;
  /** Writes a plan. `stale`: a file changed since; plan again. */
  apply(plan: MergePlan, signal?: AbortSignal): Promise<ChangeOutcome>;
}

export interface MergingContext {
  boundary: PathBoundary;
  clock: Clock;
  writePlanned: PlannedWriter;
}

interface Versions {
  base: Buffer | null;
  ours: Buffer | null;
  theirs: Buffer | null;
  theirMode: number;
}

type FileMerge =
  | { kind: "same" }
  | { kind: "change"; bytes: Buffer | null; how: MergePlan["summary"][number]["how"] }
  | { kind: "conflict"; reason: ConflictReason; hunks: Hunk[]; marked: string | undefined };

const REGULAR = /^(?:100644|100755|000000)$/u;

function sameContent(a: Buffer | null, b: Buffer | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.equals(b)) return true;
  // Git may keep other line endings than the working tree.
  const left = decodeText(a);
  const right = decodeText(b);
  return left !== undefined && right !== undefined && left.raw.replaceAll("\r\n", "\n") === right.raw.replaceAll("\r\n", "\n");
}

function disputed(reason: ConflictReason, hunks: Hunk[] = [], marked?: string): FileMerge {
  return { kind: "conflict", reason, hunks, marked };
}

/** The work's version in the encoding and line endings of the file it replaces. */
function dressed(ours: Buffer, theirs: Buffer | null): Buffer {
  const mine = decodeText(ours);
  const there = theirs === null ? undefined : decodeText(theirs);
  if (mine === undefined || there === undefined || there.format.eol !== "crlf" || mine.format.eol !== "lf") return ours;
  return encodeText(withEnding(mine.raw, "crlf"), mine.format) ?? ours;
}

/** What only this version has: neither the one both began with, nor the one that is chosen instead. */
function linesOf(bytes: Buffer | null, ...others: readonly (Buffer | null)[]): string[] {
  const lines = (one: Buffer | null): string[] => (one === null ? [] : (decodeText(one)?.raw.split(/\r?\n/u) ?? []));
  const there = new Set(others.flatMap(lines));
  return lines(bytes).filter((line) => line.trim() !== "" && !there.has(line));
}

async function mergeVersions(path: string, versions: Versions, clock: Clock): Promise<FileMerge> {
  const { base, ours, theirs } = versions;
  if (sameContent(ours, theirs)) return { kind: "same" };
  if (ours === null)
    return sameContent(base, theirs) ? { kind: "change", bytes: null, how: "deleted" } : disputed("deleted_here_changed_there");
  if (sameContent(base, theirs)) return { kind: "change", bytes: dressed(ours, theirs), how: "as_is" };
  if (theirs === null) return disputed("changed_here_deleted_there");
  const texts = [base ?? Buffer.alloc(0), ours, theirs].map((bytes) => decodeText(bytes));
  const [b, o, t] = texts;
  if (b === undefined || o === undefined || t === undefined) return disputed("binary");
  if (base === null) return disputed("both_created", [{ line: 1, base: "", ours: o.raw, theirs: t.raw }]);
  const { mergeText } = await import("../../code/index.ts");
  const merged = await mergeText({ path, base: b.raw, ours: o.raw, theirs: t.raw }, (...three) => plainMerge(...three, clock));
  if (merged.kind === "conflict") return disputed("both_changed", merged.hunks, merged.marked);
  const bytes = encodeText(merged.text, t.format);
  return bytes === undefined
    ? disputed("both_changed")
    : { kind: "change", bytes, how: merged.by === "structure" ? "by_structure" : "by_lines" };
}

function resolve(choice: Resolution, versions: Versions): FileMerge {
  if (choice === "keep_theirs") return { kind: "same" };
  const bytes = choice === "take_ours" ? versions.ours : Buffer.from(choice.content);
  return { kind: "change", bytes, how: "resolved" };
}

async function readThere(absolute: string, name: string): Promise<{ bytes: Buffer; mode: number } | "not_a_file" | null> {
  try {
    const info = await lstat(absolute);
    return info.isFile() ? { bytes: await readFile(absolute), mode: info.mode & 0o7777 } : "not_a_file";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw readError(name, error);
  }
}

const hashOf = (bytes: Buffer | null): string | null => (bytes === null ? null : sha256(bytes));

function plannedMode(change: TreeChange, there: number | undefined, keep: boolean): number {
  if (keep || change.oldMode === change.newMode || there === undefined) return there ?? (change.newMode === "100755" ? 0o755 : 0o644);
  return change.newMode === "100755" ? there | 0o111 : there & ~0o111;
}

export function createMerging(context: MergingContext): Merging {
  return {
    async plan(work, { resolutions = {}, signal } = {}) {
      const { commit } = await work.snapshot("merge", signal);
      const changes: PlannedChange[] = [];
      const summary: MergePlan["summary"] = [];
      const conflicts: MergeConflict[] = [];
      for (const change of await work.changes(signal)) {
        signal?.throwIfAborted();
        const found = await context.boundary.resolveForWrite(change.path);
        if (found.kind === "outside") return found;
        const there = await readThere(found.absolute, change.path);
        const special = there === "not_a_file" || !REGULAR.test(change.oldMode) || !REGULAR.test(change.newMode);
        const versions: Versions = {
          base: change.status === "added" || special ? null : await work.content(change.oldBlob),
          ours: change.status === "deleted" || special ? null : await work.content(change.newBlob),
          theirs: there === null || there === "not_a_file" ? null : there.bytes,
          theirMode: there === null || there === "not_a_file" ? 0 : there.mode,
        };
        const choice = resolutions[change.path];
        const merge =
          choice !== undefined
            ? resolve(choice, versions)
            : special
              ? disputed("not_a_file")
              : await mergeVersions(change.path, versions, context.clock);
        const mode = plannedMode(change, there === null || there === "not_a_file" ? undefined : there.mode, choice === "keep_theirs");
        if (merge.kind === "conflict") {
          conflicts.push({
            path: change.path,
            reason: merge.reason,
            hunks: merge.hunks,
            marked: merge.marked,
            lost: {
              mine: linesOf(versions.ours, versions.base, versions.theirs),
              task: linesOf(versions.theirs, versions.base, versions.ours),
            },
            base: hashOf(versions.base),
            ours: hashOf(versions.ours),
            theirs: hashOf(versions.theirs),
          });
          continue;
        }
        const bytes = merge.kind === "same" ? versions.theirs : merge.bytes;
        const before = hashOf(versions.theirs);
        const after = hashOf(bytes);
        if (before === after && (bytes === null || mode === versions.theirMode)) continue;
        const operation = before === null ? "create" : after === null ? "delete" : "modify";
        changes.push({
          path: found.path,
          absolute: found.absolute,
          operation,
          before,
          after,
          mode,
          ...(before === null || bytes === null || mode === versions.theirMode ? {} : { oldMode: versions.theirMode }),
          oldBytes: versions.theirs,
          newBytes: bytes,
        });
        summary.push({ path: change.path, how: merge.kind === "same" ? "as_is" : merge.how });
      }
      if (conflicts.length > 0) return { kind: "conflicts", conflicts, clean: summary.map((item) => item.path) };
      if (changes.length === 0) {
        await work.markMerged(commit);
        return { kind: "nothing_to_merge" };
      }
      const combined = summary.some((item) => item.how !== "as_is" && item.how !== "deleted");
      return { kind: "ready", plan: { work, commit, changes, summary, combined } };
    },
    async apply(plan, signal) {
      const outcome = await context.writePlanned(plan.changes, signal);
      if (outcome.kind === "changed" || outcome.kind === "unchanged") await plan.work.markMerged(plan.commit);
      return outcome;
    },
  };
}
