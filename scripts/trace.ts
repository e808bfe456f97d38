/**
 * Prints per prefix how the requirements of docs/spec stand, from the reports of the last `npm test` and
 * `npm run test:long`; `--json` prints the IDs too.
 *
 * - proved: a passing test claims the whole of it (`SEC-011: …`, in the title of a test or a `describe`).
 * - touched: passing tests claim only parts (`~SEC-011: …`), or claim that a user sees something from a
 *   place where no user looks. `docs/spec/user-sees.yaml` holds the phrases by which such requirements
 *   are found, what the phrases miss and what they find wrongly; those are proved only from
 *   test/surface, test/flow and test/hostile.
 * - satisfied otherwise: `docs/spec/otherwise.yaml` says why, and which law or test to look at.
 * - open: the rest, what a failing test names included. Some of it is planned in a simpler shape; the
 *   same file says which.
 *
 * An unknown ID, one both proved and listed as satisfied otherwise, an entry without a reason or with a
 * test that did not pass: each is told on standard error, and the exit code is 1.
 */
import path from "node:path";
import { readReports } from "./testing/report.ts";
import { readOtherwise, readRequirements, readUserSees } from "./testing/spec-files.ts";
import { traceRequirements } from "./testing/trace-requirements.ts";

const root = path.join(import.meta.dirname, "..");
const spec = path.join(root, "docs/spec");
const { results, read } = readReports(root);
const requirements = readRequirements(spec);
const trace = traceRequirements({
  defined: new Set(requirements.keys()),
  results,
  otherwise: readOtherwise(spec),
  seen: readUserSees(spec, requirements),
});
if (process.argv.includes("--json")) console.log(JSON.stringify(trace, undefined, 2));
else {
  const line = (name: string, cells: readonly (number | string)[]): string => `${name}${cells.map((c) => String(c).padStart(10)).join("")}`;
  console.log(line("   ", ["proved", "touched", "otherwise", "open", "of"]));
  for (const row of trace.prefixes) {
    const { prefix, proved, touched, otherwise, open, total } = row;
    console.log(line(prefix, [proved.length, touched.length, otherwise.length, open.length, total]));
  }
  const { proved, touched, otherwise, open } = trace.counts;
  console.log(line("all", [proved, touched, otherwise, open, trace.total]));
  console.log(`${trace.planned} of the open ones are planned in a simpler shape (docs/spec/otherwise.yaml)`);
  console.log(`${results.length} tests in ${read.join(", ") || "no report"}`);
}
for (const problem of trace.problems) console.error(problem);
if (read.length === 0) console.error("no test report found; run npm test first");
process.exitCode = trace.problems.length === 0 && read.length > 0 ? 0 : 1;
