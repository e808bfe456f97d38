import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { createAdaptiveTimeout } from "./adaptive-timeout.ts";

const rules = { baseMs: 60_000, extendOnOutputMs: 30_000, maxMs: 1_800_000 };

test("~TOO-010 TOO-011: talk extends the time, noise does not, the maximum holds", async () => {
  const clock = new ManualClock();
  const talking = createAdaptiveTimeout(rules, clock);
  const spinning = createAdaptiveTimeout(rules, clock);
  for (let i = 0; i < 70; i += 1) {
    await clock.advance(1_000);
    talking.heard(`compiled module ${i}`);
    for (const noise of ["", "...", "|", "/", "--\\", "42%", "  ⠋ ", "[====>   ] 57%"]) spinning.heard(noise);
  }
  expect(talking.verdict()).toBeUndefined();
  expect(spinning.verdict()).toBe("idle");
  await clock.advance(29_999);
  expect(talking.verdict()).toBeUndefined();
  await clock.advance(1);
  expect(talking.verdict()).toBe("idle");
  for (let i = 0; i < 1_800; i += 1) {
    talking.heard("still here");
    await clock.advance(1_000);
  }
  expect(talking.verdict()).toBe("max");
});
