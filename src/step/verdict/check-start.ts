/** The checks before anything was done. */
import { shortLine } from "../context/fit-lines.ts";
import { flakyIn } from "../flaky-in.ts";
import { runChecks, type RunChecksOptions } from "../run-checks.ts";
import type { CheckResult } from "../task-facts.ts";

/** What is red is run twice: what differs then is flaky, and nobody's doing. */
export async function checkStart(options: RunChecksOptions): Promise<CheckResult[]> {
  const first = await runChecks(options);
  const red = first.filter((check) => !check.passed && check.could_not_run === undefined && check.exit !== null);
  if (red.length === 0) return first;
  const again = await runChecks({ ...options, checks: red, look: "again" });
  return first.map((check) => {
    const second = again.find(({ name }) => name === check.name);
    const flaky = second === undefined ? [] : flakyIn(check, second);
    if (flaky.length === 0) return check;
    return { ...check, flaky, summary: shortLine(`flaky: ${flaky.join(", ")} failed once and passed once; ${check.summary}`, 300) };
  });
}
