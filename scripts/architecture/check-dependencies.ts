/** What package.json declares is used, and what is used is declared. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { STARTED_BY } from "./rules.ts";
import type { Problem, Tree } from "./tree.ts";

interface Manifest {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Commands a package offers; none when it is not installed here (another platform's package). */
function binsOf(root: string, name: string): string[] {
  try {
    const { bin } = JSON.parse(readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8")) as {
      bin?: string | Record<string, string>;
    };
    return bin === undefined ? [] : typeof bin === "string" ? [name.split("/").at(-1) as string] : Object.keys(bin);
  } catch {
    return [];
  }
}

export function checkDependencies(tree: Tree): Problem[] {
  const manifest = JSON.parse(readFileSync(path.join(tree.root, "package.json"), "utf8")) as Manifest;
  const scripts = Object.values(manifest.scripts ?? {}).join("\n");
  const runtime = { ...manifest.dependencies };
  const optional = { ...manifest.optionalDependencies };
  const dev = { ...manifest.devDependencies };
  const problems: Problem[] = [];
  const report = (message: string): number => problems.push({ rule: "dependencies", file: "package.json", line: 1, message });

  const inProduct = new Set<string>();
  const anywhere = new Set<string>();
  for (const { name, from, fact } of tree.packages) {
    const isProduct = from.file.startsWith("src/") && !from.isTest;
    anywhere.add(name);
    if (isProduct) inProduct.add(name);
    const declared = name in runtime || name in optional || (!isProduct && name in dev);
    if (!declared)
      problems.push({
        rule: "dependencies",
        file: from.file,
        line: fact.line,
        message: `imports ${name}, which package.json does not declare${isProduct && name in dev ? " as a runtime dependency" : ""}`,
      });
  }
  for (const name of Object.keys(runtime)) if (!inProduct.has(name)) report(`dependency ${name} is used by no module under src`);
  for (const name of Object.keys(dev)) {
    const starter = STARTED_BY[name];
    const ran = binsOf(tree.root, name).some((bin) => new RegExp(`(^|[\\s;&|"])${bin}($|[\\s;&|"])`, "m").test(scripts));
    const started = starter !== undefined && scripts.includes(starter);
    if (!anywhere.has(name) && !ran && !started) report(`development dependency ${name} is neither imported nor run by a script`);
  }
  return problems;
}
