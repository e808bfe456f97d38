import { expect, test } from "vitest";
import { saveTogether } from "./memory-saves.ts";

test("SID-005: eight processes with twelve saves each to one sidecar lose nothing", async () => {
  expect(await saveTogether(12)).toEqual({ failed: 0, entries: 96, different: 96 });
});
