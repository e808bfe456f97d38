/** The project's own test, type and lint commands as a task's checks, when the person names none. */
import { toolCommand, toolFor, type ToolCategory, type ToolCommandName, type ToolDiscovery } from "../workspace/index.ts";

export interface NamedCheck {
  name: string;
  command: string;
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

/** The project's own entry points first, then the tools it sets up; a language's default tool is a guess, not a check. */
export function checksFrom(discovery: ToolDiscovery): NamedCheck[] {
  return WANTED.flatMap(({ name, scripts, category, commands }) => {
    const own = scripts.map((wanted) => discovery.scripts.find((script) => script.name === wanted)).find((script) => script !== undefined);
    if (own !== undefined) return [{ name, command: own.command.map(quote).join(" ") }];
    const choice = toolFor(discovery, category);
    if (choice === undefined || choice.requiresUser || choice.tool.source === "language_default") return [];
    const command = commands.map((one) => toolCommand(choice, one)).find((one) => one !== undefined);
    return command === undefined || command.cwd !== "." ? [] : [{ name, command: command.argv.map(quote).join(" ") }];
  });
}
