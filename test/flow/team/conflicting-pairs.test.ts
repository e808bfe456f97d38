import { expect, test, vi } from "vitest";
import { mergePairs } from "./conflicting-pairs.ts";

vi.setConfig({ testTimeout: 120_000 });

test("two pairs that change the same lines end merged or asking: no dirty tree, no lost commit", async () => {
  const { merged, asking, disputed } = await mergePairs(2, 1);
  expect(merged + asking).toBe(4);
  expect(disputed).toBeGreaterThan(0);
});
