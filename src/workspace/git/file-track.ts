/**
 * What a command changes in a folder: how the files stand is kept before it as a tree of git's, the one of the
 * repository or the private one of a folder without, and compared after it. What it takes to compare lies in the
 * command's own record, so whoever comes after a crash can still do it. Ignored files are not looked at.
 */
import { lstatSync, readFileSync, statSync, writeFileSync, type Stats } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isAbort, messageOf, sha256, systemCode, type Clock } from "../../kernel/index.ts";
import type { Blobs } from "../../journal/index.ts";
import type { FileChange } from "../files/files.ts";
import { openResolved } from "../files/held-folder.ts";
import type { Git } from "./git.ts";
import { splitZ, treeNow } from "./snapshot.ts";
import { parseRawDiff, type TreeChange } from "./file-diffs.ts";

/** `unknown`: what was changed and is not kept, each with the reason; empty: `files` is all. */
export interface TrackedChanges {
  files: FileChange[];
  unknown: string[];
}

export interface FileTrack {
  /** Keeps how the files stand in the record of a command that is about to run. */
  begin(record: string, signal?: AbortSignal): Promise<void>;
  /** What is different since; both contents are kept in `blobs`. Changes nothing, so it may be asked again. */
  end(record: string, blobs: Pick<Blobs, "put">, signal?: AbortSignal): Promise<TrackedChanges>;
}

const MEBIBYTE = 1024 * 1024;
const STATE_FILE = "files.json";
const MAX_FILE_BYTES = 5 * MEBIBYTE;
const MAX_TOTAL_BYTES = 20 * MEBIBYTE;
const MAX_CHANGED = 500;
const MAX_UNTRACKED = 2_000;
const MAX_SKIPPED = 2_000;
const LOOKED_AT_ONCE = 2_000;
const TIMEOUT_MS = 20_000;
const FILE = /^(?:100|000)/u;
/** Folders that tools fill for themselves, whether ignored or not. */
const TOOL_FOLDERS = [
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".tox",
  ".gradle",
  ".cache",
  ".vite",
  ".vitest",
  ".sylk",
];
const IGNORE_FILES = new Set([".gitignore", ".gitattributes"]);

const fingerprint = z.tuple([z.int(), z.number(), z.number()]);
const stateSchema = z.union([
  z.object({
    tree: z.string(),
    /** Permissions, size and time of change of every file. */
    files: z.record(z.string(), fingerprint),
    /** Files too large, or too many, to be kept. */
    skipped: z.array(z.string()),
  }),
  z.object({ problem: z.string() }),
]);
type State = z.infer<typeof stateSchema>;
type Stood = Extract<State, { tree: string }>;

/** Undefined: nothing, or nothing that may be seen. */
function standing(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

async function looked(root: string, names: readonly string[], clock: Clock): Promise<Stood["files"]> {
  const found: Stood["files"] = Object.create(null) as Stood["files"];
  for (const [i, name] of names.entries()) {
    // Many files are looked at without holding up everybody else.
    if (i % LOOKED_AT_ONCE === LOOKED_AT_ONCE - 1) await clock.sleep(0);
    const info = standing(path.join(root, name));
    if (info !== undefined) found[name] = [info.mode & 0o7777, info.size, info.mtimeMs];
  }
  return found;
}

/** The content of a file now; null: there is none, or something else stands there. */
async function readNow(file: string): Promise<{ bytes: Buffer | "too large"; mode: number } | null> {
  try {
    await using held = await openResolved(file);
    const info = await held.stat();
    if (!info.isFile()) return null;
    return { bytes: info.size > MAX_FILE_BYTES ? "too large" : await held.readFile(), mode: info.mode & 0o7777 };
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) return null;
    throw error;
  }
}

/** What git keeps of these, byte for byte as it stood in the files; what it cannot give is left out. */
async function contents(
  { git, prefix }: Pick<TrackOptions, "git" | "prefix">,
  wanted: readonly TreeChange[],
  { files }: Stood,
  signal: AbortSignal | undefined,
): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (wanted.length === 0) return found;
  const input = wanted.map(({ oldBlob }) => `${oldBlob}\n`).join("");
  const { stdout } = await git.run(["cat-file", "--batch=%(objectsize)"], { input, signal });
  let at = 0;
  for (const { path: name, oldBlob } of wanted) {
    const end = stdout.indexOf("\n", at);
    const size = Number(stdout.subarray(at, end).toString());
    const kept = stdout.subarray(end + 1, end + 1 + size);
    at = end + 1 + size + 1;
    const stood = files[name]?.[1];
    // Git may keep other line endings than the file has.
    const bytes = size === stood ? kept : (await git.run(["cat-file", "--filters", `--path=${prefix}${name}`, oldBlob], { signal })).stdout;
    if (bytes.length === stood) found.set(name, bytes);
  }
  return found;
}

export interface TrackOptions {
  /** Works in the folder that is tracked. */
  git: Git;
  /** Path of that folder inside what git looks after: empty, or ends with `/`. */
  prefix: string;
  /** Git's own lists of what to ignore do not count, only the files in the folder. */
  ownIgnores: boolean;
  clock: Clock;
}

export function createFileTrack({ git, prefix, ownIgnores, clock }: TrackOptions): FileTrack {
  /** Why it cannot be done here; found out once. */
  let trouble: string | undefined;

  const stand = (signal: AbortSignal | undefined): Promise<{ tree: string; skipped: string[] }> =>
    treeNow(git, clock, {
      signal,
      maxUntrackedBytes: MAX_FILE_BYTES,
      maxUntrackedTotalBytes: MAX_TOTAL_BYTES,
      maxUntrackedFiles: MAX_UNTRACKED,
      untracked: [
        ...(ownIgnores ? ["--exclude-per-directory=.gitignore"] : ["--exclude-standard"]),
        ...TOOL_FOLDERS.flatMap((name) => ["-x", `${name}/`]),
      ],
      timeoutMs: TIMEOUT_MS,
    });

  /** Every file of a tree that is below the folder. */
  const namesIn = async (tree: string, signal: AbortSignal | undefined): Promise<string[]> =>
    splitZ((await git.run(["ls-tree", "-r", "-z", "--name-only", tree], { signal })).stdout);

  const keep = (record: string, state: State): void =>
    writeFileSync(path.join(record, STATE_FILE), JSON.stringify(state), { mode: 0o600, flush: true });

  const stood = (record: string): { state: State; at: number } => {
    const file = path.join(record, STATE_FILE);
    try {
      return { state: stateSchema.parse(JSON.parse(readFileSync(file, "utf8"))), at: statSync(file).ctimeMs };
    } catch (error) {
      return { state: { problem: `how the files stood before is lost (${messageOf(error).split("\n")[0]})` }, at: 0 };
    }
  };

  const compare = async (
    before: Stood,
    began: number,
    blobs: Pick<Blobs, "put">,
    signal: AbortSignal | undefined,
  ): Promise<TrackedChanges> => {
    const now = await stand(signal);
    const unknown = await skippedSince(git.cwd, before, now.skipped, clock);
    if (now.tree === before.tree) return { files: [], unknown };
    const raw = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", before.tree, now.tree];
    const changes = parseRawDiff((await git.run(raw, { signal })).stdout, prefix);
    const plain = changes.filter(({ oldMode, newMode }) => FILE.test(oldMode) && FILE.test(newMode));
    for (const { path: name } of changes.filter((change) => !plain.includes(change)))
      unknown.push(`${name} (a link or a repository of its own)`);
    const few = plain.slice(0, MAX_CHANGED);
    if (plain.length > few.length) unknown.push(`${plain.length - few.length} more files`);
    const ignoring = changes.some((change) => IGNORE_FILES.has(path.basename(change.path)));
    const hadBefore = few.filter(({ status, path: name }) => status !== "added" && (before.files[name]?.[1] ?? 0) <= MAX_FILE_BYTES);
    const old = await contents({ git, prefix }, hadBefore, before, signal);
    const files: FileChange[] = [];
    let total = 0;
    for (const { path: name, status } of few) {
      const absolute = path.join(git.cwd, name);
      const is = await readNow(absolute);
      if (status === "added") {
        const info = standing(absolute);
        if (is === null || info === undefined) continue;
        // It was there all the time, and only now it is looked at.
        if (info.ctimeMs < began) continue;
        if (before.skipped.includes(name) || (ignoring && info.birthtimeMs < began)) {
          unknown.push(`${name} (what it was before was not kept)`);
          continue;
        }
      }
      const was = status === "added" ? null : old.get(name);
      const size = (was?.length ?? 0) + (is?.bytes.length ?? 0);
      if (was === undefined || is?.bytes === "too large" || total + size > MAX_TOTAL_BYTES) {
        unknown.push(`${name} (too large, or not kept)`);
        continue;
      }
      total += size;
      const [mode] = before.files[name] ?? [undefined];
      const change = await describeChange(name, was, is === null ? null : { ...is, bytes: is.bytes }, mode, blobs);
      if (change !== undefined) files.push(change);
    }
    return { files, unknown };
  };

  return {
    async begin(record, signal) {
      if (trouble !== undefined) return keep(record, { problem: trouble });
      try {
        const { tree, skipped } = await stand(signal);
        if (skipped.length > MAX_SKIPPED)
          throw new Error(`there are more than ${MAX_UNTRACKED + MAX_SKIPPED} files that git does not know`);
        keep(record, { tree, skipped, files: await looked(git.cwd, [...(await namesIn(tree, signal)), ...skipped], clock) });
      } catch (error) {
        if (isAbort(error) || signal?.aborted === true) throw error;
        trouble = messageOf(error);
        keep(record, { problem: trouble });
      }
    },
    async end(record, blobs, signal) {
      const { state, at } = stood(record);
      if ("problem" in state) return { files: [], unknown: [state.problem] };
      try {
        return await compare(state, at, blobs, signal);
      } catch (error) {
        if (isAbort(error) || signal?.aborted === true) throw error;
        return { files: [], unknown: [messageOf(error)] };
      }
    },
  };
}

/** Files that are not kept, and are not as they were. */
async function skippedSince(root: string, before: Stood, now: readonly string[], clock: Clock): Promise<string[]> {
  const names = [...new Set([...before.skipped, ...now])];
  const is = await looked(root, names, clock);
  const same = (name: string): boolean => JSON.stringify(before.files[name]) === JSON.stringify(is[name]);
  return names.filter((name) => !same(name)).map((name) => `${name} (too large, one of too many, or not readable)`);
}

async function describeChange(
  name: string,
  was: Buffer | null,
  is: { bytes: Buffer; mode: number } | null,
  oldMode: number | undefined,
  blobs: Pick<Blobs, "put">,
): Promise<FileChange | undefined> {
  const [before, after] = [was === null ? null : sha256(was), is === null ? null : sha256(is.bytes)];
  const mode = oldMode ?? is?.mode ?? 0o644;
  const newMode = was !== null && is !== null && is.mode !== mode ? is.mode : undefined;
  if (before === after && newMode === undefined) return undefined;
  return {
    path: name,
    operation: was === null ? "create" : is === null ? "delete" : "modify",
    before,
    after,
    bytes: is?.bytes.length ?? 0,
    mode,
    ...(newMode === undefined ? {} : { newMode }),
    snapshot: was === null ? undefined : await blobs.put(was),
    kept: is === null ? undefined : await blobs.put(is.bytes),
  };
}
