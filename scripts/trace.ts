/**
 * Prints per prefix how many requirements of docs/spec have a passing test, from the reports of the
 * last `npm test` and `npm run test:long`. `--json` prints everything, the missing IDs included.
 */
import path from "node:path";
import { readReports } from "./testing/report.ts";
import { definedIds, traceRequirements } from "./testing/trace-requirements.ts";

const root = path.join(import.meta.dirname, "..");
const { results, read } = readReports(root);
const trace = traceRequirements(definedIds(path.join(root, "docs/spec")), results);
if (process.argv.includes("--json")) console.log(JSON.stringify(trace, undefined, 2));
else {
  for (const { prefix, proven, total } of trace.prefixes) console.log(`${prefix} ${String(proven).padStart(4)} / ${total}`);
  console.log(
    `all ${String(trace.proven).padStart(4)} / ${trace.total} requirements have a passing test (${results.length} tests in ${read.join(", ") || "no report"})`,
  );
}
for (const { id, title, file } of trace.unknown) console.error(`unknown requirement ${id} in "${title}" (${path.relative(root, file)})`);
if (read.length === 0) console.error("no test report found; run npm test first");
process.exitCode = trace.unknown.length === 0 && read.length > 0 ? 0 : 1;
