/** Words on the command line that mean nothing here, and what was probably meant. */
import type { Command } from "commander";
import { nearestWord, SylkError } from "../../kernel/index.ts";
import { COMMANDS } from "./command-table.ts";

/** Options taken out before commander sees the rest cannot be suggested by it. */
const GLOBAL_FLAGS = ["--json", "--quiet", "--no-color", "--permission-mode", "--allow", "--deny", "--cd", "--version", "--help"];

export function unknownCommand(name: string): SylkError {
  const near = nearestWord(name, [...COMMANDS.map((entry) => entry.name), "help"]);
  return new SylkError({
    code: "USAGE_UNKNOWN_COMMAND",
    tier: "user_fixable",
    message: `there is no command \`${name}\``,
    fix: near === undefined ? "`sylk help` lists the commands" : `did you mean \`sylk ${near}\`? \`sylk help\` lists all`,
  });
}

export function mustBeOption(args: readonly string[]): void {
  const [first = ""] = args;
  if (!first.startsWith("--") || GLOBAL_FLAGS.includes(first)) return;
  const near = nearestWord(first, GLOBAL_FLAGS);
  throw new SylkError({
    code: "USAGE_UNKNOWN_OPTION",
    tier: "user_fixable",
    message: `there is no option ${first}`,
    fix: near === undefined ? "`sylk help` lists the options" : `did you mean ${near}?`,
  });
}

/** Commander says nothing of a sub-command that is not there when help is asked for. */
export function mustHaveSubCommands(program: Command, args: readonly string[]): void {
  let command = program;
  for (const word of args.filter((arg) => !arg.startsWith("-"))) {
    if (command.commands.length === 0) return;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) {
      const near = nearestWord(
        word,
        command.commands.map((one) => one.name()),
      );
      throw new SylkError({
        code: "USAGE_UNKNOWN_COMMAND",
        tier: "user_fixable",
        message: `${command.name()} has no command \`${word}\``,
        fix: near === undefined ? `\`sylk help ${command.name()}\` lists them` : `did you mean \`${command.name()} ${near}\`?`,
      });
    }
    command = next;
  }
}
