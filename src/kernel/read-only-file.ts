/** Databases in places where nothing can be written: a mounted backup, a read-only image, someone else's folder. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { systemCode } from "./errors.ts";

const REFUSALS: readonly unknown[] = ["EROFS", "EACCES", "EPERM"];

function isRefused(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return false;
  } catch (error) {
    return REFUSALS.includes(systemCode(error));
  }
}

/** True when the file is there and neither it nor what stands beside it can be written. */
export function isReadOnlyFile(file: string): boolean {
  return existsSync(file) && (isRefused(file) || isRefused(path.dirname(file)));
}

/** How SQLite is to open such a file. What its log holds must count; without one the file is read as it lies. */
export function readOnlyUrl(file: string): URL {
  const url = pathToFileURL(file);
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  url.search = log === undefined || log.size === 0 ? "?immutable=1" : "?mode=ro";
  return url;
}
