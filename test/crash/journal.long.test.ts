import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp.ts";
import { killWriters } from "./kill-writers.ts";

test("CCY-069: 220 kills of two writers at once: the chain verifies, every acknowledged event is there, no half transaction", async () => {
  expect(await killWriters(path.join(tempDir(), "sylk.db"), 110, 2)).toBeGreaterThan(220);
});
