/** `status-script.test.ts` goes on here with what takes longer. */
import { expect, test, vi } from "vitest";
import { showsNothing } from "./status-script.ts";

vi.setConfig({ testTimeout: 120_000 });

test.each([
  ["hangs", () => "sleep 600"],
  ["floods without an end", () => "yes 'no end'"],
])("one that %s shows nothing, and the next thing told is told to it again", async (_what, command) => {
  expect.hasAssertions();
  await showsNothing(command);
});
