/**
 * Writes a plan: all files or none. New content is first written in full beside its target, so a
 * full disk is found before anything changes; each target's hash is looked at again just before it
 * is replaced; a failure half way puts back what was there.
 */
import { constants } from "node:fs";
import { access, chmod, chown, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import path from "node:path";
import { SylkError, newId, sha256, systemCode, writeError, type Clock } from "../../kernel/index.ts";
import { openResolved, type PathBoundary } from "./path-boundary.ts";
import type { PlannedChange } from "./plan-changes.ts";

export type ApplyOutcome =
  | { kind: "applied" }
  | { kind: "stale"; path: string; expected: string | null; actual: string | null }
  | { kind: "outside"; path: string; reason: string };

interface Prepared {
  change: PlannedChange;
  temp: string | undefined;
}

const replaced = (change: PlannedChange): ApplyOutcome => ({
  kind: "outside",
  path: change.path,
  reason: "its folder was replaced while it was being written",
});

async function hashNow(absolute: string): Promise<string | null> {
  try {
    await using file = await openResolved(absolute);
    return sha256(await file.readFile());
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    if (systemCode(error) === "ELOOP") return "a symbolic link";
    throw error;
  }
}

/** A folder that cannot be written is reported with the remedy before anything is tried (TOO-040). */
async function checkFolder(folder: string): Promise<void> {
  for (let at = folder; ; at = path.dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found === undefined && at !== path.dirname(at)) continue;
    if (found !== undefined && !found.isDirectory())
      throw writeError(path.join(folder, "file"), Object.assign(new Error(`${at} is a file`), { code: "ENOTDIR" }));
    try {
      await access(at, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new SylkError({
        code: "FILE_NO_PERMISSION",
        tier: "user_fixable",
        message: `${at} cannot be written (${systemCode(error) ?? "no access"})`,
        fix: `look at the folder's owner and mode with: ls -ld ${at}`,
        cause: error,
      });
    }
    return;
  }
}

async function writeTemp(change: PlannedChange, temp: string): Promise<void> {
  const bytes = change.newBytes as Buffer;
  const file = await open(temp, "wx", change.mode & 0o777);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await chmod(temp, change.mode);
  if (change.before === null || process.getuid?.() !== 0) return;
  const owner = await lstat(change.absolute).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) await chown(temp, owner.uid, owner.gid);
}

async function makeFolders(folder: string, made: string[]): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; ; at = path.dirname(at)) {
    made.push(at);
    if (at === first) return;
  }
}

async function restore(done: readonly PlannedChange[], clock: Clock): Promise<void> {
  for (const change of done.toReversed()) {
    // Someone edited it meanwhile: their version stays.
    if ((await hashNow(change.absolute)) !== change.after) continue;
    if (change.oldBytes === null) {
      await rm(change.absolute, { force: true });
      continue;
    }
    const temp = `${change.absolute}.${newId("tmp", clock.now())}`;
    await writeTemp({ ...change, newBytes: change.oldBytes }, temp);
    await rename(temp, change.absolute);
  }
}

export async function applyPlan(changes: readonly PlannedChange[], boundary: PathBoundary, clock: Clock): Promise<ApplyOutcome> {
  const prepared: Prepared[] = [];
  const done: PlannedChange[] = [];
  const folders: string[] = [];
  const undo = async (): Promise<void> => {
    await restore(done, clock);
    for (const { temp } of prepared) if (temp !== undefined) await rm(temp, { force: true });
    for (const folder of folders) await rmdir(folder).catch(() => undefined);
  };
  let current = changes[0]?.absolute ?? boundary.root;
  try {
    for (const change of changes) {
      current = change.absolute;
      const folder = path.dirname(change.absolute);
      if (!(await boundary.stillInside(change.absolute))) {
        await undo();
        return replaced(change);
      }
      await checkFolder(folder);
      if (change.newBytes === null) {
        prepared.push({ change, temp: undefined });
        continue;
      }
      await makeFolders(folder, folders);
      const temp = path.join(folder, `.${path.basename(change.absolute).slice(0, 100)}.${newId("tmp", clock.now())}`);
      prepared.push({ change, temp });
      await writeTemp(change, temp);
    }
    // Removals come last: at no instant is a moved file's content only in a temporary one.
    const ordered = [...prepared.filter(({ temp }) => temp !== undefined), ...prepared.filter(({ temp }) => temp === undefined)];
    for (const { change, temp } of ordered) {
      current = change.absolute;
      if (!(await boundary.stillInside(change.absolute))) {
        await undo();
        return replaced(change);
      }
      const actual = await hashNow(change.absolute);
      if (actual !== change.before) {
        await undo();
        return { kind: "stale", path: change.path, expected: change.before, actual };
      }
      if (temp === undefined) await rm(change.absolute);
      else await rename(temp, change.absolute);
      done.push(change);
    }
  } catch (error) {
    // Whatever the undoing meets, the reason it was needed is what the caller must hear.
    await undo().catch(() => undefined);
    throw error instanceof SylkError ? error : writeError(current, error);
  }
  return { kind: "applied" };
}

const LEFTOVER = /\.tmp_[0-9a-hjkmnp-tv-z]{26}$/;

/** Files this module writes beside their target and renames; a kill in between leaves them. */
export async function removeLeftovers(absolute: string): Promise<void> {
  const folder = path.dirname(absolute);
  const name = path.basename(absolute);
  const own = new Set([`.${name.slice(0, 100)}`, name]);
  const entries = await readdir(folder).catch(() => [] as string[]);
  for (const entry of entries)
    if (LEFTOVER.test(entry) && own.has(entry.replace(LEFTOVER, ""))) await rm(path.join(folder, entry), { force: true });
}
