/** `baseline.test.ts` goes on here with what takes longer. */
import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { payloadsOf, planned, approve } from "./baseline.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("a project that was changed before the plan was approved is measured anew, and the work begins from it", async () => {
  const { app, id, dir } = await planned();
  const asked = await app.api.send({ type: "request.run", id });
  writeFileSync(path.join(dir, "lint.mjs"), "console.log('fine');\n");
  appendFileSync(path.join(dir, "src/trim.js"), "export const more = 1;\n");
  await approve(app, asked.questions[0]?.id ?? "");
  await app.api.send({ type: "request.run", id });
  const measured = await payloadsOf(app, ["request.measured"]);
  expect(measured.map(({ today }) => (today as { says: string }[]).map(({ says }) => says))).toEqual([
    ["fails", "fails", "could_not_run"],
    ["fails", "passes", "could_not_run"],
  ]);
  expect((await payloadsOf(app, ["request.integration_opened"]))[0]?.["base"]).toBe(measured[1]?.["base"]);
});
