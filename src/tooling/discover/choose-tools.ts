/**
 * From facts to a choice per category and language (DIS-004, DIS-008, FMT-005, FMT-012, FMT-048,
 * FMT-049): the user's remembered choice first, then configuration before dependencies before the
 * language's defaults, then priority, then the id. Every answer carries its reason.
 */
import { must } from "../../kernel/index.ts";
import { languageById, type UsualTool } from "../../code/index.ts";
import type { ProjectFacts, Script } from "./project-facts.ts";
import type { DiscoveredTool, ToolCategory, ToolChoice, ToolCommandName, ToolDefinition, ToolLevel, ToolSource } from "./types.ts";

const COMMAND_NAMES: readonly ToolCommandName[] = ["run", "file", "single", "coverage", "watch", "check", "fix", "stdin", "related"];
const WEIGHT = { config: 0.5, dependency: 0.25, script: 0.3, binary: 0.2, language: 0.1 };

/** A remembered answer: a known tool's id, or a command of the user's own. */
export type RememberedChoice = { tool: string } | { command: readonly string[] };

interface Evidence {
  config: string | undefined;
  dependency: { version: string | undefined; manifest: string; name: string } | undefined;
  binary: string | undefined;
  seen: { file: string; kind: "ci" | "editor" } | undefined;
  script: Script | undefined;
}

/** Package scripts that speak for a category. */
const SCRIPT_NAMES: Readonly<Record<ToolCategory, readonly string[]>> = {
  test_framework: ["test", "tests", "test:unit"],
  linter: ["lint"],
  type_checker: ["typecheck", "type-check", "check-types", "tsc"],
  formatter: ["format", "fmt"],
  build: ["build", "compile"],
  lsp: [],
};

function usualTool(language: string, category: ToolCategory): UsualTool | undefined {
  return category === "build" ? undefined : languageById(language)?.tools[category];
}

function evidenceFor(definition: ToolDefinition, facts: ProjectFacts): Evidence {
  const config =
    definition.configs.find((file) => facts.has(file)) ??
    definition.sections.find((section) => facts.hasSection(section)) ??
    definition.native.find((file) => facts.has(file));
  const name = definition.packages.find((item) => facts.dependency(item) !== undefined);
  const dependency = name === undefined ? undefined : facts.dependency(name);
  const binary = definition.binaries.find((item) => facts.binary(item) !== undefined);
  const word =
    definition.run?.[0] === "cargo" || definition.run?.[0] === "go"
      ? definition.run.slice(0, 2).join(" ")
      : (definition.binaries[0] ?? definition.id);
  return {
    config,
    dependency: dependency === undefined || name === undefined ? undefined : { ...dependency, name },
    binary: binary === undefined ? undefined : facts.binary(binary),
    seen: facts.mentions(word),
    script: facts.scripts.find(
      (script) =>
        SCRIPT_NAMES[definition.category].includes(script.name) &&
        new RegExp(`(?<![\\w-])${definition.binaries[0] ?? definition.id}(?![\\w-])`, "u").test(script.line),
    ),
  };
}

function commandsOf(definition: ToolDefinition, binary: string | undefined): Partial<Record<ToolCommandName, string[]>> {
  const commands: Partial<Record<ToolCommandName, string[]>> = {};
  for (const name of COMMAND_NAMES) {
    const command = definition[name];
    if (command === undefined) continue;
    const [first, ...rest] = command;
    // Only the tool's own executable is replaced by the one found; companions such as `nyc` keep their name.
    const own = definition.binaries.some(
      (item) => item === first || item === `./${first}w` || item === `./${first === "mvn" ? "mvnw" : first}`,
    );
    commands[name] = [own && binary !== undefined ? binary : (first as string), ...rest];
  }
  return commands;
}

function grade(
  evidence: Evidence,
  definition: ToolDefinition,
): { source: ToolSource; level: ToolLevel; confidence: number; reason: string } | undefined {
  const { config, dependency, binary, seen, script } = evidence;
  const own = config !== undefined;
  const confidence =
    (own ? WEIGHT.config : 0) +
    (dependency !== undefined ? WEIGHT.dependency : 0) +
    (binary !== undefined ? WEIGHT.binary : 0) +
    (script !== undefined || seen !== undefined ? WEIGHT.language : 0);
  const parts = [
    config === undefined ? "" : config.includes("#") ? `section ${config.replace("#", " → ")}` : `found ${config}`,
    dependency === undefined ? "" : `${dependency.name} in ${dependency.manifest}`,
    script === undefined ? "" : `script "${script.name}"`,
    seen === undefined ? "" : `used in ${seen.file}`,
    binary === undefined ? "executable not found" : `executable ${binary}`,
  ].filter((part) => part !== "");
  const reason = parts.join(", ");
  const sure = Math.min(1, Math.round(confidence * 100) / 100);
  if (own) return { source: "config_file", level: "high", confidence: sure, reason };
  if (dependency !== undefined) return { source: "package_manifest", level: "medium", confidence: sure, reason };
  if (script !== undefined) return { source: "script", level: "medium", confidence: sure, reason };
  if (seen !== undefined) return { source: seen.kind, level: "medium", confidence: sure, reason };
  // Installed and for this language, but the project never names it.
  if (binary !== undefined && definition.configs.length + definition.packages.length + definition.native.length === 0)
    return { source: "language_default", level: "low", confidence: sure, reason };
  return undefined;
}

interface Place {
  facts: ProjectFacts;
  root: string;
  language: string;
}

function toTool(
  definition: ToolDefinition,
  evidence: Evidence,
  graded: NonNullable<ReturnType<typeof grade>>,
  place: Place,
): DiscoveredTool {
  const fallback = usualTool(place.language, definition.category);
  return {
    id: definition.id,
    name: definition.name ?? definition.id,
    category: definition.category,
    language: place.language,
    root: place.root,
    commands: commandsOf(definition, evidence.binary),
    report: definition.report,
    testFiles: definition.testFiles,
    testFolders: definition.testFolders,
    extensions: definition.extensions,
    configPath: evidence.config?.split("#")[0],
    version: evidence.dependency?.version,
    installed: evidence.binary !== undefined,
    installCommand:
      evidence.binary === undefined && fallback?.id === definition.id && fallback.install !== undefined ? [...fallback.install] : undefined,
    ...graded,
  };
}

/** A project script that no known tool explains still says how the project wants it done. One of package.json says nothing about other languages. */
function scriptTool(category: ToolCategory, place: Place): DiscoveredTool | undefined {
  const script = place.facts.scripts.find(
    (item) =>
      SCRIPT_NAMES[category].includes(item.name) && (item.from !== "package.json" || languageById(place.language)?.packageScripts === true),
  );
  if (script === undefined) return undefined;
  return {
    id: `script:${script.name}`,
    name: `${script.command.join(" ")}`,
    category,
    language: place.language,
    root: place.root,
    commands: { run: script.command },
    report: undefined,
    testFiles: [],
    testFolders: [],
    extensions: [],
    configPath: script.from,
    version: undefined,
    installed: place.facts.binary(must(script.command[0])) !== undefined,
    installCommand: undefined,
    source: "script",
    level: "medium",
    confidence: WEIGHT.script + WEIGHT.binary,
    reason: `${script.from} has "${script.name}": ${script.line.split("\n")[0] ?? ""}`,
  };
}

function remembered(
  choice: RememberedChoice,
  category: ToolCategory,
  definitions: readonly ToolDefinition[],
  place: Place,
): DiscoveredTool | undefined {
  const sure = { source: "user_choice", level: "high", confidence: 1, reason: "chosen by the user" } as const;
  if ("tool" in choice) {
    const definition = definitions.find((item) => item.id === choice.tool && item.category === category);
    return definition === undefined ? undefined : toTool(definition, evidenceFor(definition, place.facts), sure, place);
  }
  const [first = "", ...rest] = choice.command;
  return {
    id: "custom",
    name: choice.command.join(" "),
    category,
    language: place.language,
    root: place.root,
    commands: { run: [first, ...rest] },
    report: undefined,
    testFiles: [],
    testFolders: [],
    extensions: [],
    configPath: undefined,
    version: undefined,
    installed: place.facts.binary(first) !== undefined,
    installCommand: undefined,
    ...sure,
  };
}

function warningsFor(tool: DiscoveredTool): string[] {
  if (!tool.installed)
    return [
      tool.level === "low"
        ? `${tool.name} is not installed`
        : `${tool.name} is configured but its executable was not found${tool.installCommand === undefined ? "" : `; install it with: ${tool.installCommand.join(" ")}`}`,
    ];
  return tool.confidence < 0.5 ? [`low confidence (${tool.confidence}): ${tool.reason}`] : [];
}

/** What comes with the language counts only where it is installed. */
const usable = (item: { rank: number; tool: DiscoveredTool }): number => (item.rank <= 1 && !item.tool.installed ? 0 : 1);

/** The choice for one category and language at one package root; undefined when nothing is known. */
export function chooseTool(
  category: ToolCategory,
  place: Place,
  definitions: readonly ToolDefinition[],
  choice: RememberedChoice | undefined,
  offerDefaults: boolean,
): ToolChoice | undefined {
  const fitting = definitions.filter((definition) => definition.category === category && definition.languages.includes(place.language));
  const found = fitting
    .map((definition) => {
      const evidence = evidenceFor(definition, place.facts);
      const graded = grade(evidence, definition);
      // Configuration of its own outranks the mere presence of the language's manifest.
      const ownConfig = evidence.config !== undefined && !definition.native.includes(evidence.config);
      const rank = ownConfig
        ? 3
        : evidence.dependency !== undefined || evidence.script !== undefined
          ? 2
          : evidence.config !== undefined
            ? 1
            : 0;
      return graded === undefined ? undefined : { tool: toTool(definition, evidence, graded, place), rank, priority: definition.priority };
    })
    .filter((item) => item !== undefined)
    .sort((a, b) => b.rank - a.rank || usable(b) - usable(a) || b.priority - a.priority || (a.tool.id < b.tool.id ? -1 : 1));
  const tools = found.map((item) => item.tool);
  const chosen = choice === undefined ? undefined : remembered(choice, category, definitions, place);
  const script = scriptTool(category, place);
  // The bare language runner is a guess where the project has its own script for it.
  const guess = found[0]?.rank === 1 && found[0].priority <= 20;
  const ordered = guess && script !== undefined ? [script, ...tools] : [...tools, ...(script === undefined ? [] : [script])];
  const first = chosen ?? ordered[0];
  const unknown = choice !== undefined && chosen === undefined ? [`the remembered choice is not a known ${category}`] : [];
  const alternatives = ordered
    .filter((tool) => tool !== first && tool.id !== first?.id)
    .map((tool) => ({ id: tool.id, reason: tool.reason }));
  if (first !== undefined)
    return {
      category,
      language: place.language,
      root: place.root,
      tool: first,
      alternatives,
      warnings: [...unknown, ...warningsFor(first)],
      tier: 1,
      requiresUser: false,
    };
  const fallback = offerDefaults ? usualTool(place.language, category) : undefined;
  const definition = fallback === undefined ? undefined : fitting.find((item) => item.id === fallback.id);
  if (definition === undefined) return undefined;
  const evidence = evidenceFor(definition, place.facts);
  const reason = `the usual ${category.replace("_", " ")} for ${place.language}; nothing is configured`;
  const tool = toTool(
    definition,
    evidence,
    { source: "language_default", level: "low", confidence: WEIGHT.language + (evidence.binary === undefined ? 0 : WEIGHT.binary), reason },
    place,
  );
  return {
    category,
    language: place.language,
    root: place.root,
    tool,
    alternatives,
    warnings: [...unknown, ...warningsFor(tool)],
    tier: 3,
    requiresUser: true,
  };
}
