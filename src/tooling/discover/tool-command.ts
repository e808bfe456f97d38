/** Picks the tool for a file and fills in its command (FMT-012, FMT-047, FMT-050). */
import { must } from "../../kernel/index.ts";
import path from "node:path";
import { languageOf } from "../../code/index.ts";
import type { ToolCategory, ToolChoice, ToolCommandName, ToolDiscovery } from "./types.ts";

/** The choice of the nearest package root for the file's language, or for the main language without a file. */
export function toolFor(discovery: ToolDiscovery, category: ToolCategory, file?: string): ToolChoice | undefined {
  const fitting = discovery.choices.filter((choice) => choice.category === category);
  if (file === undefined) {
    const order = discovery.languages.map((item) => item.language);
    return fitting
      .filter((choice) => choice.root === ".")
      .sort((a, b) => Number(a.requiresUser) - Number(b.requiresUser) || order.indexOf(a.language) - order.indexOf(b.language))[0];
  }
  const extension = path.extname(file).toLowerCase();
  const language = languageOf(extension)?.id;
  const speaks = (choice: ToolChoice): boolean => choice.tool.extensions.includes(extension) || choice.language === language;
  const covers = (choice: ToolChoice): boolean => choice.root === "." || file.startsWith(`${choice.root}/`);
  return fitting
    .filter((choice) => speaks(choice) && covers(choice))
    .sort(
      (a, b) =>
        Number(a.requiresUser) - Number(b.requiresUser) ||
        b.root.length - a.root.length ||
        Number(b.language === language) - Number(a.language === language),
    )[0];
}

export interface CommandParts {
  file?: string | undefined;
  test?: string | undefined;
  line?: number | undefined;
  /** Where a machine-readable report may be written; with it the report arguments are added. */
  reportFile?: string | undefined;
}

export interface ToolCommand {
  argv: string[];
  /** Folder to run in, relative to the project. */
  cwd: string;
  /** Where the report will be: in the file asked for, or on standard output. */
  report: { format: NonNullable<ToolChoice["tool"]["report"]>["format"]; in: "file" | "stdout" } | undefined;
}

/** Undefined when the tool has no such command. */
export function toolCommand(choice: ToolChoice, name: ToolCommandName, parts: CommandParts = {}): ToolCommand | undefined {
  const template = choice.tool.commands[name];
  if (template === undefined) return undefined;
  const file = parts.file === undefined ? undefined : path.posix.relative(choice.root === "." ? "" : choice.root, parts.file);
  const values: Record<string, string | undefined> = {
    $FILE: file,
    $DIR: file === undefined ? undefined : `./${path.posix.dirname(file)}`,
    $STEM: file === undefined ? undefined : path.posix.basename(file, path.posix.extname(file)),
    $TEST: parts.test,
    $LINE: parts.line?.toString(),
    $OUT: parts.reportFile,
  };
  const { report } = choice.tool;
  const asked = report !== undefined && parts.reportFile !== undefined && name !== "watch" && name !== "fix";
  const argv: string[] = [];
  for (const word of [...template, ...(asked ? report.args : [])]) {
    const missing = /\$(?:FILE|DIR|STEM|TEST|LINE|OUT)\b/u.exec(word)?.[0];
    if (missing !== undefined && values[missing] === undefined) return undefined;
    argv.push(word.replace(/\$(?:FILE|DIR|STEM|TEST|LINE|OUT)\b/gu, (mark) => must(values[mark])));
  }
  return {
    argv,
    cwd: choice.root,
    report: asked ? { format: report.format, in: report.args.some((arg) => arg.includes("$OUT")) ? "file" : "stdout" } : undefined,
  };
}
