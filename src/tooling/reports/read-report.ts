/**
 * One judgement over what a tool printed and how it ended (TOO-023, FMT-069). The exit code is never
 * overruled by a parser: a failed command with a clean-looking report is a failure, and a test run
 * without tests is called that.
 */
import path from "node:path";
import type { ReportFormat } from "../discover/types.ts";
import {
  parseBiome,
  parseCargoJson,
  parseEslint,
  parseLocations,
  parsePrettier,
  parseRuff,
  parseStylish,
  parseTsc,
} from "./diagnostics.ts";
import { parseGoTest, parseGoText, parseJest, parseJunit, parseMocha, parseRspec } from "./test-reports.ts";
import { parseScriptTests } from "./script-tests.ts";
import { parseCargoTest, parsePytest, parseTap } from "./text-tests.ts";
import type { Diagnostic, ParsedReport, TestTotals } from "./types.ts";

const PARSERS: Readonly<Record<ReportFormat, (text: string) => ParsedReport | undefined>> = {
  junit: parseJunit,
  tap: parseTap,
  "jest-json": parseJest,
  "vitest-json": parseJest,
  "go-test-json": parseGoTest,
  pytest: parsePytest,
  "cargo-test": parseCargoTest,
  "cargo-json": parseCargoJson,
  tsc: parseTsc,
  "eslint-json": parseEslint,
  "biome-json": parseBiome,
  "ruff-json": parseRuff,
  "mocha-json": parseMocha,
  "rspec-json": parseRspec,
  text: parseLocations,
};

export interface ToolReport {
  verdict: "passed" | "failed" | "no_tests" | "unreadable";
  exitCode: number | null;
  tests: TestTotals | undefined;
  diagnostics: Diagnostic[];
  summary: string;
  /** The shaped output, when nothing better could be made of it. */
  raw: string | undefined;
}

export interface ReportInput {
  format: ReportFormat | undefined;
  /** The report file's content, or standard output. */
  report: string;
  exitCode: number | null;
  /** What to attach when the report cannot be read. */
  output: string;
  /** Absolute file names below it are made relative. */
  root?: string | undefined;
}

function attempt(parser: (text: string) => ParsedReport | undefined, text: string): ParsedReport | undefined {
  try {
    return parser(text);
  } catch {
    return undefined; // A parser that stumbles gives way to the next, in the end to the raw output.
  }
}

const looksLike = [
  parseScriptTests,
  ...(["junit", "jest-json", "mocha-json", "go-test-json", "cargo-test", "pytest"] as const).map((format) => PARSERS[format]),
  parseGoText,
  parseTap,
];

/** What the output of a command that is not ours says: its tests, else places with a complaint. */
function sniff(text: string, failed: boolean): ParsedReport | undefined {
  for (const parser of looksLike) {
    const found = attempt(parser, text);
    if (found?.tests !== undefined && found.tests.passed + found.tests.failed + found.tests.skipped > 0) return found;
  }
  if (!failed) return undefined;
  const named = [parseEslint, parseBiome, parseRuff, parseCargoJson, parseTsc, parseStylish, parsePrettier, parseLocations];
  return named.map((parser) => attempt(parser, text)).find((found) => (found?.diagnostics.length ?? 0) > 0);
}

function summaryOf(tests: TestTotals | undefined, errors: number, warnings: number): string {
  const parts: string[] = [];
  if (tests?.onlyFailures === true) parts.push(`${tests.failed} failed`);
  else if (tests !== undefined) parts.push(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
  if (errors > 0 || warnings > 0 || tests === undefined) parts.push(`${errors} errors, ${warnings} warnings`);
  return parts.join("; ");
}

function relativeTo(root: string | undefined, file: string | undefined): string | undefined {
  if (root === undefined || file === undefined) return file;
  const plain = file.replace(/^file:\/\//u, "").replace(/^\.\//u, "");
  if (!path.isAbsolute(plain)) return plain;
  const relative = path.relative(root, plain);
  return relative.startsWith("..") ? plain : relative;
}

export function readReport(input: ReportInput): ToolReport {
  const parsed = input.format === undefined ? sniff(input.report, input.exitCode !== 0) : attempt(PARSERS[input.format], input.report);
  const errors = parsed?.diagnostics.filter((item) => item.severity === "error").length ?? 0;
  const warnings = parsed?.diagnostics.filter((item) => item.severity === "warning").length ?? 0;
  const bad = input.exitCode !== 0;
  if (parsed === undefined) {
    const verdict = bad ? "failed" : input.format === undefined ? "passed" : "unreadable";
    return {
      verdict,
      exitCode: input.exitCode,
      tests: undefined,
      diagnostics: [],
      summary: `exit code ${input.exitCode ?? "none"}; the report could not be read`,
      raw: input.output,
    };
  }
  const { tests, diagnostics } = parsed;
  for (const item of [...diagnostics, ...(tests?.failures ?? [])]) item.file = relativeTo(input.root, item.file);
  const found = tests === undefined ? undefined : tests.passed + tests.failed + tests.skipped;
  const explained = (tests?.failures.length ?? 0) > 0 || errors > 0;
  const verdict = bad || (tests?.failed ?? 0) > 0 ? "failed" : found === 0 ? "no_tests" : "passed";
  return {
    verdict,
    exitCode: input.exitCode,
    tests,
    diagnostics,
    summary: summaryOf(tests, errors, warnings),
    raw: verdict === "failed" && !explained ? input.output : undefined,
  };
}

/** The failures in one line each, the first few: what a user would read out. */
export function headlines(report: ToolReport, max = 3): string[] {
  const at = (file: string | undefined, line: number | undefined): string =>
    file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const tests = (report.tests?.failures ?? []).map((item) => `${item.name}: ${item.message}${at(item.file, item.line)}`);
  const errors = report.diagnostics.filter((item) => item.severity === "error").map((item) => `${item.message}${at(item.file, item.line)}`);
  const all = [...tests, ...errors];
  return all.length > max ? [...all.slice(0, max), `and ${all.length - max} more`] : all;
}
