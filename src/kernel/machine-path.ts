/**
 * Which folders of a search path are the machine's: not one that lies in a project, where a clone brings programs and an
 * agent's commands may put some (`node_modules/.bin`, an activated `.venv`), nor a relative one, which is whatever folder
 * one stands in. What Sylk starts for itself is looked for in the others only: no sandbox bounds it.
 */
import { realpathSync } from "node:fs";
import path from "node:path";

/** Where it really lies too: a link on either side hides nothing. */
function spellings(folder: string): string[] {
  try {
    return [path.resolve(folder), realpathSync.native(folder)];
  } catch {
    return [path.resolve(folder)];
  }
}

function isIn(dir: string, folder: string): boolean {
  // Whoever works in all of the machine has no other programs.
  if (folder === path.parse(folder).root) return false;
  return dir === folder || dir.startsWith(`${folder}${path.sep}`);
}

/** Whether nothing of these projects can stand in this folder of a search path. */
function isMachines(dir: string, projects: readonly string[]): boolean {
  if (!path.isAbsolute(dir)) return false;
  const folders = projects.flatMap(spellings);
  return !spellings(dir).some((one) => folders.some((folder) => isIn(one, folder)));
}

function without(searchPath: string, projects: readonly string[]): string {
  return searchPath
    .split(path.delimiter)
    .filter((dir) => isMachines(dir, projects))
    .join(path.delimiter);
}

/** Programs, and the libraries these load. */
const SEARCHED = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/** From here on this process starts nothing for itself that stands in one of these, be it by a package that looks a name up. */
function keepOutOf(projects: readonly string[]): void {
  for (const name of SEARCHED) {
    const searched = process.env[name];
    if (searched === undefined) continue;
    const kept = without(searched, projects);
    if (kept === "" && name !== "PATH") delete process.env[name];
    else process.env[name] = kept;
  }
}

export const machinePath = { without, isMachines, keepOutOf } as const;
