/**
 * What one package folder says about itself: its files, manifests, dependencies, scripts, and the
 * executables it can reach. Reads only; a manifest that cannot be parsed is a warning, not an error.
 */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { messageOf, must, projectFile } from "../../kernel/index.ts";

/** In the order in which make looks for them; it takes the first. */
export const MAKE_FILES: readonly string[] = ["GNUmakefile", "makefile", "Makefile"];

export interface Script {
  name: string;
  command: string[];
  /** The line behind it. */
  line: string;
  from: string;
}

export interface ProjectFacts {
  root: string;
  has(file: string): boolean;
  /** True when `file#dotted.path` (or an ini section) exists. */
  hasSection(reference: string): boolean;
  /** The version a manifest asks for. */
  dependency(name: string): { version: string | undefined; manifest: string } | undefined;
  /** What to put first in a command: a path below the root for local tools, the bare name for those on PATH. */
  binary(name: string): string | undefined;
  scripts: Script[];
  /** Words used in CI files and editor settings, by file. */
  mentions(word: string): { file: string; kind: "ci" | "editor" } | undefined;
  warnings: string[];
}

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table => typeof value === "object" && value !== null && !Array.isArray(value);

const LOCAL_BINS = ["node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", "bin"];
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Names before a version mark: `ruff>=0.4`, `pytest[cov]==8`, `black`. */
function requirementName(line: string): string | undefined {
  return /^\s*([A-Za-z0-9._-]+)/u.exec(line)?.[1]?.toLowerCase();
}

function pythonDependencies(
  pyproject: Table | undefined,
  add: (name: string, version: string | undefined, manifest: string) => void,
): void {
  const project = isTable(pyproject?.["project"]) ? pyproject["project"] : {};
  const groups: unknown[] = [
    project["dependencies"],
    ...Object.values(isTable(project["optional-dependencies"]) ? project["optional-dependencies"] : {}),
    ...Object.values(isTable(pyproject?.["dependency-groups"]) ? pyproject["dependency-groups"] : {}),
  ];
  for (const group of groups) {
    if (!Array.isArray(group)) continue;
    for (const item of group)
      if (typeof item === "string") add(requirementName(item) ?? "", item.replace(/^[^<>=~!]*/u, "") || undefined, "pyproject.toml");
  }
  const poetry = isTable(pyproject?.["tool"]) && isTable(pyproject["tool"]["poetry"]) ? pyproject["tool"]["poetry"] : {};
  const poetryGroups = isTable(poetry["group"])
    ? Object.values(poetry["group"]).map((g) => (isTable(g) ? g["dependencies"] : undefined))
    : [];
  for (const group of [poetry["dependencies"], poetry["dev-dependencies"], ...poetryGroups]) {
    if (isTable(group))
      for (const [name, version] of Object.entries(group))
        add(name.toLowerCase(), typeof version === "string" ? version : undefined, "pyproject.toml");
  }
}

/** Runs a package script the way the project's package manager does. */
function scriptCommand(root: string, name: string): string[] {
  const manager = ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"].find((lock) => existsSync(path.join(root, lock)));
  const runner = manager === undefined ? "npm" : manager.startsWith("pnpm") ? "pnpm" : manager.startsWith("yarn") ? "yarn" : "bun";
  return name === "test" && runner !== "bun" ? [runner, "test"] : [runner, "run", name];
}

function ciFiles(root: string): string[] {
  const workflows = path.join(root, ".github/workflows");
  const found = statSync(workflows, { throwIfNoEntry: false })?.isDirectory() === true;
  const names = found ? readdirSync(workflows).filter((name) => /\.ya?ml$/u.test(name)) : [];
  return [...names.map((name) => `.github/workflows/${name}`), ".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml"];
}

/** Only what CI runs counts, not what its actions are called. */
function ciCommands(text: string): string {
  const lines: string[] = [];
  const walk = (value: unknown, key: string): void => {
    if (typeof value === "string" && (key === "run" || key === "script")) lines.push(value);
    else if (Array.isArray(value)) for (const item of value) walk(item, key);
    else if (isTable(value)) for (const [name, item] of Object.entries(value)) walk(item, name);
  };
  try {
    walk(parseYaml(text), "");
  } catch {
    return ""; // A broken CI file is not this module's business.
  }
  return lines.join("\n");
}

export function readProjectFacts(root: string, searchPath: string, stopAt: string = root): ProjectFacts {
  const warnings: string[] = [];
  const dependencies = new Map<string, { version: string | undefined; manifest: string }>();
  const scripts: Script[] = [];
  const add = (name: string, version: string | undefined, manifest: string): void => {
    if (name !== "" && !dependencies.has(name)) dependencies.set(name, { version, manifest });
  };
  const text = (file: string): string | undefined => projectFile.text(stopAt, path.resolve(root, file), { maxBytes: MAX_MANIFEST_BYTES });
  const parsed = (file: string, parse: (source: string) => unknown): Table | undefined => {
    const source = text(file);
    if (source === undefined) return undefined;
    try {
      const value = parse(source);
      return isTable(value) ? value : undefined;
    } catch (error) {
      warnings.push(`${file} cannot be parsed: ${messageOf(error).split("\n")[0] ?? ""}`);
      return undefined;
    }
  };

  const tables: Record<string, Table | undefined> = {
    "package.json": parsed("package.json", JSON.parse),
    "composer.json": parsed("composer.json", JSON.parse),
    "pyproject.toml": parsed("pyproject.toml", parseToml),
    "Cargo.toml": parsed("Cargo.toml", parseToml),
  };
  for (const [file, keys] of [
    ["package.json", ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]],
    ["composer.json", ["require", "require-dev"]],
    ["Cargo.toml", ["dependencies", "dev-dependencies"]],
  ] as const) {
    for (const key of keys) {
      const group = tables[file]?.[key];
      if (isTable(group))
        for (const [name, version] of Object.entries(group)) add(name, typeof version === "string" ? version : undefined, file);
    }
  }
  pythonDependencies(tables["pyproject.toml"], add);
  for (const file of ["requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "requirements/dev.txt"]) {
    for (const line of (text(file) ?? "").split("\n")) if (!/^\s*[#-]/u.test(line)) add(requirementName(line) ?? "", undefined, file);
  }
  for (const match of (text("Gemfile") ?? "").matchAll(/^\s*gem\s+["']([\w-]+)["']/gmu)) add(must(match[1]), undefined, "Gemfile");
  for (const match of (text("mix.exs") ?? "").matchAll(/\{:(\w+),/gu)) add(must(match[1]), undefined, "mix.exs");

  const packageScripts = tables["package.json"]?.["scripts"];
  if (isTable(packageScripts)) {
    for (const [name, line] of Object.entries(packageScripts)) {
      if (typeof line === "string" && !line.includes("no test specified"))
        scripts.push({ name, command: scriptCommand(root, name), line, from: "package.json" });
    }
  }
  const makeFile = MAKE_FILES.find((file) => existsSync(path.join(root, file)));
  const targets = makeFile === undefined ? "" : (text(makeFile) ?? "");
  for (const match of targets.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)[^\n]*\n((?:\t[^\n]*\n?)*)/gmu)) {
    if (!scripts.some((script) => script.from === "Makefile" && script.name === match[1]))
      scripts.push({ name: must(match[1]), command: ["make", must(match[1])], line: (match[2] ?? "").trim(), from: "Makefile" });
  }

  const sources = [
    ...ciFiles(root).map((file) => ({ file, kind: "ci" as const, content: ciCommands(text(file) ?? "") })),
    { file: ".vscode/settings.json", kind: "editor" as const, content: text(".vscode/settings.json") ?? "" },
  ];
  const binaries = new Map<string, string | undefined>();
  const find = (name: string): string | undefined => {
    if (name.startsWith("./")) return executable(path.join(root, name)) ? name : undefined;
    for (let dir = root; ; dir = path.dirname(dir)) {
      for (const bin of LOCAL_BINS) if (executable(path.join(dir, bin, name))) return path.relative(root, path.join(dir, bin, name));
      if (dir === stopAt || dir === path.dirname(dir)) break;
    }
    return searchPath.split(path.delimiter).some((dir) => dir !== "" && executable(path.join(dir, name))) ? name : undefined;
  };

  return {
    root,
    warnings,
    scripts,
    has: (file) => existsSync(path.join(root, file)),
    hasSection(reference) {
      const [file = "", section = ""] = reference.split("#");
      if (!(file in tables)) return new RegExp(`^\\[${section.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")}\\]`, "mu").test(text(file) ?? "");
      let at: unknown = tables[file];
      for (const key of section.split(".")) at = isTable(at) ? at[key] : undefined;
      return at !== undefined;
    },
    dependency: (name) => dependencies.get(name),
    binary(name) {
      if (!binaries.has(name)) binaries.set(name, find(name));
      return binaries.get(name);
    },
    mentions(word) {
      const pattern = new RegExp(`(?<![\\w-])${word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")}(?![\\w-])`, "u");
      return sources.find((source) => pattern.test(source.content));
    },
  };
}
