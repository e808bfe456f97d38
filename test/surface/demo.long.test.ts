/** The demonstration where there is no sandbox: what would be asked about is allowed beforehand, as nobody is there to ask. */
import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";

test("sylk demo ends as done without a sandbox too", { timeout: 600_000 }, async () => {
  const base = realpathSync(tempDir("sylk-demo"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, TMPDIR: base, NO_COLOR: "1", SYLK_SECURITY_SANDBOX_MODE: "off" };
  const { code, out } = await runSylk(base, env, ["demo"], 500_000);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("done: every assertion has its evidence") as unknown });
});
