/** `silent-model.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { asked } from "./silent-model.ts";

test("V18: a server that stays silent is given one deadline over all attempts, and the person is told whom it waits for", async () => {
  const { code, lines } = await asked({ fault: { kind: "stall", afterFrames: 0 } }, { step_timeout: "60s", timeout: "25s" });
  expect(code).toBe("MODEL_TIMEOUT");
  expect(lines).toMatchObject([
    { provider: "wire", attempt: 1, attempts: 5 },
    { provider: "wire", attempt: 2, attempts: 5 },
  ]);
});

test("23: the step's deadline is told while it waits, and attempts that came to nothing are counted in the cost", async () => {
  const { lines, usage } = await asked({ fault: { kind: "stall", afterFrames: 0 } }, { step_timeout: "60s", timeout: "25s" });
  expect(lines).toMatchObject([{ limit_ms: 60_000 }, { limit_ms: 60_000 }]);
  expect({ ...usage, failed: usage.failed > 0 }).toMatchObject({ calls: expect.any(Number), failed: true });
});
