/** Tests that a task took away: what is left passes more easily, and shows nothing. */
import type { CheckResult } from "../task-facts.ts";
import type { TaskState } from "../task-state.ts";
import { changedFilesOf } from "./changed-files.ts";

/** In words; undefined when there are as many tests as before. */
export function weakened(state: TaskState, checks: readonly CheckResult[]): string | undefined {
  for (const { name, tests: before } of state.atStart?.checks ?? []) {
    const check = checks.find((one) => one.name === name);
    if (before === undefined || check === undefined || check.could_not_run !== undefined) continue;
    const now = check.tests ?? { passed: 0, failed: 0, skipped: 0 };
    const [ran, runs] = [before.passed + before.failed, now.passed + now.failed];
    if (now.skipped > before.skipped && runs < ran + (now.skipped - before.skipped))
      return `${name}: ${now.skipped - before.skipped} more skipped than before (${before.skipped} → ${now.skipped})`;
    if (runs < ran) return `${name}: fewer tests than before (${ran} → ${runs})`;
  }
  const { deletedTests } = changedFilesOf(state);
  const counted = checks.some((check) => check.tests !== undefined);
  return deletedTests.length === 0 || counted ? undefined : `${deletedTests.join(", ")} deleted`;
}
