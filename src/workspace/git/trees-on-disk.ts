/** What work trees take on disk. Links are not followed: what they lead to is the project's own. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../kernel/index.ts";

export interface TreesOnDisk {
  folder: string;
  /** The largest first. */
  trees: { id: string; bytes: number }[];
  /** False: there are more files than are counted. */
  isWhole: boolean;
}

const MOST_FILES = 500_000;
/** Whoever works in a tree may remove something of it meanwhile. */
const GONE = new Set(["ENOENT", "ENOTDIR"]);

async function unlessGone<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (GONE.has(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** `stateDir`: where the repository was opened with its trees. */
export async function treesOnDisk(stateDir: string, signal: AbortSignal): Promise<TreesOnDisk> {
  const folder = path.join(stateDir, "trees");
  let left = MOST_FILES;
  const sizeOf = async (place: string): Promise<number> => {
    let bytes = 0;
    for (const entry of (await unlessGone(readdir(place, { withFileTypes: true }))) ?? []) {
      signal.throwIfAborted();
      if (left <= 0) break;
      left -= 1;
      const at = path.join(place, entry.name);
      bytes += entry.isDirectory() ? await sizeOf(at) : ((await unlessGone(lstat(at)))?.size ?? 0);
    }
    return bytes;
  };
  const trees: TreesOnDisk["trees"] = [];
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [])
    if (entry.isDirectory()) trees.push({ id: entry.name, bytes: await sizeOf(path.join(folder, entry.name)) });
  return { folder, trees: trees.toSorted((a, b) => b.bytes - a.bytes), isWhole: left > 0 };
}
