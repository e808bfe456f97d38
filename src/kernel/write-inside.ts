/**
 * Writes a file of Sylk's own into somebody's folder: every folder on the way is held while it is gone through, and a
 * link in place of one is not followed, whatever is put there meanwhile.
 */
import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { writeError, writeFileAtomic } from "./atomic-file.ts";
import { SylkError, systemCode } from "./errors.ts";

const DESCRIPTORS = "/proc/self/fd";
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
const LINKED = new Set(["ELOOP", "ENOTDIR"]);

/** Does `work` with a way to the folder; folders that are missing are made. */
function holding<T>(root: string, folder: string, work: (way: string) => T): T {
  const held = [openSync(root, FOLDER)];
  let at = root;
  const wayTo = (name: string): string => (HAS_DESCRIPTORS ? `${DESCRIPTORS}/${held.at(-1)}/${name}` : path.join(at, name));
  try {
    for (const name of folder.split(path.sep).filter((part) => part !== "" && part !== ".")) {
      const way = wayTo(name);
      at = path.join(at, name);
      try {
        mkdirSync(way);
      } catch (error) {
        if (systemCode(error) !== "EEXIST") throw writeError(at, error);
      }
      held.push(openFolder(way, at));
    }
    return work(wayTo("."));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

function openFolder(way: string, shown: string): number {
  try {
    return openSync(way, FOLDER | constants.O_NOFOLLOW);
  } catch (error) {
    if (!LINKED.has(systemCode(error) ?? "")) throw writeError(shown, error);
    throw new SylkError({
      code: "FILE_WRITE_FAILED",
      tier: "user_fixable",
      message: `${shown} is a link or no folder; nothing is written through it`,
      fix: "put a folder in its place, or remove it",
      cause: error,
    });
  }
}

/** `file` is relative to `root`. */
export function writeInside(root: string, file: string, data: string | Uint8Array, { sync = true }: { sync?: boolean } = {}): void {
  const shown = path.join(root, file);
  holding(root, path.dirname(file), (way) => writeFileAtomic(path.join(way, path.basename(file)), data, { sync, shown }));
}
