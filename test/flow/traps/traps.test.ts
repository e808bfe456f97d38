/** Tasks in which a check means less than it seems: nothing is called verified that nothing shows, and every task can end. */
import { expect, test } from "vitest";
import { CASES, endsAsItShould } from "./traps.ts";

// One of each kind; all of them in the long form.
const SAMPLE =
  /^1: a comment and a claim$|^1: the right change with|^1: only a test|^1: the failing test is deleted|^1: the check itself|^2: red before, a comment|^21:|given up$|^1: a runner that says|^1: the runner finds no test/;

test.each(CASES.filter(({ title }) => SAMPLE.test(title)))("$title", async (trap) => {
  expect.hasAssertions();
  await endsAsItShould(trap);
});
