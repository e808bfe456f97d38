/**
 * Runs every `*.bench.ts` in this folder and prints what it measured beside its target. Ratios are
 * taken within one run, because absolute times say little on a shared machine.
 *   npm run bench [-- <part of a name>] [--json]
 */
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** What the requirement asks, as text: "<= 1.5x". */
  target?: string | undefined;
  /** Whether the target was met; absent when there is none. */
  met?: boolean | undefined;
  note?: string | undefined;
}

const args = process.argv.slice(2);
const json = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".bench.ts") && (wanted.length === 0 || wanted.some((part) => name.includes(part))))
  .toSorted();

for (const file of files) {
  const { run } = (await import(pathToFileURL(path.join(import.meta.dirname, file)).href)) as { run: () => Promise<BenchRow[]> };
  if (!json) console.log(`\n${file.replace(".bench.ts", "")}`);
  for (const row of await run()) {
    if (json) console.log(JSON.stringify({ bench: file, ...row }));
    else {
      const mark = row.met === undefined ? " " : row.met ? "✓" : "✗";
      const value = row.value >= 100 ? Math.round(row.value).toLocaleString("en") : row.value.toPrecision(3);
      console.log(
        `  ${mark} ${row.name.padEnd(58)} ${`${value} ${row.unit}`.padStart(16)}  ${row.target ?? ""}${row.note === undefined ? "" : `  (${row.note})`}`,
      );
    }
  }
}
