/**
 * The regular files below a folder, as paths with `/` relative to it. Links are not followed, neither to files nor
 * to folders: a link to a folder above would otherwise lead round and round.
 */
import { readdirSync } from "node:fs";
import path from "node:path";

/** Stops after `most` entries, so that nobody can be kept busy with endless folders; `whole` tells whether it did not. */
export function filesBelow(folder: string, most: number): { files: string[]; whole: boolean } {
  const files: string[] = [];
  const open = [""];
  let seen = 0;
  for (let at = open.shift(); at !== undefined; at = open.shift())
    for (const entry of readdirSync(path.join(folder, at), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if ((seen += 1) > most) return { files, whole: false };
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) open.push(name);
      else if (entry.isFile()) files.push(name);
    }
  return { files, whole: true };
}
