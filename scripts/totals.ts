/** Prints the totals of the last test runs, long ones included. Fails when a report is missing or a test failed. */
import path from "node:path";
import { judgeTotals } from "./testing/report.ts";

const { line, problems } = judgeTotals(path.join(import.meta.dirname, ".."));
for (const problem of problems) console.error(problem);
console.log(line);
process.exitCode = problems.length === 0 ? 0 : 1;
