import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./scripts/testing/slow-first.ts";

/** `vitest run` takes everything but `*.long.test.ts`; `vitest run --mode long` takes only those. */
export default defineConfig(({ mode }) => {
  const long = mode === "long";
  return {
    test: {
      include: long ? ["{src,test}/**/*.long.test.ts"] : ["{src,test}/**/*.test.ts"],
      exclude: ["**/node_modules/**", "**/fixtures/**", ...(long ? [] : ["**/*.long.test.ts"])],
      globalSetup: ["scripts/testing/needed-programs.ts", "scripts/testing/built-command.ts"],
      // Starting a process costs in proportion to the memory of who starts it: workers are processes of their own, and
      // kept small.
      pool: "forks",
      execArgv: ["--max-semi-space-size=2"],
      // A worker waits for child processes, clocks and the disk a good part of its time: two more than there are cores.
      // The long ones have leases and lanes of their own to keep.
      maxWorkers: Math.max(2, availableParallelism()) + (long ? 0 : 2),
      sequence: { sequencer: SlowFirst },
      // Generous, because the machine may be busy; a test that hangs still ends.
      testTimeout: long ? 1_800_000 : 120_000,
      hookTimeout: 120_000,
      // Processes that tests start share one compile cache.
      env: { NODE_COMPILE_CACHE: path.resolve("node_modules/.cache/sylk-test-compile") },
      passWithNoTests: long,
      reporters: ["default", "json", "./scripts/testing/totals-reporter.ts"],
      outputFile: { json: long ? ".reports/long.json" : ".reports/tests.json" },
    },
  };
});
