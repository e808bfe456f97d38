/** Test runners that write a report for machines: JUnit XML, Jest and Vitest JSON, Mocha, RSpec, `go test -json`. */
import { must } from "../../kernel/index.ts";
import { z } from "zod";
import { emptyTotals, failure, placeIn, type Diagnostic, type ParsedReport, type TestTotals } from "./types.ts";
import { parseXml, type XmlElement } from "./xml.ts";

function jsonLines(text: string): unknown[] {
  const values: unknown[] = [];
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    try {
      values.push(JSON.parse(line));
    } catch {
      // Programs print between the records; only whole records count.
    }
  }
  return values;
}

/** The outermost JSON object of a text that may have other output around it. */
export function jsonIn(text: string): unknown {
  for (const [from, to] of [
    [0, text.length],
    [text.indexOf("{"), text.lastIndexOf("}") + 1],
    [text.indexOf("["), text.lastIndexOf("]") + 1],
  ] as const) {
    if (from < 0 || to <= from) continue;
    try {
      return JSON.parse(text.slice(from, to));
    } catch {
      // Try the next cut.
    }
  }
  return undefined;
}

export function parseJunit(text: string): ParsedReport | undefined {
  const root = parseXml(text.slice(Math.max(0, text.indexOf("<"))));
  if (root === undefined || !/^testsuites?$/u.test(root.name)) return undefined;
  const totals = emptyTotals();
  let seconds = 0;
  const visit = (element: XmlElement): void => {
    if (element.name !== "testcase") {
      for (const child of element.children) visit(child);
      return;
    }
    const { name = "", classname, file, line, time } = element.attributes;
    seconds += Number(time ?? 0) || 0;
    const full = classname === undefined || classname === "" ? name : `${classname} > ${name}`;
    const bad = element.children.find((child) => child.name === "failure" || child.name === "error");
    if (bad !== undefined) {
      const body = bad.text.trim();
      const place = placeIn(body);
      totals.failed += 1;
      totals.failures.push(
        failure({
          name: full,
          file: file ?? place?.file,
          line: line === undefined ? place?.line : Number(line),
          message: bad.attributes["message"] ?? body.split("\n")[0] ?? "",
          stack: body === "" ? undefined : body,
        }),
      );
    } else if (element.children.some((child) => child.name === "skipped")) totals.skipped += 1;
    else {
      totals.passed += 1;
      totals.passedNames.push(full);
    }
  };
  visit(root);
  totals.durationMs = Math.round(Number(root.attributes["time"] ?? seconds) * 1_000) || undefined;
  return { tests: totals, diagnostics: [] };
}

const jestSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string().default(""),
      status: z.string().optional(),
      message: z.string().optional(),
      startTime: z.number().optional(),
      endTime: z.number().optional(),
      assertionResults: z.array(
        z.object({
          fullName: z.string().optional(),
          title: z.string().default(""),
          ancestorTitles: z.array(z.string()).default([]),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
          location: z.object({ line: z.number() }).nullish(),
        }),
      ),
    }),
  ),
});

/** Jest and Vitest share this shape. */
export function parseJest(text: string): ParsedReport | undefined {
  const parsed = jestSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  const totals = emptyTotals();
  for (const suite of parsed.data.testResults) {
    for (const test of suite.assertionResults) {
      const name = test.ancestorTitles.length > 0 ? [...test.ancestorTitles, test.title].join(" > ") : (test.fullName ?? test.title);
      if (test.status === "passed") {
        totals.passed += 1;
        totals.passedNames.push(name);
      } else if (test.status === "failed") {
        const stack = (test.failureMessages ?? []).join("\n");
        const place = placeIn(stack);
        totals.failed += 1;
        totals.failures.push(
          failure({
            name,
            file: suite.name || place?.file,
            // A frame of some library says nothing about the test's own file.
            line:
              test.location?.line ??
              (!suite.name || place?.file === undefined || suite.name.endsWith(place.file) ? place?.line : undefined),
            message: stack.split("\n")[0] ?? "",
            stack: stack || undefined,
            ...expectedAndActual(stack),
          }),
        );
      } else totals.skipped += 1;
    }
    // A file that cannot be loaded has no tests to fail, and must not look like success.
    if (suite.status === "failed" && suite.assertionResults.every((test) => test.status !== "failed")) {
      totals.failed += 1;
      totals.failures.push(
        failure({
          name: "test file could not be run",
          file: suite.name,
          message: (suite.message ?? "").split("\n")[0] ?? "",
          stack: suite.message,
          line: placeIn(suite.message ?? "")?.line,
        }),
      );
    }
    if (suite.startTime !== undefined && suite.endTime !== undefined)
      totals.durationMs = (totals.durationMs ?? 0) + Math.max(0, Math.round(suite.endTime - suite.startTime));
  }
  return { tests: totals, diagnostics: [] };
}

function expectedAndActual(stack: string): { expected?: string; actual?: string } {
  const expected = /^\s*Expected:?\s*(.+)$/mu.exec(stack)?.[1];
  const actual = /^\s*Received:?\s*(.+)$/mu.exec(stack)?.[1];
  return { ...(expected === undefined ? {} : { expected }), ...(actual === undefined ? {} : { actual }) };
}

const mochaTest = z.object({
  title: z.string(),
  fullTitle: z.string().optional(),
  file: z.string().nullish(),
  err: z
    .object({ message: z.string().optional(), stack: z.string().optional(), expected: z.unknown(), actual: z.unknown() })
    .partial()
    .optional(),
});
const mochaSchema = z.object({
  stats: z.object({ passes: z.number(), failures: z.number(), pending: z.number(), duration: z.number().optional() }),
  passes: z.array(mochaTest),
  failures: z.array(mochaTest),
});

const shown = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);

export function parseMocha(text: string): ParsedReport | undefined {
  const parsed = mochaSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  const { stats, passes, failures } = parsed.data;
  return {
    diagnostics: [],
    tests: {
      passed: stats.passes,
      failed: stats.failures,
      skipped: stats.pending,
      durationMs: stats.duration,
      passedNames: passes.map((test) => test.fullTitle ?? test.title),
      failures: failures.map((test) =>
        failure({
          name: test.fullTitle ?? test.title,
          file: test.file ?? placeIn(test.err?.stack ?? "")?.file,
          line: placeIn(test.err?.stack ?? "")?.line,
          message: test.err?.message ?? "",
          stack: test.err?.stack,
          expected: shown(test.err?.expected),
          actual: shown(test.err?.actual),
        }),
      ),
    },
  };
}

const rspecSchema = z.object({
  examples: z.array(
    z.object({
      full_description: z.string(),
      status: z.string(),
      file_path: z.string().optional(),
      line_number: z.number().optional(),
      exception: z.object({ message: z.string(), backtrace: z.array(z.string()).nullish() }).nullish(),
    }),
  ),
  summary: z.object({ duration: z.number().optional(), errors_outside_of_examples_count: z.number().default(0) }),
});

export function parseRspec(text: string): ParsedReport | undefined {
  const parsed = rspecSchema.safeParse(jsonIn(text));
  if (!parsed.success) return undefined;
  const totals = emptyTotals();
  for (const example of parsed.data.examples) {
    if (example.status === "passed") {
      totals.passed += 1;
      totals.passedNames.push(example.full_description);
    } else if (example.status === "failed") {
      totals.failed += 1;
      totals.failures.push(
        failure({
          name: example.full_description,
          file: example.file_path,
          line: example.line_number,
          message: example.exception?.message.trim() ?? "",
          stack: example.exception?.backtrace?.join("\n"),
        }),
      );
    } else totals.skipped += 1;
  }
  totals.failed += parsed.data.summary.errors_outside_of_examples_count;
  totals.durationMs = parsed.data.summary.duration === undefined ? undefined : Math.round(parsed.data.summary.duration * 1_000);
  return { tests: totals, diagnostics: [] };
}

const goEvent = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
  Elapsed: z.number().optional(),
});

function goFailure(name: string, pkg: string, output: string): TestTotals["failures"][number] {
  const place = /^\s+([\w./-]+\.go):(\d+): ?(.*)$/mu.exec(output);
  const message =
    place?.[3] ??
    output
      .split("\n")
      .find((line) => line.trim() !== "" && !/^\s*(=== |--- )/u.test(line))
      ?.trim() ??
    "";
  return failure({
    name: pkg === "" ? name : `${pkg} > ${name}`,
    file: place?.[1],
    line: place === null ? undefined : Number(place[2]),
    message,
    stack: output.trim() || undefined,
  });
}

/** With `-v` a test speaks before its end is told. */
function saidBefore(lines: readonly string[], name: string): string[] {
  const begin = lines.findIndex((line) => /^=== (?:RUN|CONT|NAME)\s+/u.test(line) && line.trimEnd().endsWith(` ${name}`));
  if (begin === -1) return [];
  const end = lines.findIndex((line, i) => i > begin && /^(?:=== |\s*--- )/u.test(line));
  return lines.slice(begin + 1, end === -1 ? undefined : end);
}

/** A package that does not build: each test file that is named as the reason fails as a whole; where none is, the package. */
function unbuilt(pkg: string, message: string, lines: readonly string[]): TestTotals["failures"] {
  const begin = lines.findIndex((line) => line.startsWith(`# ${pkg} `) || line === `# ${pkg}`);
  const own = lines.slice(begin + 1);
  const end = own.findIndex((line) => /^(?:#|FAIL|ok)\s/u.test(line));
  const said = begin === -1 ? [] : own.slice(0, end === -1 ? undefined : end);
  const files = new Map(
    said
      .flatMap((line) => {
        const [, file, at, why] = /^(?:vet: )?(?:\.\/)?([\w./-]+_test\.go):(\d+):\d+: (.+)$/u.exec(line) ?? [];
        return file === undefined ? [] : [[file, { at: Number(at), why: must(why) }] as const];
      })
      .toReversed(),
  );
  if (files.size === 0) return [failure({ name: pkg, message })];
  return [...files].map(([file, { at, why }]) => failure({ name: file, file, line: at, message: `${message}: ${why}` }));
}

/** What `go test` prints for people. Without `-v` nobody says how many passed. */
export function parseGoText(text: string): ParsedReport | undefined {
  if (!/^(?:FAIL|ok)\s+\S+\s+(?:\[|\(cached\)|[\d.]+s)/mu.test(text)) return undefined;
  const totals = emptyTotals();
  const lines = text.split("\n");
  const marks = lines.flatMap((line, at) => {
    const mark = /^(\s*)--- (FAIL|PASS|SKIP): (\S+) \(/u.exec(line);
    return mark === null ? [] : [{ at, depth: must(mark[1]).length, how: mark[2], name: must(mark[3]) }];
  });
  for (const [i, { at, how, name }] of marks.entries()) {
    if (how === "PASS") {
      totals.passed += 1;
      totals.passedNames.push(name);
    } else if (how === "SKIP") totals.skipped += 1;
    // A test with failing parts says nothing that they do not.
    else if (!marks.some((other) => other.how === "FAIL" && other.name.startsWith(`${name}/`))) {
      const end = lines.findIndex((line, j) => j > at && (j === marks[i + 1]?.at || /^\S/u.test(line)));
      const own = lines.slice(at + 1, end === -1 ? undefined : end);
      totals.failed += 1;
      totals.failures.push(goFailure(name, "", [...saidBefore(lines, name), ...own].join("\n")));
    }
  }
  const diagnostics: Diagnostic[] = [...text.matchAll(/^(?:vet: )?([\w./-]+\.go):(\d+):(\d+): (.+)$/gmu)].map((match) => ({
    file: match[1],
    line: Number(match[2]),
    column: Number(match[3]),
    severity: "error",
    message: must(match[4]),
    rule: undefined,
  }));
  for (const broken of text.matchAll(/^FAIL\s+(\S+) \[(build failed|setup failed)\]$/gmu)) {
    const failures = unbuilt(must(broken[1]), must(broken[2]), lines);
    totals.failed += failures.length;
    totals.failures.push(...failures);
  }
  // What is the reason of a failure is told with it.
  const others = diagnostics.filter(({ file = "" }) => !totals.failures.some(({ name }) => name === file.replace(/^\.\//u, "")));
  return { tests: { ...totals, ...(text.includes("=== RUN") ? {} : { onlyFailures: true }) }, diagnostics: others };
}

export function parseGoTest(text: string): ParsedReport | undefined {
  const events = jsonLines(text)
    .map((value) => goEvent.safeParse(value))
    .filter((event) => event.success)
    .map((event) => event.data);
  if (events.length === 0) return undefined;
  const totals = emptyTotals();
  const outputs = new Map<string, string>();
  const failedTests = new Set<string>();
  const report: ParsedReport = { tests: totals, diagnostics: [] };
  for (const event of events) {
    const pkg = event.Package ?? event.ImportPath ?? "";
    const key = `${pkg}\0${event.Test ?? ""}`;
    if (event.Action === "output" || event.Action === "build-output") {
      outputs.set(key, (outputs.get(key) ?? "") + (event.Output ?? ""));
      const broken =
        event.Action === "build-output" || event.Test === undefined
          ? /^(?:vet: )?([\w./-]+\.go):(\d+):(\d+): (.+)$/mu.exec(event.Output ?? "")
          : null;
      if (broken !== null)
        report.diagnostics.push({
          file: broken[1],
          line: Number(broken[2]),
          column: Number(broken[3]),
          severity: "error",
          message: must(broken[4]),
          rule: undefined,
        });
    } else if (event.Test === undefined) {
      // A package that fails without a failed test did not build or panicked.
      if (event.Action === "fail" && ![...failedTests].some((name) => name.startsWith(`${pkg}\0`))) {
        totals.failed += 1;
        totals.failures.push(goFailure("package", pkg, outputs.get(key) ?? ""));
      }
      if ((event.Action === "fail" || event.Action === "pass") && event.Elapsed !== undefined)
        totals.durationMs = (totals.durationMs ?? 0) + Math.round(event.Elapsed * 1_000);
    } else if (event.Action === "fail" && [...failedTests].some((name) => name.startsWith(`${key}/`))) {
      // Its parts failed, and say all of it.
      failedTests.add(key);
    } else if (event.Action === "pass") {
      totals.passed += 1;
      totals.passedNames.push(`${pkg} > ${event.Test}`);
    } else if (event.Action === "skip") totals.skipped += 1;
    else if (event.Action === "fail") {
      failedTests.add(key);
      totals.failed += 1;
      totals.failures.push(goFailure(event.Test, pkg, outputs.get(key) ?? ""));
    }
  }
  return report;
}
