/** Databases in places where nothing can be written: a mounted backup, a read-only image, someone else's folder. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { systemCode } from "../../kernel/index.ts";

const REFUSALS: readonly unknown[] = ["EROFS", "EACCES", "EPERM"];

function isRefused(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return false;
  } catch (error) {
    return REFUSALS.includes(systemCode(error));
  }
}

/**
 * How SQLite is to open a file that is there and that, or beside which, nothing can be written; undefined for every
 * other. What its log holds must count; without one the file is read as it lies.
 */
export function readOnlyUrl(file: string): URL | undefined {
  if (!existsSync(file) || !(isRefused(file) || isRefused(path.dirname(file)))) return undefined;
  const url = pathToFileURL(file);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  url.search = log === undefined || log.size === 0 ? "?immutable=1" : "?mode=ro";
  return url;
}
