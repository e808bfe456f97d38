/** A question asked by a process that is then killed is answered from another, and the run goes on. */
import { expect, test } from "vitest";
import { taskGoesOn, skillIsInstalled } from "./questions.ts";

test.each(["waiting"] as const)(
  "a task killed %s goes on with the answer of another process, and acts once",
  { timeout: 60_000 },
  async (point) => {
    expect.hasAssertions();
    await taskGoesOn(point);
  },
);

test.each(["waiting"] as const)(
  "a skill killed %s is installed with the approval of another process",
  { timeout: 60_000 },
  async (point) => {
    expect.hasAssertions();
    await skillIsInstalled(point);
  },
);
