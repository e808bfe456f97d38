/**
 * Builds the publishable package: `npm run package [folder]` leaves `folder/package` (what npm would
 * publish) and `folder/sylk-<version>.tgz`. The manifest asks for Node >= 24 and brings none.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

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

const { name, version, description, license, dependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(
  process.execPath,
  [path.join(root, "node_modules/rolldown/bin/cli.mjs"), "-c", "rolldown.config.mjs", "--dir", path.join(folder, "dist")],
  {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  },
);
cpSync(path.join(root, "scripts/package/sylk.mjs"), path.join(folder, "sylk.mjs"));
for (const item of DATA) if (existsSync(path.join(root, item))) cpSync(path.join(root, item), path.join(folder, item), { recursive: true });
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
