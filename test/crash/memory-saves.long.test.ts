import { expect, test } from "vitest";
import { saveTogether } from "./memory-saves.ts";

test("SID-005: eight processes with fifty saves each to one sidecar lose nothing: 400 entries", async () => {
  expect(await saveTogether(50)).toEqual({ failed: 0, entries: 400, different: 400 });
});
