/** Children of one request that spend from one purse at the same time, in two processes' gates. */
import { expect, test } from "vitest";
import { modelRequest, never, openTestGate, openTestStore } from "../../../test/support/model-gate.ts";
import type { ModelGate } from "../index.ts";

const CHILDREN = 16;
const LIMIT = 20_000;

/** Answers that are longer than their estimate, by child: the first are the longest. */
const rules = Array.from({ length: CHILDREN }, (_value, child) => ({
  when: { task: `child${child}` },
  answer: { text: "word ".repeat(100 * (CHILDREN - child)) },
}));

test("16 children under one budget, all at once and all longer than estimated: past the limit by at most one step", async () => {
  const [project, machine] = [await openTestStore(), await openTestStore("machine")];
  const gates = [0, 1].map(() =>
    openTestGate({ rules, config: { budgets: { session: { tokens: LIMIT } } }, options: { project, machine } }),
  );
  let spent = 0;
  let largest = 0;
  /** Steps until the purse says no. */
  const work = async (child: number): Promise<string> => {
    for (let step = 1; ; step += 1) {
      const gate = gates[child % gates.length] as ModelGate;
      const wanted = modelRequest({ task: `child${child}`, step, maxOutputTokens: 4_000, inputTokens: 50, tokenEstimate: 100 });
      const result = await gate.stream(wanted, never).result();
      const used = result.usage.inputTokens + result.usage.outputTokens;
      spent += used;
      largest = Math.max(largest, used);
      if (result.kind === "budget") return result.level;
      expect(result).toMatchObject({ kind: "ok" });
    }
  };
  const ends = await Promise.all(Array.from({ length: CHILDREN }, (_value, child) => work(child)));
  expect(ends).toEqual(Array.from({ length: CHILDREN }, () => "session"));
  expect(spent).toBeLessThanOrEqual(LIMIT + largest);
  expect(spent).toBeGreaterThan(LIMIT * 0.8);
});
