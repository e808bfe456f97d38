/** Ends a test run with one plain line of totals that any machine can read. */
import type { Reporter, TestModule } from "vitest/node";
import { totalsLine, type TestResult } from "./report.ts";

export default class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const results: { status: TestResult["status"] }[] = [];
    for (const module of modules) {
      let failed = false;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        failed ||= state === "failed";
        results.push({ status: state === "passed" || state === "failed" ? state : "skipped" });
      }
      if (!failed && module.state() === "failed") results.push({ status: "failed" });
    }
    // After the default reporter's own summary.
    process.on("exit", () => process.stdout.write(`${totalsLine(results)}\n`));
  }
}
