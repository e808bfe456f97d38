/**
 * The files a pattern may name when the shell expands it. The answer may hold more than the shell
 * would choose, never less: each of them is judged, so too many only means a question.
 */
import { readdirSync } from "node:fs";
import path from "node:path";

const MAX_TARGETS = 2_000;
const MAX_FOLDERS_READ = 200;

const PATTERN = /[*?[]/;

/** One part of a path as an expression. Every wildcard stands for anything: shells differ in what a `?` or a bracket takes. */
function partPattern(part: string): RegExp {
  const bracket = part.indexOf("[");
  const text = bracket === -1 ? part : `${part.slice(0, bracket)}*`;
  return new RegExp(
    `^${text
      .split(/[*?]+/)
      .map((literal) => RegExp.escape(literal))
      .join(".*")}$`,
    "su",
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not a folder, or closed: the shell finds nothing there either.
    return [];
  }
}

/** Undefined when there are too many to judge, or the pattern is written with quotes. */
export function globTargets(cwd: string, pattern: string): string[] | undefined {
  if (/['"\\]/.test(pattern)) return undefined;
  const parts = pattern.split("/").filter((part) => part !== "");
  let found = [pattern.startsWith("/") ? "/" : cwd];
  let folders = 0;
  for (const part of parts) {
    if (!PATTERN.test(part)) {
      found = found.map((folder) => path.join(folder, part));
      continue;
    }
    const wanted = partPattern(part);
    const next: string[] = [];
    for (const folder of found) {
      folders += 1;
      if (folders > MAX_FOLDERS_READ) return undefined;
      for (const name of namesIn(folder)) {
        // Bytes that are no text: such a file cannot be looked up by its name.
        if (name.includes("\uFFFD")) return undefined;
        // Hidden names are only matched by a pattern that begins with a dot.
        if (name.startsWith(".") ? part.startsWith(".") && wanted.test(name) : wanted.test(name)) next.push(path.join(folder, name));
        if (next.length > MAX_TARGETS) return undefined;
      }
    }
    found = next;
  }
  return found;
}
