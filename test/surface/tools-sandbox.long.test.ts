/** `tools-sandbox.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { place } from "./tools-sandbox.ts";

interface Status {
  mode: string;
  available: boolean;
}

test("SEC-029 ~SEC-038: sylk sandbox says what holds here, and the setting changes it", async () => {
  const { sylk } = place();
  const status = JSON.parse((await sylk(["sandbox", "status", "--json"])).out) as Status;
  expect(status.mode).toBe("auto");
  const off = await sylk(["sandbox", "status"], { SYLK_SECURITY_SANDBOX_MODE: "off" });
  expect(off.out).toContain("off: commands run directly, under permission checks only\nmode: off");
  const tried = await sylk(["sandbox", "test"]);
  expect(tried.code).toBe(status.available ? 0 : 1);
  expect(tried.out).toContain(status.available ? "✓ it cannot write elsewhere" : "? a command runs and writes in its folder");
});
