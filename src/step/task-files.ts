/** Which files a task has changed, and which came into the project's folder: each against what it was before the first time. */
import type { Payload } from "../protocol/events/index.ts";
import type { RecordedChange } from "./task-facts.ts";

/** As it stands in the project's folder since, and stood before. */
export type MergedFile = Payload<"task.merged">["files"][number] & {
  /** Somebody else changed it between two merges. */
  mixed?: boolean;
};

export interface ChangedFile {
  before: string | null;
  after: string | null;
  step: number;
  /** Of the file before. */
  mode?: number;
  /** Where the task gave it another. */
  newMode?: number;
  /** Somebody else changed it between two changes of the task. */
  mixed?: boolean;
  /** It changed while a command of the task ran: most likely by it, perhaps by somebody else meanwhile. */
  command?: boolean;
}

export type ChangedFiles = Record<string, ChangedFile>;

/** What a step under way intends; of the task's state, what is needed here. */
interface UnderWay {
  changedFiles: ChangedFiles;
  pending: { step: number; intended: readonly { files: readonly RecordedChange[] }[] } | undefined;
  step: number;
}

/** What a file was before the task's first change of it. One that is as it was is not changed. */
export function withChanges(
  known: ChangedFiles,
  files: readonly Omit<RecordedChange, "operation">[],
  step: number,
  byCommand = false,
): ChangedFiles {
  const changed = { ...known };
  for (const { path, before, after, mode, new_mode } of files) {
    const known = changed[path];
    const first = known ?? { before, mode };
    const given = after === null ? undefined : (new_mode ?? known?.newMode);
    const newMode = given === first.mode ? undefined : given;
    const mixed = known !== undefined && (known.mixed === true || known.after !== before);
    if (first.before === after && newMode === undefined) delete changed[path];
    else
      changed[path] = {
        before: first.before,
        after,
        step,
        ...(first.mode === undefined ? {} : { mode: first.mode }),
        ...(newMode === undefined ? {} : { newMode }),
        ...(mixed ? { mixed } : {}),
        ...(byCommand || known?.command === true ? { command: true } : {}),
      };
  }
  return changed;
}

/** With what a step under way may have changed. */
export function changedSoFar({ changedFiles, pending, step }: UnderWay): ChangedFiles {
  const underWay = pending?.intended.flatMap((intent) => intent.files) ?? [];
  return withChanges(changedFiles, underWay, pending?.step ?? step);
}

/** Merged again, a file goes back to what it was before the first time. */
export function withMerged(known: readonly MergedFile[], files: readonly MergedFile[]): MergedFile[] {
  const named = new Map(known.map((file) => [file.path, file]));
  for (const file of files) named.set(file.path, { ...file, ...firstOf(named.get(file.path), file) });
  return [...named.values()];
}

function firstOf(known: MergedFile | undefined, { before }: MergedFile): Partial<MergedFile> {
  if (known === undefined) return {};
  const mixed = known.mixed === true || known.after !== before;
  return { before: known.before, mode: known.mode, snapshot: known.snapshot, ...(mixed ? { mixed } : {}) };
}
