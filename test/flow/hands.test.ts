/** What an agent may try out without a person: one test, one expression, one file, inside the sandbox. */
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { actions } from "./hands.ts";

test.skipIf(NO_SANDBOX !== undefined)("~FMT-071: after a change, run_tests without words runs the tests that belong to it", async () => {
  const { said } = await actions([
    { name: "edit_file", input: { path: "src/add.js", find: "a + b", replace: "b + a" } },
    { name: "run_tests", input: {} },
  ]);
  expect(said[1]).toContain("node --test test/add.test.js");
});
