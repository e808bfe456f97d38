import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { killWriters } from "./kill-writers.ts";

test("~CCY-060 ~CCY-067 ~CCY-068: SIGKILL at random instants loses nothing acknowledged and leaves no half transaction (24 kills)", async () => {
  expect(await killWriters(path.join(tempDir(), "sylk.db"), 12, 2)).toBeGreaterThan(0);
});
