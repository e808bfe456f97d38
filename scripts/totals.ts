/** Prints the totals of the last test runs, long ones included. Fails when there are none or one failed. */
import path from "node:path";
import { readReports, totalsLine } from "./testing/report.ts";

const { results, read } = readReports(path.join(import.meta.dirname, ".."));
if (read.length === 0) console.error("no test report found; run npm test first");
console.log(totalsLine(results));
process.exitCode = results.some((r) => r.status === "passed") && results.every((r) => r.status !== "failed") ? 0 : 1;
