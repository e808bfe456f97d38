/** Carries out one sub-command: from the shell, and from a session. */
import { Command, CommanderError } from "commander";
import { VERSION } from "../../app/index.ts";
import type { CliContext } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { EXIT, EXIT_WORDS } from "./exit-codes.ts";
import { GLOBAL_OPTIONS } from "./global-options.ts";
import { SHORT_WORDS } from "./short-words.ts";
import { belowHelp } from "./help-examples.ts";
import type { Output } from "./output.ts";
import { mustBeOption, mustHaveSubCommands, unknownCommand, usageError } from "./unknown-words.ts";

const WIDTH = 15;
const lines = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([head, text]) => `  ${head.padEnd(WIDTH)}${head.length > WIDTH ? "   " : "  "}${text}`).join("\n");

const ABOUT = `A team of software agents that cannot forget.

${lines([
  ["sylk", "a session: say what you want"],
  ['sylk "…"', "one verified task, or an answer"],
  ['sylk run "…"', "a request: planned, built, judged, merged"],
  ["sylk -c", "go on where you were"],
])}`;

const GLOBAL_HELP = `
Options that work everywhere:
${lines(GLOBAL_OPTIONS)}

Short words:
${lines(Object.entries(SHORT_WORDS).map(([word, words]) => [word, words.join(" ")]))}

Exit codes:
${lines(EXIT_WORDS)}`;

function createProgram(out: Output): Command {
  const program = new Command("sylk")
    .description(ABOUT)
    .version(out.json ? JSON.stringify({ version: VERSION }) : VERSION, "-V, --version", "print the version")
    .commandsGroup(COMMANDS.at(-1)?.group ?? "")
    .helpCommand("help [command]", "help for a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.line(text.trimEnd()),
      writeErr: (text) => out.note(text.trimEnd()),
      // Said at the end, with what to do.
      outputError: () => undefined,
    })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `${GLOBAL_HELP}\n\nExamples:\n  $ sylk doctor\n  $ sylk task start "make the tests pass" --check "npm test"\n  $ sylk journal tail --follow`,
    );
  program.addHelpText("afterAll", ({ command }) => (command === program ? "" : belowHelp(command)));
  return program;
}

/** `help a b` is `a b --help`, to any depth. */
function withoutHelpWord(args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith("-"));
  return words[0] === "help" && words.length > 1 ? [...words.slice(1), "--help"] : args;
}

export async function carryOut(cli: CliContext, given: readonly string[]): Promise<void> {
  const program = createProgram(cli.out);
  const args = withoutHelpWord(given);
  const name = args.find((arg) => !arg.startsWith("-"));
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).description(entry.summary).helpGroup(entry.group);
    if (entry.name === name) {
      const module = await entry.load();
      module.command.build(command, cli);
    }
  }
  if (name === undefined && args.length === 0) {
    const { showFirstScreen } = await import("./first-screen.ts");
    await showFirstScreen(cli);
    return;
  }
  mustBeOption(args);
  if (name !== undefined && name !== "help" && !COMMANDS.some((entry) => entry.name === name)) throw unknownCommand(name);
  if (args !== given) mustHaveSubCommands(program, args);
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end as errors too; they are none.
    const isHelp = error.exitCode === 0 || error.code.startsWith("commander.help");
    if (!isHelp) throw usageError(program, args, error);
    cli.setExit(error.exitCode === 0 ? EXIT.success : EXIT.usage);
  }
}
