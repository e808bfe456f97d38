/** The test runner's JSON report, as far as the scripts here read it. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface TestResult {
  title: string;
  /** Titles of the groups (`describe`) around it, outermost first. */
  groups: string[];
  file: string;
  status: "passed" | "failed" | "skipped";
}

interface RawReport {
  testResults: { name: string; status: string; assertionResults: { title: string; ancestorTitles?: string[]; status: string }[] }[];
}

const REPORTS = [".reports/tests.json", ".reports/long.json"] as const;

function statusOf(raw: string): TestResult["status"] {
  return raw === "passed" || raw === "failed" ? raw : "skipped";
}

/** Reads one report; a file that failed to load counts as one failed test, so that it cannot hide. */
export function readReport(file: string): TestResult[] {
  const raw = JSON.parse(readFileSync(file, "utf8")) as RawReport;
  return raw.testResults.flatMap((suite) => {
    const tests = suite.assertionResults.map((t) => ({
      title: t.title,
      groups: t.ancestorTitles ?? [],
      file: suite.name,
      status: statusOf(t.status),
    }));
    const silent = suite.status === "failed" && tests.every((t) => t.status !== "failed");
    return silent ? [...tests, { title: "(file failed to load)", groups: [], file: suite.name, status: "failed" as const }] : tests;
  });
}

/** The reports of the last runs that exist under `root`. */
export function readReports(root: string): { results: TestResult[]; read: string[] } {
  const read = REPORTS.filter((name) => existsSync(path.join(root, name)));
  return { results: read.flatMap((name) => readReport(path.join(root, name))), read };
}

export function totalsLine(results: readonly { status: TestResult["status"] }[]): string {
  const count = (status: TestResult["status"]): number => results.filter((r) => r.status === status).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}

/** The totals, and everything that keeps them from being a success: a report that is not there says nothing about its tests. */
export function judgeTotals(root: string): { line: string; problems: string[] } {
  const { results, read } = readReports(root);
  const failed = results.filter((result) => result.status === "failed");
  return {
    line: totalsLine(results),
    problems: [
      ...REPORTS.filter((name) => !read.includes(name)).map(
        (name) => `${name} is missing; run npm ${name.includes("long") ? "run test:long" : "test"}`,
      ),
      ...failed.map((result) => `failed: ${result.title} (${path.relative(root, result.file)})`),
      ...(results.some((result) => result.status === "passed") ? [] : ["nothing passed"]),
    ],
  };
}
