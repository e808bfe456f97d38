import { expect, test } from "vitest";
import { asIs, wireNames } from "./wire-names.ts";

test("names become snake_case at any depth; names others chose stay, and so do paths and values", () => {
  const when = new Date(0);
  expect(
    wireNames({
      latencyMs: 1,
      costNanoUsd: [{ inputTokens: 2 }],
      "src/myFile.ts": "camelValue",
      when,
      value: asIs({ myName: 3 }),
      no: null,
    }),
  ).toEqual({
    latency_ms: 1,
    cost_nano_usd: [{ input_tokens: 2 }],
    "src/myFile.ts": "camelValue",
    when: when.toISOString(),
    value: { myName: 3 },
    no: null,
  });
});
