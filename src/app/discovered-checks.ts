/** The project's own test, type and lint commands as a task's checks, when the person names none. */
import { toolCommand, toolFor, type ToolCategory, type ToolCommandName, type ToolDiscovery } from "../workspace/index.ts";

export interface NamedCheck {
  name: string;
  command: string;
}

const WANTED: [string, ToolCategory, ToolCommandName[]][] = [
  ["types", "type_checker", ["check", "run"]],
  ["lint", "linter", ["check"]],
  ["test", "test_framework", ["run"]],
];

function quote(argument: string): string {
  return /^[\w./:@=,+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Only what the project itself sets up: a language's default tool is a guess, not a check. */
export function checksFrom(discovery: ToolDiscovery): NamedCheck[] {
  return WANTED.flatMap(([name, category, commands]) => {
    const choice = toolFor(discovery, category);
    if (choice === undefined || choice.requiresUser || choice.tool.source === "language_default") return [];
    const command = commands.map((one) => toolCommand(choice, one)).find((one) => one !== undefined);
    return command === undefined || command.cwd !== "." ? [] : [{ name, command: command.argv.map(quote).join(" ") }];
  });
}
