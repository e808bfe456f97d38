/**
 * Writes a plan: all files or none. New content is first written in full beside its target, so a
 * full disk is found before anything changes; each target's hash is looked at again just before it
 * is replaced; a failure half way puts back what was there.
 */
import { constants } from "node:fs";
import { access, chown, lstat, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { SylkError, sha256, systemCode, tempFiles, writeError, type Clock } from "../../kernel/index.ts";
import { HeldFolder } from "./held-folder.ts";
import type { PlannedChange } from "./plan-changes.ts";

export type ApplyOutcome =
  | { kind: "applied" }
  | { kind: "stale"; path: string; expected: string | null; actual: string | null }
  | { kind: "outside"; path: string; reason: string };

interface Prepared {
  change: PlannedChange;
  folder: HeldFolder;
  /** Names in the folder. */
  name: string;
  temp: string | undefined;
}

const replaced = (change: PlannedChange): ApplyOutcome => ({
  kind: "outside",
  path: change.path,
  reason: "its folder was replaced while it was being written",
});

/** `way` leads through a folder that is held, so only its last part can be a link. */
async function hashNow(way: string): Promise<string | null> {
  try {
    await using file = await open(way, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return sha256(await file.readFile());
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    if (systemCode(error) === "ELOOP") return "a symbolic link";
    throw error;
  }
}

/** A folder that cannot be written is reported with the remedy before anything is tried (TOO-040). */
/** As a user types it in a shell. */
function typeable(file: string): string {
  return /^[\w@%+=:,./-]+$/u.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

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
        fix: `look at the folder's owner and mode with: ls -ld ${typeable(at)}`,
        cause: error,
      });
    }
    return;
  }
}

async function writeTemp(change: PlannedChange, folder: HeldFolder, temp: string): Promise<void> {
  const bytes = change.newBytes as Buffer;
  const file = await open(folder.file(temp), "wx", change.mode & 0o777);
  try {
    await file.writeFile(bytes);
    await file.chmod(change.mode);
    await file.sync();
  } finally {
    await file.close();
  }
  if (change.before === null || process.getuid?.() !== 0) return;
  const owner = await lstat(folder.file(path.basename(change.absolute))).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) await chown(folder.file(temp), owner.uid, owner.gid);
}

async function restore(done: readonly Prepared[], clock: Clock): Promise<void> {
  for (const { change, folder, name } of done.toReversed()) {
    // Someone edited it meanwhile: their version stays.
    if ((await hashNow(folder.file(name))) !== change.after) continue;
    if (change.oldBytes === null) {
      await rm(folder.file(name), { force: true });
      continue;
    }
    const temp = tempFiles.nameFor(name, clock.now());
    await writeTemp({ ...change, newBytes: change.oldBytes }, folder, temp);
    await rename(folder.file(temp), folder.file(name));
  }
}

/** The folder of a change, or why it cannot be used. */
async function holdFor(change: PlannedChange, held: Map<string, HeldFolder>): Promise<HeldFolder | ApplyOutcome> {
  const absolute = path.dirname(change.absolute);
  const known = held.get(absolute);
  if (known !== undefined) return known;
  await checkFolder(absolute);
  try {
    const folder = await HeldFolder.hold(absolute, { make: change.newBytes !== null });
    held.set(absolute, folder);
    await removeDead(folder);
    return folder;
  } catch (error) {
    if (systemCode(error) === "ELOOP") return replaced(change);
    if (systemCode(error) === "ENOENT" && change.newBytes === null)
      return { kind: "stale", path: change.path, expected: change.before, actual: null };
    throw error;
  }
}

export async function applyPlan(changes: readonly PlannedChange[], clock: Clock): Promise<ApplyOutcome> {
  const prepared: Prepared[] = [];
  const done: Prepared[] = [];
  const held = new Map<string, HeldFolder>();
  const undo = async (): Promise<void> => {
    await restore(done, clock);
    for (const { temp, folder } of prepared) if (temp !== undefined) await rm(folder.file(temp), { force: true });
    for (const folder of [...held.values()].toReversed()) await folder.takeBack();
  };
  let current = changes[0]?.absolute ?? "the files";
  try {
    for (const change of changes) {
      current = change.absolute;
      const folder = await holdFor(change, held);
      if (!(folder instanceof HeldFolder)) {
        await undo();
        return folder;
      }
      const name = path.basename(change.absolute);
      const temp = change.newBytes === null ? undefined : tempFiles.nameFor(name, clock.now());
      prepared.push({ change, folder, name, temp });
      if (temp !== undefined) await writeTemp(change, folder, temp);
    }
    // Removals come last: at no instant is a moved file's content only in a temporary one.
    const ordered = [...prepared.filter(({ temp }) => temp !== undefined), ...prepared.filter(({ temp }) => temp === undefined)];
    for (const one of ordered) {
      const { change, folder, name, temp } = one;
      current = change.absolute;
      if (!(await folder.isInPlace())) {
        await undo();
        return replaced(change);
      }
      const actual = await hashNow(folder.file(name));
      if (actual !== change.before) {
        await undo();
        return { kind: "stale", path: change.path, expected: change.before, actual };
      }
      if (temp === undefined) await rm(folder.file(name));
      else await rename(folder.file(temp), folder.file(name));
      done.push(one);
    }
    // What is told as done must not come undone with the power.
    for (const folder of held.values()) await folder.sync();
  } catch (error) {
    // Whatever the undoing meets, the reason it was needed is what the caller must hear.
    await undo().catch(() => undefined);
    throw error instanceof SylkError ? error : writeError(current, error);
  } finally {
    for (const folder of held.values()) await folder.release();
  }
  return { kind: "applied" };
}

/** Files this module writes beside their target and renames; a kill in between leaves them. */
async function removeDead(folder: HeldFolder, target?: string): Promise<void> {
  for (const entry of await folder.entries()) if (tempFiles.isDead(entry, target)) await rm(folder.file(entry), { force: true });
}

/** The same where nothing is to be written any more. */
export async function removeLeftovers(absolute: string): Promise<void> {
  const folder = await HeldFolder.hold(path.dirname(absolute), { make: false }).catch(() => undefined);
  if (folder === undefined) return;
  try {
    await removeDead(folder, path.basename(absolute)).catch(() => undefined);
  } finally {
    await folder.release();
  }
}
