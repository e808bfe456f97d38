/** A unified diff for people: whole, or the lines that changed. */
import type { Output } from "./output.ts";

export function colouredDiff(diff: string, out: Output): string {
  const styled = (line: string): string => {
    if (line.startsWith("+++ ") || line.startsWith("--- ")) return out.style("bold", line);
    if (line.startsWith("+")) return out.style("green", line);
    if (line.startsWith("-")) return out.style("red", line);
    return line.startsWith("@@") ? out.style("cyan", line) : line;
  };
  return diff.split("\n").map(styled).join("\n");
}

const MAX_LINES = 10;

/** What one step changed: hunks without the names of files, which the line above tells, and cut to a few lines. */
export function shortDiff(diff: string, truncated: boolean, out: Output): string[] {
  const lines = diff.split("\n").filter((line) => !/^(?:--- |\+\+\+ |@@ )/.test(line));
  const first = Math.max(0, lines.findIndex((line) => /^[+-]/.test(line)) - 1);
  const shown = lines.slice(first, first + MAX_LINES);
  const left = lines.slice(first + MAX_LINES).filter((line) => /^[+-]/.test(line)).length;
  const more =
    left > 0 || truncated
      ? [
          out.style(
            "dim",
            `… ${left > 0 ? `${left} more changed line${left === 1 ? "" : "s"}` : "cut"}; \`${out.word("task diff")}\` shows all`,
          ),
        ]
      : [];
  return [...shown.map((line) => colouredDiff(line, out)), ...more].map((line) => `    ${line}`);
}
