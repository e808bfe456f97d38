/** Words on the command line that mean nothing here, and what was probably meant. */
import type { Command, CommanderError } from "commander";
import { SylkError, wording } from "../../kernel/index.ts";
import { COMMANDS } from "./command-table.ts";
import { SHORT_WORDS } from "./short-words.ts";

/** Options taken out before commander sees the rest cannot be suggested by it. */
const GLOBAL_FLAGS = [
  "--json",
  "--quiet",
  "--no-color",
  "--plain",
  "--permission-mode",
  "--allow",
  "--deny",
  "--cd",
  "--version",
  "--help",
];

/** So much of what was typed is said again. */
const MAX_ECHO = 200;

/** What other programs call it. */
const HABITS: Readonly<Record<string, string>> = {
  chat: 'exec "…"',
  start: 'task start "…"',
  continue: "resume",
  diff: "task diff",
  settings: "config list",
  model: "models list",
  cost: "usage",
};

/** The command that was probably meant. */
export function meantBy(name: string): string | undefined {
  return (
    (Object.hasOwn(HABITS, name) ? HABITS[name] : undefined) ??
    wording.nearest(name, [...COMMANDS.map((entry) => entry.name), ...Object.keys(SHORT_WORDS), "help"])
  );
}

export function unknownCommand(name: string): SylkError {
  if (name.trim() === "")
    return new SylkError({
      code: "USAGE_UNKNOWN_COMMAND",
      tier: "user_fixable",
      message: "nothing was said",
      fix: 'say what you want: sylk "make the tests pass"; `sylk help` lists the commands',
    });
  const near = meantBy(name);
  return new SylkError({
    code: "USAGE_UNKNOWN_COMMAND",
    tier: "user_fixable",
    message: `there is no command \`${wording.shorten(name, MAX_ECHO)}\``,
    fix: near === undefined ? "`sylk help` lists the commands" : `did you mean \`sylk ${near}\`? \`sylk help\` lists all`,
  });
}

export function mustBeOption(args: readonly string[]): void {
  const [first = ""] = args;
  if (!first.startsWith("--") || GLOBAL_FLAGS.includes(first)) return;
  const near = wording.nearest(first, GLOBAL_FLAGS);
  throw new SylkError({
    code: "USAGE_UNKNOWN_OPTION",
    tier: "user_fixable",
    message: `there is no option ${wording.shorten(first, MAX_ECHO)}`,
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
      const near = wording.nearest(
        word,
        command.commands.map((one) => one.name()),
      );
      throw new SylkError({
        code: "USAGE_UNKNOWN_COMMAND",
        tier: "user_fixable",
        message: `${command.name()} has no command \`${wording.shorten(word, MAX_ECHO)}\``,
        fix: near === undefined ? `\`sylk help ${command.name()}\` lists them` : `did you mean \`${command.name()} ${near}\`?`,
      });
    }
    command = next;
  }
}

/** What commander says of a wrong word, as every other error: what happened, and what to do. */
export function usageError(program: Command, args: readonly string[], error: CommanderError): SylkError {
  const [said = "", hint] = error.message.replace(/^error: /u, "").split(/\n\(Did you mean |\?\)$/u);
  let command = program;
  let unknown: string | undefined;
  for (const word of args.filter((arg) => !arg.startsWith("-"))) {
    const next = command.commands.find((one) => one.name() === word);
    unknown = next === undefined ? word : undefined;
    if (next === undefined) break;
    command = next;
  }
  // Where one of them needs not be said, another word is taken for too many words of that one.
  const isUnknown = command.commands.length > 0 && (said.startsWith("unknown command") || error.code === "commander.excessArguments");
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  const missing = command.registeredArguments.find((one) => said.includes(`'${one.name()}'`) && said.startsWith("missing"));
  const usage = [...names, ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))].join(" ");
  const next =
    missing !== undefined
      ? `\`${usage}\`${missing.description === "" ? "" : `: ${missing.description}`}`
      : isUnknown
        ? `one of ${command.commands.map((one) => one.name()).join(", ")}`
        : `\`${names.join(" ")} --help\` shows what there is`;
  return new SylkError({
    code: "USAGE",
    tier: "user_fixable",
    message: wording.shorten(isUnknown ? `unknown command '${unknown ?? ""}'` : said, MAX_ECHO),
    fix: hint === undefined ? next : `did you mean ${hint}?`,
    cause: error,
  });
}
