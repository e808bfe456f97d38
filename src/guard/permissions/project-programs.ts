/**
 * A name on a safe list means the machine's program. A search path may lead through folders that a clone or an agent
 * can fill: what is found there under that name is any program.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { systemPaths } from "../../kernel/index.ts";
import type { Place } from "./decide-reads.ts";

/** The first place of the project's where a search for this name may end; undefined: it ends at the machine's. */
export function projectsProgram({ context, folders, lost, bringsPrograms }: Place, name: string): string | undefined {
  const { programs } = context;
  if (programs === undefined || name.includes("/")) return undefined;
  for (const dir of programs.searchPath.split(path.delimiter)) {
    const isForeign = !systemPaths.machine.isMachines(dir, programs.anybodys) || dir.split(path.sep).includes("node_modules");
    const places = folders.map((cwd) => path.resolve(cwd, dir, name));
    const found = places.find((place) => existsSync(place));
    // The same line may put it there first, or go where it lies.
    if (isForeign && (found !== undefined || bringsPrograms || (lost && !path.isAbsolute(dir)))) return found ?? path.join(dir, name);
    if (found !== undefined) return undefined;
  }
  return undefined;
}
