import { existsSync } from "node:fs";
import path from "node:path";

/**
 * Where a program of the machine is found: never in a relative folder or among a project's packages,
 * which the project could have brought along.
 */
export function findProgram(name: string, searchPath: string): string | undefined {
  return searchPath
    .split(path.delimiter)
    .filter((dir) => path.isAbsolute(dir) && !dir.split(path.sep).includes("node_modules"))
    .map((dir) => path.join(dir, name))
    .find((file) => existsSync(file));
}
