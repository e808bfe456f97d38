/** The project's own rules for agents: `AGENTS.md`, else what other tools call it. */
import { readFileSync } from "node:fs";
import path from "node:path";

const NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

export interface ProjectRule {
  path: string;
  text: string;
}

/** Rules that hold in `folder`: the project's own first, nearer ones after it. */
export function readProjectRules(project: string, folder: string = project): ProjectRule[] {
  const rules: ProjectRule[] = [];
  const below = path
    .relative(project, folder)
    .split(path.sep)
    .filter((part) => part !== "" && part !== "..");
  for (let depth = 0; depth <= below.length; depth += 1) {
    const dir = path.join(project, ...below.slice(0, depth));
    for (const name of NAMES) {
      try {
        const text = readFileSync(path.join(dir, name), "utf8").trim();
        if (text !== "") rules.push({ path: path.join(...below.slice(0, depth), name), text });
        break;
      } catch {
        // Not there: try the next name.
      }
    }
  }
  return rules;
}
