/** Which command would bring what a check misses: a package the project declares, or the runner itself. */
import { existsSync } from "node:fs";
import path from "node:path";
import { projectFile } from "../kernel/index.ts";
import { PACKAGE_MANAGERS } from "./discover/package-managers.ts";

const PROGRAMS: readonly [family: string, programs: RegExp][] = [
  ["python", /^(?:pytest|python3?|ruff|mypy|tox|nox|pyright|black|pip)$/u],
  ["go", /^(?:go|golangci-lint|gotestsum)$/u],
  ["rust", /^cargo(?:-.+)?$/u],
  ["ruby", /^(?:bundle|rspec|rubocop|rake)$/u],
  ["php", /^(?:phpunit|phpstan|php-cs-fixer|vendor\/bin\/.+)$/u],
];

export interface Missing {
  /** A program that was not found. */
  program?: string | undefined;
  /** A package that was not found. */
  package?: { family: string; name: string } | undefined;
}

function installOf(root: string, family: string): string | undefined {
  return PACKAGE_MANAGERS.find((one) => one.family === family && one.files.some((file) => existsSync(path.join(root, file))))?.install.join(
    " ",
  );
}

/** Whether the project says it needs this package: then it is not installed, else nobody asked for it yet. */
export function isDeclared(root: string, { family, name }: NonNullable<Missing["package"]>): boolean {
  const files = {
    js: ["package.json"],
    python: ["requirements.txt", "requirements-dev.txt", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile"],
  };
  const [top = name] =
    family === "python" ? name.split(".") : name.startsWith("@") ? [name.split("/").slice(0, 2).join("/")] : name.split("/");
  const word = new RegExp(
    `(?:^|["'\\s,[])${top.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&").replaceAll(/[-_]/gu, "[-_]")}(?:["'\\s,;=<>~![\\]]|$)`,
    "imu",
  );
  return (files[family as keyof typeof files] ?? []).some((file) => word.test(projectFile.text(root, file) ?? ""));
}

/** Undefined where no file of the project says how. */
export function howToInstall(root: string, missing: Missing): string | undefined {
  if (missing.package !== undefined) return installOf(root, missing.package.family);
  const name = path.basename(missing.program ?? "");
  const family = PROGRAMS.find(([, programs]) => programs.test(name))?.[0];
  if (family !== undefined) return installOf(root, family);
  const js = existsSync(path.join(root, "package.json")) && !existsSync(path.join(root, "node_modules"));
  return js ? installOf(root, "js") : undefined;
}
