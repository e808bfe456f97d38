/**
 * Completes package-lock.json after an `npm install` from a registry that lacks other platforms'
 * packages, so that `npm ci` accepts it everywhere. Run it before committing a changed lock.
 * Plain JavaScript on purpose: it must also run on the Node that a machine came with.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { missingEntries } from "./lock/missing-entries.mjs";

const file = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(file, "utf8"));
const missing = missingEntries(lock);
for (const { place, entry } of missing) lock.packages[place] = entry;
if (missing.length > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
}
console.log(`package-lock.json: ${missing.length} entries added`);
