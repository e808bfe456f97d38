/**
 * A folder that stays the one that was checked. Files in it are named through its open descriptor, so
 * that another process which swaps a folder of the path for a link changes nothing about where they are.
 * Where the system has no `/proc/self/fd` the path is compared again, which leaves a gap of one call.
 */
import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, rmdir, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";

const DESCRIPTORS = "/proc/self/fd";
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);
/** How often a file may be replaced by another, as editors do, between being opened and being looked at. */
const MAX_TRIES = 5;

const elsewhere = (absolute: string): Error => Object.assign(new Error(`${absolute} leads elsewhere now`), { code: "ELOOP" });

/** Whether a descriptor holds what the path names. */
async function wayTo(handle: FileHandle, absolute: string): Promise<"same" | "replaced" | "elsewhere"> {
  if (HAS_DESCRIPTORS) {
    const now = await readlink(`${DESCRIPTORS}/${handle.fd}`);
    if (now === absolute) return "same";
    return now === `${absolute} (deleted)` ? "replaced" : "elsewhere";
  }
  const [held, named, real] = [await handle.stat(), await lstat(absolute).catch(() => undefined), await realpath(absolute).catch(() => "")];
  if (real !== absolute || named === undefined) return named === undefined ? "replaced" : "elsewhere";
  return named.ino === held.ino && named.dev === held.dev ? "same" : "replaced";
}

async function openChecked(absolute: string, flags: number): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    // A pipe put there must not make the caller wait for its other end.
    const handle = await open(absolute, flags | constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const way = await wayTo(handle, absolute);
      if (way === "same") return handle;
      if (way === "elsewhere" || tries === MAX_TRIES) throw elsewhere(absolute);
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
  }
}

/** Opens an already resolved path; fails with `ELOOP` when a part of it has become a link since. */
export function openResolved(absolute: string): Promise<FileHandle> {
  return openChecked(absolute, 0);
}

/** Names a file by the descriptor of its folder. */
const inside = (folder: FileHandle, absolute: string, name: string): string =>
  HAS_DESCRIPTORS ? `${DESCRIPTORS}/${folder.fd}/${name}` : path.join(absolute, name);

/** The way to the entries of an open folder. */
export function entriesOf(folder: FileHandle, absolute: string): string {
  return HAS_DESCRIPTORS ? `${DESCRIPTORS}/${folder.fd}` : absolute;
}

interface MadeFolder {
  parent: FileHandle;
  parentPath: string;
  /** Empty when it was there after all. */
  name: string;
}

export class HeldFolder {
  readonly absolute: string;
  readonly #handle: FileHandle;
  /** Parents of folders made on the way, to take them away again. */
  readonly #made: MadeFolder[];

  private constructor(absolute: string, handle: FileHandle, made: MadeFolder[]) {
    this.absolute = absolute;
    this.#handle = handle;
    this.#made = made;
  }

  /**
   * Holds a resolved folder. Fails with `ELOOP` when it leads elsewhere now, with `ENOENT` when it is
   * missing and is not to be made.
   */
  static async hold(absolute: string, { make }: { make: boolean }): Promise<HeldFolder> {
    const missing: string[] = [];
    let at = absolute;
    let handle: FileHandle;
    for (;;) {
      try {
        handle = await openChecked(at, constants.O_DIRECTORY);
        break;
      } catch (error) {
        const link = systemCode(error) === "ENOTDIR" && (await lstat(at).catch(() => undefined))?.isSymbolicLink() === true;
        if (link) throw elsewhere(at);
        if (!make || systemCode(error) !== "ENOENT" || at === path.dirname(at)) throw error;
        missing.unshift(path.basename(at));
        at = path.dirname(at);
      }
    }
    const made: MadeFolder[] = [];
    try {
      for (const name of missing) {
        const way = inside(handle, at, name);
        const isNew = await mkdir(way).then(
          () => true,
          (error: unknown) => {
            if (systemCode(error) === "EEXIST") return false;
            throw error;
          },
        );
        made.push({ parent: handle, parentPath: at, name: isNew ? name : "" });
        handle = await open(way, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
        at = path.join(at, name);
      }
    } catch (error) {
      const held = new HeldFolder(absolute, handle, made);
      await held.takeBack();
      await held.release();
      throw error;
    }
    return new HeldFolder(absolute, handle, made);
  }

  /** A path that leads to `name` in this very folder. */
  file(name: string): string {
    return inside(this.#handle, this.absolute, name);
  }

  /** Names of everything in it. */
  entries(): Promise<string[]> {
    return readdir(entriesOf(this.#handle, this.absolute));
  }

  /** True while the folder still stands where it was checked. */
  async isInPlace(): Promise<boolean> {
    return (await wayTo(this.#handle, this.absolute)) === "same";
  }

  /** Removes the folders made for it that are still empty. */
  async takeBack(): Promise<void> {
    for (const { parent, parentPath, name } of this.#made.toReversed())
      if (name !== "") await rmdir(inside(parent, parentPath, name)).catch(() => undefined);
  }

  /** Its entries, and those of the folders made for it, are on disk when this returns. */
  async sync(): Promise<void> {
    for (const handle of [this.#handle, ...this.#made.map(({ parent }) => parent)])
      await handle.sync().catch((error: unknown) => {
        // Some file systems cannot sync a folder; they promise nothing either way.
        if (!["EINVAL", "ENOTSUP", "EPERM", "EISDIR"].includes(systemCode(error) ?? "")) throw error;
      });
  }

  async release(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    for (const { parent } of this.#made) if (parent !== this.#handle) await parent.close().catch(() => undefined);
  }
}
