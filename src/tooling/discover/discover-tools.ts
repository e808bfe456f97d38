/**
 * Finds out how a project is formatted, linted, type-checked, tested and built, without a model and
 * without running anything (DIS-001…015, FMT-001…010, FMT-048…051). One answer per package root and
 * language; remembered until a manifest or configuration file changes.
 */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { messageOf, sha256, SylkError, type Clock, must, projectFile } from "../../kernel/index.ts";
import { languageOf } from "../../code/index.ts";
import { commonArgs, createProcessSlots, runRipgrep } from "../../workspace/index.ts";
import { chooseTool, type RememberedChoice } from "./choose-tools.ts";
import { MIN_FILES_FOR_DEFAULTS, PACKAGE_MANAGERS } from "./package-managers.ts";
import { MAKE_FILES, readProjectFacts, type ProjectFacts } from "./project-facts.ts";
import { BUILT_IN_TOOLS } from "./tool-table.ts";
import {
  TOOL_CATEGORIES,
  toolDefinitionSchema,
  type PackageManager,
  type ToolChoice,
  type ToolDefinition,
  type ToolDiscovery,
} from "./types.ts";

export interface DiscoverOptions {
  root: string;
  clock: Clock;
  /** Whether the user trusts this text of a file of the project: its own table of tools. */
  trusts: (file: string, text: string) => boolean;
  /** Keys `category` or `category:language`. */
  remembered?: Readonly<Record<string, RememberedChoice>> | undefined;
  /** Where executables are looked for; `PATH` when absent. */
  searchPath?: string | undefined;
  signal?: AbortSignal | undefined;
}

const MANIFESTS = new Set([
  "package.json",
  "pyproject.toml",
  "setup.py",
  "go.mod",
  "Cargo.toml",
  "Gemfile",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "composer.json",
  "mix.exs",
  "pubspec.yaml",
  "Package.swift",
]);
const MAX_NESTED_ROOTS = 40;
const MAX_NESTED_DEPTH = 4;
const LIST_TIMEOUT_MS = 20_000;
const OWN_TABLE = ".sylk/tools.yaml";

async function listNames(options: DiscoverOptions): Promise<string[]> {
  const names: string[] = [];
  const decoder = new TextDecoder();
  let rest = "";
  await runRipgrep({
    args: [...commonArgs(options.root), "--files", "--null", "./"],
    cwd: options.root,
    clock: options.clock,
    timeoutMs: LIST_TIMEOUT_MS,
    signal: options.signal,
    onChunk(chunk) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = must(parts.pop());
      for (const part of parts) names.push(part.slice(2));
      return true;
    },
  });
  return names;
}

function ownDefinitions({ root, trusts }: Pick<DiscoverOptions, "root" | "trusts">): ToolDefinition[] {
  const text = projectFile.text(root, OWN_TABLE);
  if (text === undefined || !trusts(OWN_TABLE, text)) return [];
  try {
    return z.array(toolDefinitionSchema).parse(parseYaml(text));
  } catch (error) {
    throw new SylkError({
      code: "TOOLS_FILE_INVALID",
      tier: "user_fixable",
      message: `${OWN_TABLE} is not a list of tools: ${messageOf(error)}`,
      fix: `correct or remove ${path.join(root, OWN_TABLE)}`,
      cause: error,
    });
  }
}

let shipped: readonly ToolDefinition[] | undefined;

/** The table that ships, checked once. */
function builtIn(): readonly ToolDefinition[] {
  return (shipped ??= BUILT_IN_TOOLS.map((item) => toolDefinitionSchema.parse(item)));
}

/** False: no tool of the kind knows such files, so nothing need be looked for. A table of the project's own may name any. */
export function mayHaveTool(root: string, category: ToolDefinition["category"], file: string): boolean {
  const known = builtIn().some((tool) => tool.category === category && tool.extensions.some((ending) => file.endsWith(ending)));
  return known || existsSync(path.join(root, OWN_TABLE));
}

/** Every tool that is known here: the project's own table first. */
export function toolDefinitions(place: Pick<DiscoverOptions, "root" | "trusts">): ToolDefinition[] {
  const own = ownDefinitions(place);
  const isReplaced = (item: ToolDefinition): boolean => own.some((mine) => mine.id === item.id && mine.category === item.category);
  return [...own, ...builtIn().filter((item) => !isReplaced(item))];
}

function languagesOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const language = languageOf(path.extname(name).toLowerCase())?.id;
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return counts;
}

function packageManagersOf(facts: ProjectFacts): PackageManager[] {
  const found: PackageManager[] = [];
  const families = new Set<string>();
  for (const rule of PACKAGE_MANAGERS) {
    const file = rule.files.find((name) => facts.has(name));
    if (file === undefined || families.has(rule.family)) continue;
    families.add(rule.family);
    found.push({ id: rule.id, install: [...rule.install], confidence: rule.exact ? 0.95 : 0.5, reason: `found ${file}` });
  }
  return found;
}

function nestedRoots(names: readonly string[]): string[] {
  const roots = new Set<string>();
  for (const name of names) {
    const dir = path.posix.dirname(name);
    if (
      dir !== "." &&
      MANIFESTS.has(path.posix.basename(name)) &&
      dir.split("/").length <= MAX_NESTED_DEPTH &&
      !/(^|\/)(fixtures?|testdata|node_modules|vendor)(\/|$)/u.test(dir)
    )
      roots.add(dir);
  }
  return [...roots].sort().slice(0, MAX_NESTED_ROOTS);
}

async function discoverTools(options: DiscoverOptions): Promise<ToolDiscovery> {
  const searchPath = options.searchPath ?? process.env["PATH"] ?? "";
  const definitions = toolDefinitions(options);
  const names = await listNames(options);
  const choices: ToolChoice[] = [];
  const managers: PackageManager[] = [];
  const scripts: ToolDiscovery["scripts"] = [];
  for (const root of [".", ...nestedRoots(names)]) {
    const facts = readProjectFacts(path.join(options.root, root), searchPath, options.root);
    const here = root === "." ? names : names.filter((name) => name.startsWith(`${root}/`));
    const languages = languagesOf(here);
    if (root === ".") {
      managers.push(...packageManagersOf(facts));
      scripts.push(...facts.scripts);
    }
    for (const [language, files] of [...languages].sort((a, b) => b[1] - a[1])) {
      for (const category of TOOL_CATEGORIES) {
        const choice = options.remembered?.[`${category}:${language}`] ?? options.remembered?.[category];
        const answer = chooseTool(
          category,
          { facts, root, language },
          definitions,
          choice,
          root === "." && files >= MIN_FILES_FOR_DEFAULTS,
        );
        if (answer !== undefined)
          choices.push(facts.warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...facts.warnings] });
      }
    }
  }
  const languages = [...languagesOf(names)].map(([language, files]) => ({ language, files })).sort((a, b) => b.files - a.files);
  return { root: options.root, languages, packageManagers: managers, choices, scripts };
}

/** Changes when a file that discovery reads appears, disappears or is written. */
function fingerprint(root: string, discovery: ToolDiscovery): string {
  const files = new Set([
    ...MANIFESTS,
    OWN_TABLE,
    ...MAKE_FILES,
    ".vscode/settings.json",
    ".github/workflows",
    "requirements.txt",
    "requirements-dev.txt",
    "setup.cfg",
    "tox.ini",
    "node_modules/.bin",
    ".venv/bin",
  ]);
  for (const item of BUILT_IN_TOOLS) for (const config of item.configs ?? []) files.add(config);
  const roots = new Set([".", ...discovery.choices.map((choice) => choice.root)]);
  const seen: string[] = [];
  for (const dir of roots) {
    for (const file of files) {
      const found = statSync(path.join(root, dir, file), { throwIfNoEntry: false });
      if (found !== undefined) seen.push(`${dir}/${file}:${found.ino}:${found.ctimeMs}:${found.mtimeMs}:${found.size}`);
    }
  }
  return sha256(seen.join("\n"));
}

export interface ToolFinder {
  /** The remembered answer while nothing it depends on changed; `refresh` looks again in any case. */
  find(options?: { refresh?: boolean; signal?: AbortSignal }): Promise<ToolDiscovery & { cached: boolean }>;
}

/** Looking starts processes, which holds up everybody else: not in hundreds of folders at once. */
const slots = createProcessSlots(2, Number.POSITIVE_INFINITY);

export function createToolFinder(options: Omit<DiscoverOptions, "signal">): ToolFinder {
  let last: { discovery: ToolDiscovery; mark: string } | undefined;
  return {
    async find({ refresh = false, signal } = {}) {
      if (last !== undefined && !refresh && fingerprint(options.root, last.discovery) === last.mark)
        return { ...last.discovery, cached: true };
      const free = await slots.take(signal);
      try {
        const discovery = await discoverTools({ ...options, signal });
        last = { discovery, mark: fingerprint(options.root, discovery) };
        return { ...discovery, cached: false };
      } finally {
        free();
      }
    },
  };
}
