import { test } from "vitest";
import { saveTogether } from "./memory-saves.ts";

test("SID-005: eight processes with fifty saves each to one sidecar lose nothing: 400 entries", async () => {
  await saveTogether(50);
});
