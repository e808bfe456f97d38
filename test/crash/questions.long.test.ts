/** `questions.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { POINTS, taskGoesOn, skillIsInstalled } from "./questions.ts";

test.each(POINTS)("a task killed %s goes on with the answer of another process, and acts once", { timeout: 60_000 }, async (point) => {
  expect.hasAssertions();
  await taskGoesOn(point);
});

test.each(POINTS)("a skill killed %s is installed with the approval of another process", { timeout: 60_000 }, async (point) => {
  expect.hasAssertions();
  await skillIsInstalled(point);
});
