import { existsSync } from "node:fs";
import path from "node:path";
import { findProject, systemPaths } from "../../kernel/index.ts";

/** A path as a user types it, relative to where they are or to the project, as the project names it. */
export function projectPath(cwd: string, given: string): string {
  const root = findProject(cwd, systemPaths.dirs(), systemPaths.home());
  const [here, whole] = [path.resolve(cwd, given), path.resolve(root, given)];
  const found = existsSync(here) || !existsSync(whole) ? here : whole;
  const inside = path.relative(root, found).replaceAll(path.sep, "/");
  return inside.startsWith("../") || path.isAbsolute(inside) ? given : inside;
}
