/** Shapes of tool discovery (DIS-002, DIS-003, FMT-004, FMT-011, FMT-045). */
import { z } from "zod";

export const TOOL_CATEGORIES = ["formatter", "linter", "type_checker", "test_framework", "build", "lsp"] as const;
export type ToolCategory = (typeof TOOL_CATEGORIES)[number];

/** Formats the parsers of `reports/` read. */
const REPORT_FORMATS = [
  "junit",
  "tap",
  "jest-json",
  "vitest-json",
  "go-test-json",
  "pytest",
  "cargo-test",
  "cargo-json",
  "tsc",
  "eslint-json",
  "biome-json",
  "ruff-json",
  "mocha-json",
  "rspec-json",
  "text",
] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

const argv = z.array(z.string()).min(1);

/** `$FILE`, `$TEST` and `$OUT` stand for a file, a test's name and a report file. */
export const toolDefinitionSchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  category: z.enum(TOOL_CATEGORIES),
  languages: z.array(z.string()).min(1),
  extensions: z.array(z.string()).default([]),
  /** The executable looked for; the first found is used. */
  binaries: z.array(z.string()).default([]),
  /** Files whose presence configures the tool. */
  configs: z.array(z.string()).default([]),
  /** Sections that configure it: `pyproject.toml#tool.ruff`, `package.json#jest`, `setup.cfg#tool:pytest`. */
  sections: z.array(z.string()).default([]),
  /** Dependencies that imply it. */
  packages: z.array(z.string()).default([]),
  /** The language's own manifest is enough: the tool comes with the language. */
  native: z.array(z.string()).default([]),
  /** Higher wins among tools with equal evidence. */
  priority: z.number().default(50),
  run: argv.optional(),
  file: argv.optional(),
  single: argv.optional(),
  /** Test runners: the tests that belong to `$FILE`. */
  related: argv.optional(),
  coverage: argv.optional(),
  watch: argv.optional(),
  /** Looks without writing. */
  check: argv.optional(),
  fix: argv.optional(),
  /** Formatters: reads the text of `$FILE` from its input and writes it formatted; changes no file. */
  stdin: argv.optional(),
  /** How to ask for a report a parser can read. */
  report: z.object({ args: z.array(z.string()), format: z.enum(REPORT_FORMATS) }).optional(),
  testFiles: z.array(z.string()).default([]),
  testFolders: z.array(z.string()).default([]),
  /** Language servers: further files that mark the folder it works in; without one it is not started. */
  roots: z.array(z.string()).default([]),
  /** What the protocol calls a file with this ending, where that is not the language's id. */
  languageIds: z.record(z.string(), z.string()).default({}),
  /** It looks for style only, beside the one that knows the types. */
  beside: z.boolean().default(false),
  initOptions: z.record(z.string(), z.json()).optional(),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
export type ToolDefinitionInput = z.input<typeof toolDefinitionSchema>;

export type ToolSource = "user_choice" | "config_file" | "package_manifest" | "script" | "ci" | "editor" | "language_default";
export type ToolLevel = "high" | "medium" | "low";
export type ToolCommandName = "run" | "file" | "single" | "coverage" | "watch" | "check" | "fix" | "stdin" | "related";

export interface DiscoveredTool {
  id: string;
  name: string;
  category: ToolCategory;
  language: string;
  /** Folder of the package it belongs to, relative to the project; `.` for the root. */
  root: string;
  commands: Partial<Record<ToolCommandName, string[]>>;
  report: { args: string[]; format: ReportFormat } | undefined;
  testFiles: string[];
  testFolders: string[];
  extensions: string[];
  configPath: string | undefined;
  version: string | undefined;
  installed: boolean;
  installCommand: string[] | undefined;
  source: ToolSource;
  /** 0 to 1: configuration 0.50, dependency 0.25, runnable binary 0.20, language alone 0.10. */
  confidence: number;
  level: ToolLevel;
  reason: string;
}

export interface ToolChoice {
  category: ToolCategory;
  language: string;
  root: string;
  tool: DiscoveredTool;
  alternatives: { id: string; reason: string }[];
  warnings: string[];
  /** 1: found in the project. 3: only defaults are known, a user should choose. */
  tier: 1 | 3;
  requiresUser: boolean;
}

export interface PackageManager {
  id: string;
  install: string[];
  confidence: number;
  reason: string;
}

export interface ToolDiscovery {
  root: string;
  languages: { language: string; files: number }[];
  packageManagers: PackageManager[];
  choices: ToolChoice[];
  /** Named entry points of the project itself: package scripts and make targets. */
  /** `line`: what it runs. */
  scripts: { name: string; command: string[]; line: string; from: string }[];
}
