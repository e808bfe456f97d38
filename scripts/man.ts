/**
 * The manual page, made of the command table: `node scripts/man.ts` writes `man/sylk.1`. A test compares, so that a
 * word or an option that changes changes the page too.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Command } from "commander";
import { SHORT_WORDS } from "../src/surface/cli/short-words.ts";
import { COMMANDS } from "../src/surface/cli/command-table.ts";
import type { CliContext } from "../src/surface/cli/command.ts";
import { GLOBAL_OPTIONS } from "../src/surface/cli/global-options.ts";
import { EXIT_WORDS } from "../src/surface/cli/exit-codes.ts";

/** What would steer the formatter: backslashes, hyphens that are to be typed, quotes, a point at the start of a line; and what is no ASCII. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll(/[^\0-\u007F]/gu, (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`)
    .replaceAll(/^(?=[.'])/gmu, "\\&");

const FILES: readonly (readonly [string, string])[] = [
  ["~/.config/sylk/", "configuration, roles, commands, MCP servers and rules of your own (SYLK_HOME or XDG_* move it)"],
  [".sylk/", "what a project shares; counts after sylk trust"],
  ["AGENTS.md, CLAUDE.md", "rules for agents"],
];

function usage(command: Command): string {
  const args = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? "..." : ""}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const words = [command.name(), ...args];
  for (let above = command.parent; above !== null; above = above.parent) words.unshift(above.name());
  return words.join(" ");
}

const item = (head: string, text: string): string => `.TP\n.B ${roff(head)}\n${roff(text)}`;

function optionsOf(command: Command): string[] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  return shown.length === 0 ? [] : [".RS", ...shown.map(({ flags, description }) => item(flags, description)), ".RE"];
}

async function words(): Promise<string[]> {
  const pages = COMMANDS.map(async ({ name, summary, load }) => {
    const command = new Command("sylk").command(name);
    (await load()).command.build(command, { out: {}, commands: COMMANDS } as unknown as CliContext);
    return [
      `.SS ${roff(`sylk ${name}`)}`,
      roff(summary),
      ...(command.commands.length === 0 || command.options.length > 0 ? [".PP", `.B ${roff(usage(command))}`, ...optionsOf(command)] : []),
      ...command.commands.flatMap((one) => [item(usage(one), one.description()), ...optionsOf(one)]),
    ];
  });
  return (await Promise.all(pages)).flat();
}

export async function manPage(): Promise<string> {
  return `${[
    `.TH SYLK 1 "" "Sylk" "User Commands"`,
    ".SH NAME",
    roff("sylk - a team of software agents that cannot forget"),
    ".SH SYNOPSIS",
    ".B sylk",
    "[\\fIword\\fR] [\\fIoptions\\fR]",
    ".br",
    ".B sylk",
    '"\\fIwhat you want\\fR"',
    ".SH DESCRIPTION",
    roff("At a terminal sylk opens a session. With a sentence it carries out one verified task; with a word it does what the word says."),
    ".SH OPTIONS THAT WORK EVERYWHERE",
    ...GLOBAL_OPTIONS.map(([flags, text]) => item(flags, text)),
    ".SH SHORT WORDS",
    ...Object.entries(SHORT_WORDS).map(([word, meant]) => item(`sylk ${word}`, `sylk ${meant.join(" ")}`)),
    ".SH WORDS",
    ...(await words()),
    ".SH EXIT STATUS",
    ...EXIT_WORDS.map(([code, text]) => item(code, text)),
    ".SH FILES",
    ...FILES.map(([file, text]) => item(file, text)),
    ".SH SEE ALSO",
    roff("sylk help <word> shows examples."),
  ].join("\n")}\n`;
}

if (import.meta.main) {
  const folder = path.join(import.meta.dirname, "../man");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "sylk.1"), await manPage());
}
