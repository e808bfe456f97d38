/**
 * The project's own rules for agents: `AGENTS.md`, else what other tools call it. Somebody else's text: read
 * only where it is a regular file of the project, and never from what must not leave the machine.
 */
import path from "node:path";
import { fileSensitivity } from "../../guard/index.ts";
import { projectFile } from "../../kernel/index.ts";

const NAMES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
const MAX_RULE_BYTES = 256 * 1024;

export interface ProjectRule {
  path: string;
  text: string;
}

/** Which of these rules hold a secret on disk. */
export function rulesWithSecrets(project: string, rules: readonly ProjectRule[], redact: (text: string) => string): string[] {
  return rules.flatMap((rule) => {
    const now = readRule(project, rule.path);
    return now?.text !== undefined && redact(now.text) !== now.text ? [rule.path] : [];
  });
}

/** Undefined: there is none. */
function readRule(project: string, file: string): { text: string } | { text: undefined; reason: string } | undefined {
  const found = projectFile.read(project, file, { maxBytes: MAX_RULE_BYTES });
  if (found.kind === "none") return undefined;
  if (found.kind === "refused") return { text: undefined, reason: found.reason };
  if (fileSensitivity(found.real).handling === "skip") return { text: undefined, reason: `leads to ${found.real}, which is never shown` };
  if (!found.cut) return { text: found.text.trim() };
  const whole = found.text.slice(0, found.text.lastIndexOf("\n") + 1).trim();
  return { text: `${whole}\n\n(The file is longer; its first ${MAX_RULE_BYTES / 1024} KiB are shown.)` };
}

function foldersBetween(project: string, folder: string): string[] {
  const relative = path.relative(project, folder);
  // A work tree lies elsewhere; the project's own rules hold in it.
  const below = relative.startsWith("..") ? [] : relative.split(path.sep).filter((part) => part !== "");
  return [".", ...below.map((_part, i) => path.join(...below.slice(0, i + 1)))];
}

export interface ProjectRules {
  rules: ProjectRule[];
  /** Rule files that are there and were not read. */
  refused: { path: string; reason: string }[];
}

/** Rules that hold in `folder`: the project's own first, nearer ones after it. */
export function readProjectRules(project: string, folder: string = project): ProjectRules {
  const found: ProjectRules = { rules: [], refused: [] };
  for (const dir of foldersBetween(project, folder)) {
    for (const name of NAMES) {
      const file = path.join(dir, name);
      const rule = readRule(project, file);
      // Not there or not to be read: try the next name.
      if (rule === undefined) continue;
      if (rule.text === undefined) {
        found.refused.push({ path: file, reason: rule.reason });
        continue;
      }
      if (rule.text !== "") found.rules.push({ path: file, text: rule.text });
      break;
    }
  }
  return found;
}
