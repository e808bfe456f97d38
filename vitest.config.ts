import { defineConfig } from "vitest/config";

/** `vitest run` takes everything but `*.long.test.ts`; `vitest run --mode long` takes only those. */
export default defineConfig(({ mode }) => {
  const long = mode === "long";
  return {
    test: {
      include: long ? ["{src,test}/**/*.long.test.ts"] : ["{src,test}/**/*.test.ts"],
      exclude: ["**/node_modules/**", "**/fixtures/**", ...(long ? [] : ["**/*.long.test.ts"])],
      pool: "threads",
      testTimeout: long ? 600_000 : 30_000,
      hookTimeout: long ? 120_000 : 30_000,
      passWithNoTests: long,
      reporters: ["default", "json", "./scripts/testing/totals-reporter.ts"],
      outputFile: { json: long ? ".reports/long.json" : ".reports/tests.json" },
    },
  };
});
