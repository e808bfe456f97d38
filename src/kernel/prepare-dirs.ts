import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { systemCode } from "./errors.ts";
import { noPlace } from "./no-place.ts";

/**
 * Before the first file of Sylk's own is written. Where a folder can be made in none of the usual ways (below `/proc`),
 * Node would try without end; a folder that may merely not be written to is told of by whoever needs to.
 */
export function prepareDirs(folders: readonly string[]): void {
  for (const dir of folders) {
    let missing: string | undefined;
    let at = dir;
    for (; !existsSync(at) && at !== path.dirname(at); at = path.dirname(at)) missing = at;
    if (!statSync(at).isDirectory()) throw noPlace(`${at} is a file, and ${dir} cannot be made`);
    if (missing === undefined) continue;
    try {
      mkdirSync(missing, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) === "ENOENT") throw noPlace(`${dir} cannot be made`, error);
    }
  }
}
