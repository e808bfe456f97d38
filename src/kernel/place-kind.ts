import { statSync } from "node:fs";

/**
 * What stands at a place, links followed. Undefined where nothing does, and where the system does not tell: places come
 * from anybody's words, and a name may be too long, lead in a circle or hold what no name may.
 */
export function placeKind(place: string): "file" | "folder" | "other" | undefined {
  try {
    const found = statSync(place, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
  } catch {
    return undefined;
  }
}
