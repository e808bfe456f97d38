/**
 * Brings the index to what the project is now: new and changed files read, vanished ones removed, git
 * log followed, links made. Each batch is one transaction, so a kill at any point leaves a valid index
 * that the next run completes; a run that changes nothing costs a listing and a stat per file.
 */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { createRedactor } from "../../guard/index.ts";
import { isoTime, mapLimit, yieldToLoop, type Clock, SylkError } from "../../kernel/index.ts";
import { createCommitWriter } from "../store/commit-writer.ts";
import { createFileWriter, type FileWriter, type KnownFile } from "../store/file-writer.ts";
import { wordVectorsState } from "../text/word-vectors.ts";
import { followWordVectors } from "../store/forget-vectors.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import { openGitLog } from "./git-log.ts";
import { linkFiles } from "./link-files.ts";
import { listProject } from "./list-project.ts";
import { openParserPool } from "./parser-pool.ts";
import type { FileReport, ReadFile } from "../store/file-report.ts";
import type { IndexProgress } from "../types.ts";

export interface IndexRequest {
  root: string;
  /** Parsing threads beside the writing one. */
  threads: number;
  /** Only these paths may have changed; absent: look at everything. */
  paths?: readonly string[] | undefined;
  /** Values to redact wherever they stand, beside what looks like a secret. */
  secrets: readonly string[];
  /** Places of keys and sign-ins of the user: what lies there is not read. */
  closed: readonly string[];
}

export interface IndexReport {
  files: number;
  added: number;
  changed: number;
  removed: number;
  commits: number;
  /** Folders in which files came or went. */
  folders: string[];
  /** Files that changed while they were read, each read again. */
  passes: number;
}

export interface IndexContext {
  db: DatabaseSync;
  clock: Clock;
  onProgress: (progress: IndexProgress) => void;
  signal?: AbortSignal | undefined;
}

const INDEX_LIMITS = { statsAtOnce: 2_000, batchFiles: 100, batchChunks: 1_600, inlineFiles: 40, passes: 4, racyMs: 50, quickMs: 400 };

interface Wanted {
  path: string;
  hash: string | undefined;
}

/** Files whose size or time differ from what is known; a time too close to the last reading proves nothing. */
async function findChanged(
  root: string,
  files: readonly string[],
  known: ReadonlyMap<string, KnownFile>,
  context: IndexContext,
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const [i, file] of files.entries()) {
    if (i % INDEX_LIMITS.statsAtOnce === 0) {
      await yieldToLoop();
      context.signal?.throwIfAborted();
    }
    const before = known.get(file);
    // Asked for one by one in this thread: a promise for each costs several times what the answer does.
    const facts = before === undefined ? undefined : statSync(path.join(root, file), { throwIfNoEntry: false });
    if (facts === undefined || facts.size !== before?.size || facts.mtimeMs !== before.mtimeMs)
      wanted.push({ path: file, hash: before?.hash });
  }
  return wanted.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A file touched just before it was read may be touched again within the same tick: its time is not remembered. */
function withSafeTime<T extends { mtimeMs: number }>(file: T, nowMs: number): T {
  if (nowMs - file.mtimeMs < INDEX_LIMITS.racyMs) file.mtimeMs = -1;
  return file;
}

async function readAndWrite(
  request: IndexRequest,
  wanted: readonly Wanted[],
  writer: FileWriter,
  context: IndexContext,
): Promise<{ gone: string[]; read: string[] }> {
  const inline = wanted.length <= INDEX_LIMITS.inlineFiles || request.threads === 0;
  const pool = inline
    ? undefined
    : openParserPool({ root: request.root, secrets: request.secrets, closed: request.closed }, request.threads);
  // Loaded only when there is something to read: a look that finds nothing new stays fast.
  const readHere = inline && wanted.length > 0 ? (await import("./read-project-file.ts")).createFileReader(request) : undefined;
  const gone: string[] = [];
  const read: string[] = [];
  let batch: ReadFile[] = [];
  let chunks = 0;
  let done = 0;
  const flush = (): void => {
    if (batch.length > 0) writer.write(batch, isoTime(context.clock.now()));
    batch = [];
    chunks = 0;
  };
  const take = (report: FileReport): void => {
    const nowMs = context.clock.now();
    done += 1;
    context.onProgress({ phase: "reading", done, total: wanted.length });
    if (report.kind === "gone") gone.push(report.path);
    else if (report.kind === "same") writer.touch(withSafeTime(report, nowMs));
    else {
      read.push(report.path);
      batch.push(withSafeTime(report.file, nowMs));
      chunks += report.file.chunks.length;
      if (batch.length >= INDEX_LIMITS.batchFiles || chunks >= INDEX_LIMITS.batchChunks) flush();
    }
  };
  try {
    await mapLimit(
      wanted,
      pool?.lanes ?? 1,
      async ({ path: file, hash }) => take(await (pool?.read(file, hash) ?? readHere?.(file, hash) ?? { kind: "gone", path: file })),
      context.signal,
    );
  } finally {
    // Also when it is stopped: the next run goes on from here.
    flush();
    await pool?.[Symbol.asyncDispose]();
  }
  return { gone, read };
}

/** Files can be known without git: where it is missing or fails, there is only no history. */
function withoutGit(error: unknown): undefined {
  if (SylkError.is(error) && error.code.startsWith("GIT_")) return undefined;
  throw error;
}

async function followGit({ root, secrets }: Pick<IndexRequest, "root" | "secrets">, context: IndexContext): Promise<number> {
  const writer = createCommitWriter(context.db);
  const known = writer.known();
  const redactor = createRedactor({ knownValues: secrets });
  const redact = (text: string): string => redactor.redact(text).text;
  const log = await openGitLog({ root, clock: context.clock, known, redact, signal: context.signal }).catch(withoutGit);
  if (log === undefined || log.head === known.head) return 0;
  const write = writer.begin(log.head, log.place);
  let read = 0;
  for (;;) {
    context.onProgress({ phase: "history", done: log.read(), total: log.total() });
    const commits = await log.next();
    context.signal?.throwIfAborted();
    if (commits === undefined) break;
    await write(commits, isoTime(context.clock.now()), context.signal);
    read += commits.length;
  }
  writer.finish(log.head, log.partial());
  return log.place === "further" ? read + (await followGit({ root, secrets }, context)) : read;
}

function folderOf(file: string): string {
  const folder = path.posix.dirname(file);
  return folder === "." ? "" : folder;
}

/** The usual case of watching: a few known files were saved. Nothing else is looked at. */
async function indexSaved(
  request: IndexRequest,
  paths: readonly string[],
  known: ReadonlyMap<string, KnownFile>,
  writer: FileWriter,
  context: IndexContext,
): Promise<IndexReport> {
  const wanted = await findChanged(request.root, paths, known, context);
  if (wanted.length > 0) writeMeta(context.db, "unlinked", "1");
  const { gone, read } = await readAndWrite(request, wanted, writer, context);
  writer.remove(gone);
  if (gone.length + read.length > 0) linkFiles(context.db, gone.length > 0 ? undefined : read);
  if (wanted.length > 0) writeMeta(context.db, "unlinked", "0");
  return {
    files: writer.count(),
    added: 0,
    changed: read.length,
    removed: gone.length,
    commits: 0,
    folders: [...new Set(gone.map(folderOf))],
    passes: 1,
  };
}

export async function indexProject(request: IndexRequest, context: IndexContext): Promise<IndexReport> {
  const { db } = context;
  followWordVectors(db, wordVectorsState().name);
  const writer = createFileWriter(db);
  const wasLinked = readMeta(db, "unlinked") === "0";
  if (request.paths !== undefined && wasLinked) {
    const known = writer.known(request.paths);
    // A change of known files alone can be taken up without listing the project again.
    if (request.paths.every((file) => known.has(file) && existsSync(path.join(request.root, file))))
      return indexSaved(request, request.paths, known, writer, context);
  }
  const report: IndexReport = { files: 0, added: 0, changed: 0, removed: 0, commits: 0, folders: [], passes: 0 };
  const changed = new Set<string>();
  let moved = false;
  for (; report.passes < INDEX_LIMITS.passes; report.passes += 1) {
    context.onProgress({ phase: "listing", done: 0, total: 0 });
    const start = context.clock.monotonic();
    const known = writer.known();
    const listed = await listProject(request.root, context.clock, context.signal);
    const present = new Set(listed);
    report.files = listed.length;
    const removed = [...known.keys()].filter((file) => !present.has(file));
    const wanted = await findChanged(request.root, listed, known, context);
    if (wanted.length === 0 && removed.length === 0) break;
    writeMeta(db, "unlinked", "1");
    writer.remove(removed);
    const { gone, read } = await readAndWrite(request, wanted, writer, context);
    writer.remove(gone);
    const added = wanted.filter((file) => file.hash === undefined);
    moved ||= removed.length + gone.length + added.length > 0;
    for (const file of read) changed.add(file);
    report.folders = [...new Set([...report.folders, ...[...removed, ...added.map((file) => file.path)].map(folderOf)])];
    report.removed += removed.length;
    report.added += added.length - gone.length;
    report.changed += read.filter((file) => known.has(file)).length;
    // Another look is for what changed during a long one; after a short one the next run sees it as well.
    const few = wanted.length + removed.length <= INDEX_LIMITS.inlineFiles && wasLinked;
    if (read.length + removed.length + gone.length === 0) break;
    if (few && gone.length === 0 && context.clock.monotonic() - start < INDEX_LIMITS.quickMs) break;
  }
  report.commits = await followGit(request, context);
  if (moved || changed.size > 0 || !wasLinked) {
    context.onProgress({ phase: "linking", done: 0, total: report.files });
    // Where no file came or went, the others' imports still lead where they led.
    linkFiles(db, wasLinked && !moved ? [...changed] : undefined);
  }
  if (report.commits > 0 || moved || !wasLinked) createCommitWriter(db).refreshLiveliness();
  if (readMeta(db, "unlinked") !== "0") writeMeta(db, "unlinked", "0");
  writeMeta(db, "indexed_at", isoTime(context.clock.now()));
  return report;
}
