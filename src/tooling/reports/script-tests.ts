/** What Vitest, Jest, Mocha and `node --test` print for people, when nobody asked for a report. */
import { must } from "../../kernel/index.ts";
import { emptyTotals, failure, placeIn, type ParsedReport, type TestTotals } from "./types.ts";

const counted = (text: string, word: string): number => Number(new RegExp(`(\\d+) ${word}`, "u").exec(text)?.[1] ?? 0);

function vitest(text: string): TestTotals | undefined {
  const tests = /^\s*Tests\s+(?=.*(?:passed|failed|skipped|todo))(.+?)(?: \((\d+)\))?\s*$/mu.exec(text);
  const files = /^\s*Test Files\s+(.+)$/mu.exec(text);
  if (files === null) return undefined;
  const sums = tests?.[1] ?? "";
  const totals = {
    ...emptyTotals(),
    passed: counted(sums, "passed"),
    failed: counted(sums, "failed"),
    skipped: counted(sums, "skipped") + counted(sums, "todo"),
  };
  for (const match of text.matchAll(/^\s*FAIL\s+(\S+)(?: > (.+?)| \[.*\])?\n([\s\S]*?)(?=^⎯{5,}|^\s*FAIL\s|^\s*Test Files)/gmu)) {
    const body = must(match[3]).trim();
    const place = /^ ❯ (?:\S+ )?(\S+?):(\d+):\d+$/mu.exec(body);
    const whole = match[2] === undefined;
    if (whole) totals.failed += 1;
    const expected = /^- {1,3}(?!Expected)(.+)$/mu.exec(body)?.[1];
    const actual = /^\+ {1,3}(?!Received)(.+)$/mu.exec(body)?.[1];
    totals.failures.push(
      failure({
        name: whole ? "test file could not be run" : must(match[2]),
        file: match[1],
        line: place === null ? undefined : Number(place[2]),
        message: body.split("\n")[0] ?? "",
        expected,
        actual,
        stack: body,
      }),
    );
  }
  return totals;
}

function jest(text: string): TestTotals | undefined {
  const sums = /^Tests:\s+(?=.*total)(.+)$/mu.exec(text)?.[1];
  if (sums === undefined) return undefined;
  const totals = {
    ...emptyTotals(),
    passed: counted(sums, "passed"),
    failed: counted(sums, "failed"),
    skipped: counted(sums, "skipped") + counted(sums, "todo"),
  };
  // After many suites it tells every failure a second time.
  const told = text.slice(Math.max(0, text.search(/^Summary of all failing tests$/mu)));
  for (const match of told.matchAll(/^\s*● (.+)\n\n([\s\S]*?)(?=^\s*● |^(?:PASS|FAIL|Test Suites:|Tests:)\s)/gmu)) {
    const body = must(match[2]).trim();
    const whole = /^Test suite failed to run$/u.test(must(match[1]));
    if (whole) totals.failed += 1;
    const place = placeIn(/\n\s+at .*$/su.exec(body)?.[0] ?? body);
    const part = (word: string): string | undefined => new RegExp(`^\\s*${word}:? +(.+)$`, "mu").exec(body)?.[1];
    totals.failures.push(
      failure({
        name: must(match[1]).replaceAll(" › ", " > "),
        file: place?.file,
        line: place?.line,
        message: body.split("\n")[0] ?? "",
        expected: part("Expected"),
        actual: part("Received"),
        stack: body,
      }),
    );
  }
  return totals;
}

function mocha(text: string): TestTotals | undefined {
  const passing = /^\s*(\d+) passing\b/mu.exec(text)?.[1];
  const failing = /^\s*(\d+) failing\s*$/mu.exec(text);
  if (passing === undefined && failing === null) return undefined;
  const totals = {
    ...emptyTotals(),
    passed: Number(passing ?? 0),
    failed: Number(failing?.[1] ?? 0),
    skipped: Number(/^\s*(\d+) pending\s*$/mu.exec(text)?.[1] ?? 0),
  };
  const rest = failing === null ? "" : text.slice(failing.index);
  for (const match of rest.matchAll(/^\s+\d+\) (.+(?:\n[^\S\n]{3,}\S.*)*?):\n\n?([\s\S]*?)(?=^\s+\d+\) |(?![\s\S]))/gmu)) {
    const body = must(match[2]).trim();
    const place = placeIn(body);
    totals.failures.push(
      failure({
        name: must(match[1])
          .split("\n")
          .map((part) => part.trim())
          .join(" > "),
        file: place?.file,
        line: place?.line,
        message: body.split("\n")[0] ?? "",
        stack: body,
      }),
    );
  }
  return totals;
}

/** The default reporter of `node --test`: `ℹ tests 3`, `✖ name (1.2ms)`. */
function nodeTest(text: string): TestTotals | undefined {
  const sum = (word: string): string | undefined => new RegExp(`^ℹ ${word} (\\d+)`, "mu").exec(text)?.[1];
  const tests = sum("tests");
  if (tests === undefined) return undefined;
  const totals = {
    ...emptyTotals(),
    passed: Number(sum("pass") ?? 0),
    // A test that took too long, or never ended, is called cancelled.
    failed: Number(sum("fail") ?? 0) + Number(sum("cancelled") ?? 0),
    skipped: Number(sum("skipped") ?? 0) + Number(sum("todo") ?? 0),
    durationMs: Math.round(Number(/^ℹ duration_ms ([\d.]+)/mu.exec(text)?.[1] ?? 0)),
  };
  const details = text.slice(Math.max(0, text.indexOf("✖ failing tests:")));
  for (const match of details.matchAll(/^test at (\S+?):(\d+):\d+\n✖ (.+?) \([\d.]+ms\)\n([\s\S]*?)(?=^test at |(?![\s\S]))/gmu)) {
    const told = must(match[4]).trim();
    const body = told === "'test failed'" ? (crashOf(text, must(match[1])) ?? told) : told;
    totals.failures.push(
      failure({
        name: must(match[3]),
        file: match[1],
        line: Number(match[2]),
        message: (body === told ? undefined : /^\w*Error\b.*$/mu.exec(body)?.[0]) ?? body.split("\n")[0]?.trim() ?? "",
        stack: body,
      }),
    );
  }
  return totals;
}

/** What a file printed that could not be loaded: its summary only says that it failed. */
function crashOf(text: string, file: string): string | undefined {
  const crashes = [...text.matchAll(/^(?:node:|file:\/\/|\/)\S+:\d+\n[\s\S]*?^Node\.js v[\d.]+$/gmu)].map(([crash]) => crash);
  return crashes.find((crash) => crash.includes(file));
}

function sum(one: TestTotals, other: TestTotals): TestTotals {
  return {
    ...one,
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    passedNames: [...one.passedNames, ...other.passedNames],
  };
}

/** A script may start one runner after another; the later ones run only when the earlier ones pass, and all of them count. */
export function parseScriptTests(text: string): ParsedReport | undefined {
  const [first, ...more] = [vitest(text), jest(text), mocha(text), nodeTest(text)].filter((totals) => totals !== undefined);
  return first === undefined ? undefined : { tests: more.reduce(sum, first), diagnostics: [] };
}
