/** The project's own rules for agents: `AGENTS.md`, else what other tools call it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { systemCode } from "../kernel/index.ts";

const NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

export interface ProjectRule {
  path: string;
  text: string;
}

/** Which of these rules hold a secret on disk. */
export function rulesWithSecrets(project: string, rules: readonly ProjectRule[], redact: (text: string) => string): string[] {
  return rules.flatMap((rule) => {
    const now = readRule(path.join(project, rule.path));
    return now !== undefined && redact(now) !== now ? [rule.path] : [];
  });
}

function readRule(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
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
      const text = readRule(path.join(dir, name));
      // Not there: try the next name.
      if (text === undefined) continue;
      if (text !== "") rules.push({ path: path.join(...below.slice(0, depth), name), text });
      break;
    }
  }
  return rules;
}
