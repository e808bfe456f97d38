/** The folder of a place; the one way from a place to the file system. */
import path from "node:path";
import type { Place } from "../protocol/index.ts";

/** The project as a whole. */
export const PROJECT: Place = { kind: "project", folder: "." };

export function placeFolder(projectDir: string, place: Place): string {
  return place.kind === "tree" ? place.folder : path.resolve(projectDir, place.folder);
}
