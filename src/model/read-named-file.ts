/** Reads a file that an option or a setting names, and that may be somebody else's: a pipe is not waited for, a device not read without end. */
import { readFileSync } from "node:fs";
import { systemPaths } from "../kernel/index.ts";

export function readNamedFile(file: string): string {
  if (systemPaths.kind(file) === "other") throw new Error("it is not a regular file");
  return readFileSync(file, "utf8");
}
