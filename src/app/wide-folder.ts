/** The root of the system and a home folder hold far more than a project: nothing is done there until a user says so. */
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { SylkError, type ProjectDirs } from "../kernel/index.ts";

function isWide({ project }: ProjectDirs, home: string): boolean {
  return project === path.parse(project).root || (existsSync(home) && project === realpathSync(home));
}

/** The same project; in such a folder it cannot be claimed, and so not worked in, unless `sylk init` made it known. */
export function unlessWide(project: ProjectDirs, home: string): ProjectDirs {
  if (!isWide(project, home) || existsSync(path.join(project.private, "project.json"))) return project;
  return {
    ...project,
    claim() {
      throw new SylkError({
        code: "PROJECT_TOO_WIDE",
        tier: "user_fixable",
        message: `${project.project} is no project: it would all be read, and could all be changed`,
        fix: "go to a project's folder or name one with -C; `sylk init` here makes it one all the same",
      });
    },
  };
}
