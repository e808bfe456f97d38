/**
 * Where agents' memory stands: private, or beside the code when the project shares it, nobody leads elsewhere and the
 * user trusts what is there. A memory somebody else wrote is neither read nor mixed with ours before that.
 */
import { lstatSync } from "node:fs";
import path from "node:path";
import { SylkError, type ProjectDirs } from "../kernel/index.ts";

export function memoryPlace(project: ProjectDirs, place: "private" | "project", isTrusted: () => boolean): string {
  const hidden = path.join(project.private, "memory");
  if (place === "private") return hidden;
  const folder = path.join(project.root, "memory");
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return isTrusted() ? folder : hidden;
  throw new SylkError({
    code: "MEMORY_PLACE",
    tier: "user_fixable",
    message: `${folder} is not a folder of this project, so memory is not kept there`,
    fix: "remove it, or `sylk config set memory.place private --local`",
  });
}
