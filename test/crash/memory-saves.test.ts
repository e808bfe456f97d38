import { test } from "vitest";
import { saveTogether } from "./memory-saves.ts";

test("SID-005: eight processes with twelve saves each to one sidecar lose nothing", async () => {
  await saveTogether(12);
});
