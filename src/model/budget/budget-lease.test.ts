import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemoryCounters } from "../shared/memory-counters.ts";
import { BudgetLease } from "./budget-lease.ts";

test("LLM-091: promises that slip in while another is being filled never take the same units", async () => {
  const worker = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(worker, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 60, max: 400 }),
      async (scheduler, workers, limit) => {
        const plain = createMemoryCounters();
        // Every answer of the store is held back and released in an order of the scheduler's choosing.
        const counters = {
          ...plain,
          take: (key: string, amount: number, upTo: number, hold?: string) => scheduler.schedule(plain.take(key, amount, upTo, hold)),
        };
        const purse = new BudgetLease({ counters, key: "k", holdKey: "h", limit, register: () => Promise.resolve() });
        let spent = 0;
        let promised = 0;
        const all = workers.map(async (amounts) => {
          for (const amount of amounts) {
            if (!(await purse.promise(amount))) continue;
            promised += amount;
            expect(spent + promised).toBeLessThanOrEqual(limit);
            await scheduler.schedule(Promise.resolve());
            promised -= amount;
            spent += Math.floor(amount / 3);
            await purse.settle(amount, Math.floor(amount / 3));
          }
        });
        await scheduler.waitFor(Promise.all(all));
        await scheduler.waitFor(purse.empty());
        expect(await plain.value("k")).toBe(spent);
        expect(await plain.value("h")).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
