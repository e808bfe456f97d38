/** What is said of a command. */
import { expect, test } from "vitest";
import type { RunOutcome } from "../../workspace/index.ts";
import { describeRun } from "./run-actions.ts";

test("a command that was stopped says why, and what to do", () => {
  const stopped = (after: "idle" | "max", limit?: "check_timeout") =>
    describeRun({ kind: "timed_out", after, durationMs: 68_400, output: { text: "half" } } as RunOutcome, "npm test", limit).summary;
  expect(stopped("idle")).toBe(
    "`npm test` did not end by itself and was stopped after 68 s: it had nothing new to say for too long (`tools.subprocess.default_timeout` gives it longer); run a part of it, or look for what hangs",
  );
  expect(stopped("idle", "check_timeout")).toContain("`tools.subprocess.check_timeout` gives it longer");
  expect(stopped("max")).toContain("stopped after 68 s: no command may take longer");
});
