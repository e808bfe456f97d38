/**
 * Builds the publishable package: `npm run package [folder]` leaves `folder/package` (what npm would
 * publish) and `folder/sylk-<version>.tgz`. The manifest asks for Node >= 24 and brings none.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import TAKEN_IN from "./package/taken-in.json" with { type: "json" };

const root = path.join(import.meta.dirname, "..");
const target = path.resolve(process.argv[2] ?? path.join(root, "dist-package"));
const folder = path.join(target, "package");
/** Read at run time beside the bundle; those that do not exist yet are left out. */
const DATA = ["agents", "data", "prompts", "task-types", "demo", "man", "README.md", "LICENSE"];

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
}

interface Taken {
  name: string;
  version: string;
  license: string;
  dependencies?: Record<string, string>;
}

/** The packages whose code stands in the bundle, each once, with what its makers ask to be kept beside it. */
function notices(names: readonly string[], told = new Set<string>()): string[] {
  return names
    .filter((one) => !told.has(one))
    .flatMap((one) => {
      told.add(one);
      const at = path.join(root, "node_modules", one);
      const taken = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8")) as Taken;
      const file = readdirSync(at).find((entry) => /^licen[cs]e/iu.test(entry));
      const text = file === undefined ? "" : `\n${readFileSync(path.join(at, file), "utf8").trim()}\n`;
      return [`${taken.name} ${taken.version} (${taken.license})\n${text}`, ...notices(Object.keys(taken.dependencies ?? {}), told)];
    });
}

const { name, version, description, license, dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(
  process.execPath,
  [path.join(root, "node_modules/rolldown/bin/cli.mjs"), "-c", "rolldown.config.ts", "--dir", path.join(folder, "dist")],
  {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  },
);
cpSync(path.join(root, "scripts/package/sylk.mjs"), path.join(folder, "sylk.mjs"));
for (const item of DATA) if (existsSync(path.join(root, item))) cpSync(path.join(root, item), path.join(folder, item), { recursive: true });
writeFileSync(path.join(folder, "THIRD-PARTY.txt"), notices(TAKEN_IN).join(`\n${"-".repeat(72)}\n`));
const manifest = {
  name,
  version,
  description,
  license,
  type: "module",
  bin: { sylk: "./sylk.mjs" },
  man: ["./man/sylk.1"],
  engines: { node: ">=24" },
  dependencies,
};
writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
execFileSync("npm", ["pack", "--silent", "--pack-destination", target], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
console.log(path.join(target, `${name}-${version}.tgz`));
