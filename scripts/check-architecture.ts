/**
 * Fails when the source tree breaks a rule of the house. `--layers-only` checks layers, circles,
 * doors, sizes, names, width and role tables; without it also that everything is wired, exported and offered
 * for someone, and declared.
 * Usage: node scripts/check-architecture.ts [--layers-only] [root]
 */
import path from "node:path";
import { checkArchitecture } from "./architecture/check.ts";

const args = process.argv.slice(2);
const unknown = args.find((a) => a.startsWith("-") && a !== "--layers-only");
if (unknown !== undefined) {
  console.error(`unknown option ${unknown}; only --layers-only is known`);
  process.exit(2);
}
const root = path.resolve(args.find((a) => !a.startsWith("-")) ?? path.join(import.meta.dirname, ".."));
const { filesSeen, problems } = checkArchitecture(root, { layersOnly: args.includes("--layers-only") });
for (const p of problems) console.error(`${p.file}:${p.line}: [${p.rule}] ${p.message}`);
console.log(`architecture: ${filesSeen} files seen, ${problems.length} problem${problems.length === 1 ? "" : "s"}`);
process.exitCode = problems.length === 0 ? 0 : 1;
