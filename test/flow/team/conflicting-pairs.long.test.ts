import { expect, test } from "vitest";
import { mergePairs } from "./conflicting-pairs.ts";

test("100 pairs that change the same lines: no dirty tree, no lost commit", { timeout: 1_200_000 }, async () => {
  const { merged, asking, disputed } = await mergePairs(100, 2);
  expect(merged + asking).toBe(200);
  expect([merged > 100, asking > 5, disputed > 50]).toEqual([true, true, true]);
});
