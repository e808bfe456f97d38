import type { Clock } from "../../kernel/index.ts";
import { ignoredAmong } from "../../workspace/index.ts";
import { readProjectRules, type ProjectRules } from "./project-rules.ts";

/** The rules that hold in a folder, without what git ignores: what rules take in goes to a model, and what is kept out of the repository must not. */
export async function sharedProjectRules(project: string, folder: string, userDir: string, clock: Clock): Promise<ProjectRules> {
  const taken: string[] = [];
  const all = readProjectRules(project, folder, userDir, (real) => {
    taken.push(real);
    return false;
  });
  const ignored = await ignoredAmong(project, taken, clock);
  return ignored.size === 0 ? all : readProjectRules(project, folder, userDir, (real) => ignored.has(real));
}
