/** Which problems an edit brought: those that nothing said of the text before. Lines may have moved. */
import type { ServerDiagnostic } from "./answers.ts";

export interface CodeProblem {
  path: string;
  /** From 1. */
  line: number;
  severity: "error" | "warning";
  message: string;
  code: string | undefined;
}

const SEVERITIES = new Map([
  [1, "error"],
  [2, "warning"],
] as const);

/** The same words about the same line are the same problem, wherever the line stands. */
function keyOf(lines: readonly string[], { severity, code, message, range }: ServerDiagnostic): string {
  return `${severity ?? 1} ${code ?? ""} ${message} ${(lines[range.start.line] ?? "").trim()}`;
}

export function newProblems(edit: {
  path: string;
  was: string;
  now: string;
  before: readonly ServerDiagnostic[];
  after: readonly ServerDiagnostic[];
}): CodeProblem[] {
  const lines = edit.now.split("\n");
  const old = edit.was.split("\n");
  const known = new Map<string, number>();
  for (const one of edit.before) known.set(keyOf(old, one), (known.get(keyOf(old, one)) ?? 0) + 1);
  const told = new Set<string>();
  return edit.after.flatMap((one): CodeProblem[] => {
    const key = keyOf(lines, one);
    const left = known.get(key) ?? 0;
    const severity = SEVERITIES.get((one.severity ?? 1) as 1 | 2);
    // Two servers, or one twice, may say the same of the same place.
    const place = `${one.range.start.line}:${one.range.start.character} ${one.message}`;
    if (left > 0) known.set(key, left - 1);
    if (left > 0 || severity === undefined || told.has(place)) return [];
    told.add(place);
    const code = one.code === undefined ? undefined : String(one.code);
    return [{ path: edit.path, line: one.range.start.line + 1, severity, message: one.message, code }];
  });
}
