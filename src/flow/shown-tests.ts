/**
 * Which test shows which assertion. The Tester names them; the engine's own run says whether they fail before and pass
 * in the end. A test that nobody saw fail shows nothing, and a piece's tests do not show what they were not named for.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Payload } from "../protocol/events/index.ts";
import type { Plan } from "../protocol/plan/index.ts";
import type { TaskState } from "../step/index.ts";
import type { CheckedOne } from "./judge.ts";
import { isTestFile } from "./test-files.ts";

export type ShownTest = Payload<"pipeline.red_shown">["shows"][number];
type CheckResult = NonNullable<TaskState["verification"]>["checks"][number];
/** What a check says of single tests. */
interface Said extends Pick<CheckResult, "name" | "tests"> {
  problems?: readonly { path?: string | undefined; rule?: string | undefined; test?: boolean | undefined }[] | undefined;
}
type Assertion = Plan["assertions"][number];

/** A test that failed, in which check. */
interface Failure {
  name: string;
  file: string | undefined;
  check: string;
}

const MOST_NAMED = 20;
/** `A2: test/loud.test.js > is loud`. */
const LINE = /^\s*(A[1-9]\d?)\s*[:=–-]\s*(.+)$/u;

export const shownByTest = (assertions: readonly Assertion[]): string[] =>
  assertions.filter((one) => one.shown_by === "test").map((one) => one.id);

/** Assertions for which no test is named, of those that need one; a single one needs no naming. */
export function unnamed(wanted: readonly string[], lines: readonly string[]): string[] {
  if (wanted.length < 2) return [];
  const said = new Set(lines.map((line) => LINE.exec(line)?.[1]));
  return wanted.filter((id) => !said.has(id));
}

/** Tests by name; a file of tests that does not build fails as a whole. */
function failuresOf(checks: readonly Said[]): Failure[] {
  return checks.flatMap((check) => {
    const problems = check.problems ?? [];
    const tests = problems.flatMap((one) =>
      one.test === true && one.rule !== undefined ? [{ name: one.rule, file: one.path, check: check.name }] : [],
    );
    const unbuilt = problems.flatMap((one) => (one.test !== true && one.path !== undefined && isTestFile(one.path) ? [one.path] : []));
    const files = [...new Set(unbuilt)].filter((file) => !tests.some(({ name }) => name === file));
    return [...tests, ...files.map((file) => ({ name: file, file, check: check.name }))];
  });
}

/** `test/loud.test.js > is loud`: the file, and what is left. */
function partsOf(what: string): { file: string; name: string } {
  const at = what.indexOf(" > ");
  return at === -1 ? { file: what, name: what } : { file: what.slice(0, at), name: what.slice(at + 3) };
}

const isSameFile = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

/** What jest calls a file of tests that it cannot load. */
const WHOLE_SUITE = /^(?:.* > )?test suite failed to run$/iu;

/** A file that cannot even be loaded fails as a whole, and each of its tests with it. */
function isMeant({ name, file }: Omit<Failure, "check">, what: string): boolean {
  const said = partsOf(what);
  if (file !== undefined && WHOLE_SUITE.test(name) && isSameFile(file, said.file)) return true;
  if (name === what || name === said.name || name.endsWith(` > ${said.name}`)) return true;
  return isSameFile(name, said.file) || (said.name === what && file !== undefined && isSameFile(file, what));
}

const hasId = (text: string, id: string): boolean => new RegExp(`(?:^|[^A-Za-z0-9])${id}(?:[^0-9]|$)`, "u").test(text);

/** By assertion, the tests that failed for it; what was named and did not fail is left out, and what failed before shows nothing. */
export function testsFor(
  assertions: readonly Assertion[],
  lines: readonly string[],
  checks: readonly Said[],
  before: readonly string[],
): ShownTest[] {
  const failures = failuresOf(checks).filter(({ name }) => !before.includes(name));
  const wanted = shownByTest(assertions);
  const runs = new Set(
    checks.filter((check) => check.tests !== undefined || check.problems?.some(({ test }) => test === true)).map(({ name }) => name),
  );
  const shown = (assertion: string, test: string, { file, check }: Failure): ShownTest => ({
    assertion,
    test,
    ...(file === undefined ? {} : { file }),
    check,
  });
  return wanted.flatMap((id) => {
    const named = lines.flatMap((line) => {
      const [, said, what = ""] = LINE.exec(line) ?? [];
      const meant = said === id ? failures.filter((one) => isMeant(one, what.trim())) : [];
      // A runner's own word before that of whoever only reads the file: a linter does not run tests.
      const failed = meant.find((one) => runs.has(one.check)) ?? meant[0];
      return failed === undefined ? [] : [shown(id, what.trim(), failed)];
    });
    if (named.length > 0) return named.slice(0, MOST_NAMED);
    const telling = failures.filter((one) => hasId(one.name, id));
    const own = telling.length > 0 ? telling : wanted.length === 1 ? failures : [];
    return own.slice(0, MOST_NAMED).map((one) => shown(id, one.name, one));
  });
}

/** Whether a test that failed before passes in a tree: its check ran, it is not among what fails, and it still stands there. */
export function isGreen(
  { test, file, check }: ShownTest,
  checked: readonly CheckedOne[],
  folder: string,
  /** By file, how it stood when it failed. */
  written: ReadonlyMap<string, string>,
): boolean {
  const ran = checked.find((one) => one.name === check);
  if (ran === undefined || ran.mute || ran.failing.some((one) => one.name === check || isMeant(one, test))) return false;
  if (file === undefined) return true;
  const place = path.resolve(folder, file);
  if (!existsSync(place)) return false;
  const text = readFileSync(place, "utf8");
  return text.includes(partsOf(test).name) || written.get(file) === text;
}
