/**
 * The only writer of the user's files. Order of a change (TOO-034): plan, permission, snapshot,
 * write. Sets of changes of one workspace are written one at a time; waiting for a permission holds
 * nobody up.
 */
import { readdir, rmdir } from "node:fs/promises";
import path from "node:path";
import { sha256, systemCode, type Clock } from "../../kernel/index.ts";
import type { BlobRef, Blobs } from "../../journal/index.ts";
import type { PermissionGate, Redact, Refused } from "../gate.ts";
import type { WorkspaceLimits } from "../limits.ts";
import { applyPlan, removeLeftovers } from "./apply-plan.ts";
import { openResolved } from "./held-folder.ts";
import { isFolder, type PathBoundary } from "./path-boundary.ts";
import { planChanges, type FileRequest, type PlannedChange, type PlanProblem } from "./plan-changes.ts";
import { unifiedDiff } from "../../code/lines/index.ts";
import { decodeText, encodeText } from "./text-format.ts";
import { readFilePage, type ReadContext, type ReadOutcome, type ReadRequest } from "./read-file.ts";

export interface FileChange {
  path: string;
  operation: "create" | "modify" | "delete" | "move";
  /** SHA-256 of the content; null where there is no file. */
  before: string | null;
  after: string | null;
  bytes: number;
  /** Permissions the file has, or had. */
  mode: number;
  /** Permissions it has now, where they are others. */
  newMode?: number;
  /** The content before, when a blob store is attached. */
  snapshot: BlobRef | undefined;
  /** Content after. */
  kept: BlobRef | undefined;
  /** How it was done, where that is not as it was asked for. */
  notes?: readonly string[];
}

/** `notes`: what was done to a change beyond what was asked, or could not be. */
export type ChangeOutcome = { kind: "changed"; changes: FileChange[]; notes?: readonly string[] } | { kind: "unchanged" } | PlanProblem;
export type PreviewOutcome = { kind: "planned"; changes: FileChange[] } | { kind: "unchanged" } | PlanProblem;

export type DiffOutcome =
  | { kind: "diff"; diff: string; added: number; removed: number; files: number }
  | { kind: "unchanged" }
  | PlanProblem;

export interface Files {
  read(request: ReadRequest): Promise<ReadOutcome>;
  /**
   * The whole text as it is, for a program of the project that looks at it; never for a model. Undefined when it may
   * not be read, is a link or lies behind one, is no text, or is too large.
   */
  source(path: string, signal?: AbortSignal): Promise<string | undefined>;
  /** What `apply` would do, with the hashes before and after; nothing is written. What would stand there is kept in `blobs`. */
  preview(requests: readonly FileRequest[], blobs?: Pick<Blobs, "put">): Promise<PreviewOutcome>;
  /** The same as a unified diff, without secrets. */
  previewDiff(requests: readonly FileRequest[]): Promise<DiffOutcome>;
  /** How a file, or the given later content of it, differs from an earlier one, without secrets; undefined when it cannot be shown as text. */
  diffFrom(path: string, before: Uint8Array | null, after?: Uint8Array | null): Promise<string | undefined>;
  /** All of the changes or none. */
  apply(requests: readonly FileRequest[], signal?: AbortSignal): Promise<ChangeOutcome>;
  /** The hash a file has now; null when there is none. */
  hash(path: string): Promise<string | null | undefined>;
  /** Removes a folder and the folders in it, as far as they are empty. */
  dropEmpty(folder: string): Promise<void>;
  /** Removes what an interrupted change of these files left beside them. */
  sweep(paths: readonly string[]): Promise<void>;
}

/** The text a file is to have instead, and what to say of it; undefined: nothing. The file had `before`. */
export type FormatText = (
  path: string,
  text: { before: string | undefined; after: string },
  signal: AbortSignal | undefined,
) => Promise<{ text: string; note?: string | undefined } | undefined>;

export interface FilesContext extends ReadContext {
  boundary: PathBoundary;
  gate: PermissionGate;
  clock: Clock;
  limits: WorkspaceLimits;
  blobs?: Blobs | undefined;
  /** The project's own form for a text; absent: texts are written as they come. */
  format?: FormatText | undefined;
}

function describe(change: PlannedChange, [snapshot, kept]: readonly (BlobRef | undefined)[]): FileChange {
  return {
    path: change.path,
    operation: change.operation,
    before: change.before,
    after: change.after,
    bytes: change.newBytes?.length ?? 0,
    mode: change.mode,
    snapshot,
    kept,
    ...(change.notes === undefined || change.notes.length === 0 ? {} : { notes: change.notes }),
  };
}

function diffOf(path: string, before: Uint8Array | null, after: Uint8Array | null, redact: Redact): string | undefined {
  const text = (bytes: Uint8Array | null): string | undefined =>
    bytes === null ? "" : decodeText(Buffer.from(bytes))?.raw.replaceAll("\r\n", "\n");
  const [was, is] = [text(before), text(after)];
  if (was === undefined || is === undefined) return undefined;
  return unifiedDiff(redact(was), redact(is), {
    before: before === null ? "/dev/null" : `a/${path}`,
    after: after === null ? "/dev/null" : `b/${path}`,
  });
}

/** Undefined when it is no file, or too large. */
async function readWhole(absolute: string, maxBytes: number): Promise<Uint8Array | undefined> {
  await using file = await openResolved(absolute);
  const info = await file.stat();
  return info.isFile() && info.size <= maxBytes ? await file.readFile() : undefined;
}

async function removeEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeEmpty(path.join(folder, entry.name));
  try {
    await rmdir(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(systemCode(error) ?? "")) throw error;
  }
}

/** Writes changes that were worked out elsewhere, in the same order and with the same care. */
export type PlannedWriter = (changes: readonly PlannedChange[], signal?: AbortSignal) => Promise<ChangeOutcome>;

export function createFiles(context: FilesContext): { files: Files; writePlanned: PlannedWriter } {
  let last: Promise<unknown> = Promise.resolve();
  const oneAtATime = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work);
    last = run.catch(() => undefined);
    return run;
  };
  const mayRead = async (input: string, signal: AbortSignal | undefined): Promise<Refused | undefined> => {
    const found = await context.boundary.resolve(input);
    // Outside, or nothing there: working out the change says so.
    if (found.kind === "outside" || !found.exists) return undefined;
    const decision = await context.gate.decide({ kind: "read", path: found.path, absolute: found.absolute }, signal);
    return decision.kind === "allow" ? undefined : { kind: "refused", reason: decision.reason, rule: decision.rule, path: found.path };
  };
  /**
   * Works out a change. A moved file may be read under its new name, so moving needs the right to read it;
   * with `shown`, changing any file does. A failed edit quotes only what may be read.
   */
  const plan = async (
    requests: readonly FileRequest[],
    how: { shown: boolean },
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<typeof planChanges>>> => {
    for (const request of requests) {
      const source = request.kind === "move" ? request.from : how.shown ? request.path : undefined;
      const refused = source === undefined ? undefined : await mayRead(source, signal);
      if (refused !== undefined) return refused;
    }
    const planned = await planChanges(requests, context.boundary, context.limits.maxEditBytes);
    if (planned.kind === "plan") return formatted(planned.changes, requests, signal);
    if (planned.kind !== "no_match" || planned.closest === undefined) return planned;
    return (await mayRead(planned.path, signal)) === undefined ? planned : { ...planned, closest: undefined };
  };

  /** What somebody wrote takes the project's own form before anything is promised of it; what is put back or moved stays as it was. */
  const formatted = async (
    changes: PlannedChange[],
    requests: readonly FileRequest[],
    signal: AbortSignal | undefined,
  ): Promise<Extract<Awaited<ReturnType<typeof planChanges>>, { kind: "plan" }>> => {
    const written = requests.every(({ kind }) => kind === "edit" || kind === "write" || kind === "create");
    if (context.format === undefined || !written) return { kind: "plan", changes };
    const notes: string[] = [];
    const all = changes.map(async (change) => {
      const after = change.newBytes === null ? undefined : decodeText(change.newBytes);
      if (after === undefined) return change;
      const before = change.oldBytes === null ? undefined : decodeText(change.oldBytes)?.raw;
      const told = await context.format?.(change.path, { before, after: after.raw }, signal);
      if (told?.note !== undefined) notes.push(context.redact(told.note));
      const newBytes = told === undefined ? undefined : encodeText(told.text, after.format);
      return newBytes === undefined ? change : { ...change, newBytes, after: sha256(newBytes) };
    });
    const left = (await Promise.all(all)).filter((change) => change.before !== change.after);
    return { kind: "plan", changes: left, notes: [...new Set(notes)] };
  };

  const permit = async (changes: readonly PlannedChange[], signal: AbortSignal | undefined): Promise<Refused | undefined> => {
    for (const { operation, path, absolute, oldBytes, newBytes, after } of changes) {
      const change = {
        id: after ?? "none",
        diff: () => diffOf(path, oldBytes, newBytes, context.redact) ?? `${path}: ${newBytes?.length ?? 0} bytes that are no text`,
      };
      const decision = await context.gate.decide(
        { kind: "write", operation, path, absolute, bytes: newBytes?.length ?? 0, change },
        signal,
      );
      if (decision.kind === "deny") return { kind: "refused", reason: decision.reason, rule: decision.rule, path };
    }
    return undefined;
  };

  const write = async (
    changes: readonly PlannedChange[],
    signal: AbortSignal | undefined,
    notes: readonly string[] = [],
  ): Promise<ChangeOutcome> => {
    const keep = (bytes: Buffer | null) => (context.blobs === undefined || bytes === null ? undefined : context.blobs.put(bytes));
    const contents = await Promise.all(changes.map(({ oldBytes, newBytes }) => Promise.all([keep(oldBytes), keep(newBytes)])));
    signal?.throwIfAborted();
    const applied = await applyPlan(changes, context.clock);
    if (applied.kind !== "applied") return applied;
    return {
      kind: "changed",
      changes: changes.map((change, i) => describe(change, contents[i] ?? [])),
      ...(notes.length === 0 ? {} : { notes }),
    };
  };

  const apply = async (requests: readonly FileRequest[], signal?: AbortSignal): Promise<ChangeOutcome> => {
    signal?.throwIfAborted();
    const planned = await plan(requests, { shown: false }, signal);
    if (planned.kind !== "plan") return planned;
    if (planned.changes.length === 0) return { kind: "unchanged" };
    const refused = await permit(planned.changes, signal);
    if (refused !== undefined) return refused;
    return oneAtATime(async () => {
      const outcome = await write(planned.changes, signal, planned.notes);
      // An edit says what it expects to find, so it may meet a newer version; a whole-file write may not.
      if (outcome.kind !== "stale" || !requests.every((request) => request.kind === "edit" && request.expect === undefined)) return outcome;
      const again = await plan(requests, { shown: false }, signal);
      if (again.kind !== "plan") return again;
      if (again.changes.length === 0) return { kind: "unchanged" };
      const refusedNow = await permit(again.changes, signal);
      return refusedNow ?? write(again.changes, signal, again.notes);
    });
  };

  const writePlanned: PlannedWriter = async (changes, signal) => {
    if (changes.length === 0) return { kind: "unchanged" };
    return (await permit(changes, signal)) ?? (await oneAtATime(() => write(changes, signal)));
  };

  const files: Files = {
    read: (request) => readFilePage(request, context),
    async source(input, signal) {
      const found = await context.boundary.resolve(input);
      if (found.kind === "outside" || !found.exists || found.absolute !== path.resolve(context.boundary.root, input)) return undefined;
      if ((await mayRead(input, signal)) !== undefined) return undefined;
      const bytes = await readWhole(found.absolute, context.limits.maxEditBytes).catch(() => undefined);
      return bytes === undefined ? undefined : decodeText(bytes)?.raw;
    },
    async preview(requests, blobs) {
      const planned = await plan(requests, { shown: false });
      if (planned.kind !== "plan") return planned;
      if (planned.changes.length === 0) return { kind: "unchanged" };
      const changes = planned.changes.map(async (change) =>
        describe(change, [undefined, change.newBytes === null ? undefined : await blobs?.put(change.newBytes)]),
      );
      return { kind: "planned", changes: await Promise.all(changes) };
    },
    async previewDiff(requests) {
      const planned = await plan(requests, { shown: true });
      if (planned.kind !== "plan") return planned;
      if (planned.changes.length === 0) return { kind: "unchanged" };
      const diff = planned.changes
        .map((change) => diffOf(change.path, change.oldBytes, change.newBytes, context.redact) ?? `${change.path}: not text\n`)
        .join("");
      const count = (sign: RegExp): number => diff.match(sign)?.length ?? 0;
      return {
        kind: "diff",
        diff,
        added: count(/^\+(?!\+\+ )/gm),
        removed: count(/^-(?!-- )/gm),
        files: planned.changes.length,
      };
    },
    async diffFrom(path, before, after) {
      const found = await context.boundary.resolve(path);
      if (found.kind === "outside") return undefined;
      if ((await context.gate.decide({ kind: "read", path: found.path, absolute: found.absolute })).kind === "deny") return undefined;
      if (after !== undefined) return diffOf(found.path, before, after, context.redact);
      const now = found.exists ? await readWhole(found.absolute, context.limits.maxEditBytes) : null;
      return now === undefined ? undefined : diffOf(found.path, before, now, context.redact);
    },
    apply,
    async dropEmpty(folder) {
      const found = await context.boundary.resolveForWrite(folder);
      if (found.kind !== "outside" && isFolder(found.absolute)) await removeEmpty(found.absolute);
    },
    async sweep(paths) {
      for (const path of paths) {
        const found = await context.boundary.resolveForWrite(path);
        if (found.kind !== "outside") await removeLeftovers(found.absolute);
      }
    },
    async hash(path) {
      const found = await readFilePage({ path, maxLines: 1 }, { ...context, redact: (text) => text });
      if (found.kind === "text" || found.kind === "binary") return found.hash;
      return found.kind === "not_found" ? null : undefined;
    },
  };
  return { files, writePlanned };
}
