/** What any test run, linter or compiler said, in one shape (TOO-029, FMT-046). */
import { must } from "../../kernel/index.ts";
export interface TestFailure {
  name: string;
  file: string | undefined;
  line: number | undefined;
  message: string;
  expected: string | undefined;
  actual: string | undefined;
  stack: string | undefined;
}

export interface TestTotals {
  passed: number;
  failed: number;
  skipped: number;
  durationMs: number | undefined;
  failures: TestFailure[];
  /** How many passed is not told. */
  onlyFailures?: true;
  /** Names of the tests that passed, where the format tells them. */
  passedNames: string[];
}

export interface Diagnostic {
  file: string | undefined;
  line: number | undefined;
  column: number | undefined;
  severity: "error" | "warning" | "info";
  message: string;
  rule: string | undefined;
}

export interface ParsedReport {
  tests?: TestTotals | undefined;
  diagnostics: Diagnostic[];
}

export function failure(part: Partial<TestFailure> & { name: string }): TestFailure {
  return { file: undefined, line: undefined, message: "", expected: undefined, actual: undefined, stack: undefined, ...part };
}

export function emptyTotals(): TestTotals {
  return { passed: 0, failed: 0, skipped: 0, durationMs: undefined, failures: [], passedNames: [] };
}

/** First place in a stack trace or message that names a file of the project. */
export function placeIn(text: string): { file: string; line: number } | undefined {
  for (const match of text.matchAll(/(?:^|[\s("'@])(?:file:\/\/)?((?:\.{0,2}\/)?[\w@./-]+\.\w{1,5})(?::(\d+)|", line (\d+))/gmu)) {
    const file = must(match[1]);
    if (!/node_modules|^node:|internal\//u.test(file)) return { file, line: Number(match[2] ?? match[3]) };
  }
  return undefined;
}
