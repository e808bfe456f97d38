/** `terminal-live.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { NO_TERMINAL } from "../support/terminal.ts";
import { livesInOneLine, saysItDim } from "./terminal-live.ts";

vi.setConfig({ testTimeout: 600_000 });

test.each([80, 120])("what a check says lives in a dim line of %d columns, also where it is cut", async (columns) => {
  expect.hasAssertions();
  await livesInOneLine(columns);
});

test.skipIf(NO_TERMINAL !== undefined).each([80, 120])(
  "a task beside a session says it dim in a live line of %d columns too",
  async (columns) => {
    expect.hasAssertions();
    await saysItDim(columns);
  },
);
