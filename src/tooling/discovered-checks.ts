/** The project's own test, type and lint commands as a task's checks, when the user names none. */
import { createLineReader } from "./behind/read-line.ts";
import { toolCommand, toolFor } from "./discover/tool-command.ts";
import type { ToolCategory, ToolCommandName, ToolDiscovery } from "./discover/types.ts";

export interface DiscoveredCheck {
  name: string;
  command: string;
  /** The project's own lines that run by that name, and the files that decide how, each with its hash. */
  runs: string[];
  /** Why it cannot be said what it would run; nobody can agree to it for good. */
  unclear?: string | undefined;
}

interface Wanted {
  name: string;
  /** Entry points projects give it, in order of preference. */
  scripts: string[];
  category: ToolCategory;
  commands: ToolCommandName[];
}

const WANTED: readonly Wanted[] = [
  { name: "types", scripts: ["typecheck", "type-check", "types", "check-types"], category: "type_checker", commands: ["check", "run"] },
  { name: "lint", scripts: ["lint"], category: "linter", commands: ["check"] },
  { name: "test", scripts: ["test"], category: "test_framework", commands: ["run"] },
];

function quote(argument: string): string {
  return /^[\w./:@=,+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

type Script = ToolDiscovery["scripts"][number];

/** What a package manager runs before and after, and every script these name in turn; of a Makefile, all of it. */
function linesBehind(script: Script, all: readonly Script[]): string[] {
  const same = all.filter((one) => one.from === script.from);
  if (script.from !== "package.json") return same.map((one) => `${one.name}: ${one.line}`);
  const reached = new Set<Script>();
  const follow = (name: string): void => {
    for (const one of same) {
      if (reached.has(one) || ![name, `pre${name}`, `post${name}`].includes(one.name)) continue;
      reached.add(one);
      const words = new Set(one.line.split(/[\s;&|()'"]+/u));
      for (const other of same) if (words.has(other.name)) follow(other.name);
    }
  };
  follow(script.name);
  return same.filter((one) => reached.has(one)).map((one) => `${one.name}: ${one.line}`);
}

function withBehind(root: string, name: string, command: string): DiscoveredCheck {
  const { reader, result } = createLineReader(root);
  reader.line(command, { at: [root], home: root });
  const { lines, unclear } = result();
  return { name, command, runs: lines, ...(unclear === undefined ? {} : { unclear }) };
}

/** The project's own entry points first, then the tools it sets up; a language's default tool is a guess, not a check. */
export function checksFrom(discovery: ToolDiscovery): DiscoveredCheck[] {
  return WANTED.flatMap(({ name, scripts, category, commands }) => {
    const own = scripts.map((wanted) => discovery.scripts.find((script) => script.name === wanted)).find((script) => script !== undefined);
    if (own !== undefined) return [withBehind(discovery.root, name, own.command.map(quote).join(" "))];
    const choice = toolFor(discovery, category);
    if (choice === undefined || choice.requiresUser || choice.tool.source === "language_default") return [];
    const command = commands.map((one) => toolCommand(choice, one)).find((one) => one !== undefined);
    if (command === undefined || command.cwd !== ".") return [];
    return [withBehind(discovery.root, name, command.argv.map(quote).join(" "))];
  });
}

/** Programs that fetch, install or run anything: a check that begins with one says nothing about what else it may do. */
const TOO_WIDE =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|pip3?|uv|poetry|pipenv|pdm|gem|bundle|composer|sh|bash|zsh|dash|env|xargs|eval|exec|git|curl|wget|docker|podman|ssh|rm|cp|mv|sudo|make|cd|echo|test)$/u;
/** Stand before the program that matters. */
const BEFORE = /^(?:[A-Za-z_]\w*=\S*|cross-env|c8|nyc|time)$/u;

/** How checks begin, as words: each command itself, and the programs that the project's own lines behind it run. */
export function programsOf(discovery: ToolDiscovery, commands: readonly string[]): string[][] {
  const found: string[][] = [];
  for (const command of commands) {
    const words = command.split(/\s+/u).filter((word) => word !== "");
    if (/[|&;<>()$`"'\\]/u.test(command)) continue;
    found.push(words);
    const script = discovery.scripts.find((one) => one.command.join(" ") === command);
    const lines =
      script === undefined ? [command] : linesBehind(script, discovery.scripts).map((line) => line.slice(line.indexOf(": ") + 2));
    for (const line of lines)
      for (const part of line.split(/&&|\|\||[;|\n]/u)) {
        const program = part.split(/\s+/u).find((word) => word !== "" && !BEFORE.test(word));
        if (program !== undefined && /^[\w./-]+$/u.test(program) && !TOO_WIDE.test(program)) found.push([program]);
      }
  }
  return found;
}
