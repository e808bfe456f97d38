import { expect, test } from "vitest";
import { killSkills } from "./run-boundaries.ts";

test("~SKF-006 ~WMB-007: SIGKILL at every seventh place of a skill's run: all or nothing, and installed once", async () => {
  expect(await killSkills((place) => place % 7 === 5)).toBeGreaterThan(2);
});
