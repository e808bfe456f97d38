import { expect, test, vi } from "vitest";
import { runSessions } from "../../support/many-sessions.ts";
import { tempDir } from "../../support/temp.ts";

vi.setConfig({ testTimeout: 600_000 });

test("four requests with three pieces each, at the same time in one process: all end, everything is merged", async () => {
  const { endedMs, merged, files } = await runSessions(tempDir("sessions"), 4, 3);
  expect([endedMs.length, merged, files]).toEqual([4, 12, 12]);
});
