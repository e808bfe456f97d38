/**
 * Tools, by what the line gives them: known ones are followed by their options that load something, installed ones
 * nobody knows by every file a word names. What a tool loads by its own settings is not followed.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { must } from "../../kernel/index.ts";
import { BUILT_IN_TOOLS } from "../discover/tool-table.ts";
import { places, type Behind, type Reader, type Run, type Word } from "./behind.ts";
import {
  COMPILER_FOLDERS,
  DECIDING,
  FOLDER_OPTIONS,
  LISTS,
  LOADING,
  OWN_VALUES,
  PLAIN_OPTIONS,
  SAME,
  SUBCOMMANDS,
  SWITCHES,
  TEXT_OPTIONS,
} from "./known-programs.ts";
import { takeAnyNamed } from "./named-files.ts";

/** What the table that ships would run, whatever the program is called here. */
export function isShipped(program: string, args: readonly Word[]): boolean {
  return BUILT_IN_TOOLS.some(
    (tool) =>
      [tool.run, tool.check].some((known) => known?.length === args.length + 1 && args.every((word, i) => word.value === known[i + 1])) &&
      [...(tool.binaries ?? []), ...(tool.run ?? []).slice(0, 1)].some((binary) => path.basename(binary) === program),
  );
}

export function takeDeciding(behind: Behind, name: string, run: Run): void {
  for (const file of DECIDING[SAME[name] ?? name] ?? [])
    for (const from of run.stand.at)
      for (let dir = from; behind.isInside(dir); dir = path.dirname(dir)) {
        behind.takeIfThere(path.join(dir, file));
        if (dir === behind.root) break;
      }
}

/** The value of an option, if nothing better is known: whatever it names counts. */
function judgeValue(behind: Behind, run: Run, option: string, word: Word): void {
  const text = word.value;
  const looked = FOLDER_OPTIONS.test(option) || (COMPILER_FOLDERS.test(option) && run.name.endsWith("tsc"));
  const isText = TEXT_OPTIONS.test(option);
  if (option.startsWith("-B")) behind.cannot(`where ${run.name} looks for its parts cannot be said`);
  if (text === undefined) {
    if (!(word.glob && looked) && !isText) behind.cannot(`${option} ${word.source} of ${run.name} is decided when it runs`);
  } else if (isText) {
    for (const file of places(text, run.stand)) if (behind.isInside(file)) behind.take(file);
  } else if (/[\s*?{}[\]$`;|&<>"']/u.test(text) && !looked) behind.cannot(`${option} of ${run.name} may run ${text}`);
  else takeAnyNamed(behind, run, text, looked || (OWN_VALUES.test(text) && !LOADING.test(option)) ? "are looked at" : "may be loaded");
}

export function followTool(reader: Reader, run: Run): void {
  const { behind } = reader;
  takeDeciding(behind, run.name, run);
  for (let at = 0; at < run.args.length; at += 1) {
    const word = must(run.args[at]);
    const text = word.value ?? word.leading;
    if (word.splits) behind.cannot(`${word.source} of ${run.name} is decided when it runs`);
    else if (text.startsWith("@") && places(text.slice(1), run.stand).some((file) => existsSync(file)))
      behind.cannot(`${text} holds further words for ${run.name}`);
    else if (text.startsWith("-") && text !== "-" && text !== "--") at += followOption(behind, run, at);
  }
}

const COMPILER = /^(?:cc|gcc|g\+\+|c\+\+|clang|clang\+\+)$/u;
/** Where headers and libraries are, what is warned about, how much is optimized. */
const COMPILER_PLAIN = /^-(?:[ILDUlOgo].*|std=.*|W[a-z][\w=+-]*|pedantic|ansi|[cESM]|MMD|MP|fPIC|pthread|shared|static)$/u;

/** How many words after it belong to it. */
function followOption(behind: Behind, run: Run, at: number): number {
  const word = must(run.args[at]);
  const text = word.value ?? word.leading;
  if (COMPILER.test(run.name) && COMPILER_PLAIN.test(text)) return /^-[ILoDU]$/u.test(text) ? 1 : 0;
  const equals = text.indexOf("=");
  if (equals !== -1) {
    judgeValue(behind, run, text.slice(0, equals), { ...word, value: word.value?.slice(equals + 1) });
    return 0;
  }
  if (SWITCHES.test(text)) return 0;
  // `-c./x.js`, `-qpx`: a short option may hold its value.
  if (/^-[^-]./u.test(text)) judgeValue(behind, run, `-${must(text[1])} `, { ...word, value: word.value?.slice(1) });
  const next = run.args[at + 1];
  if (next === undefined || next.leading.startsWith("-")) return 0;
  let more = 0;
  for (let value: Word | undefined = next; value !== undefined && !value.leading.startsWith("-"); value = run.args[at + more + 1]) {
    judgeValue(behind, run, text, value);
    more += 1;
    if (!LISTS.test(text)) break;
  }
  return more;
}

export function followSubcommand(reader: Reader, run: Run): void {
  const { behind } = reader;
  const name = SAME[run.name] ?? run.name;
  takeDeciding(behind, run.name, run);
  const goals = SUBCOMMANDS[run.name] ?? new Set<string>();
  const options = PLAIN_OPTIONS[name];
  if (options === undefined) {
    if (run.args[0]?.value === undefined || !goals.has(run.args[0].value))
      behind.cannot(`what ${name} ${run.args[0]?.source ?? ""} runs cannot be said`);
    if (name === "karma") for (const word of run.args.slice(1)) takeAnyNamed(behind, run, word.value ?? "", "may be loaded");
    followTool(reader, run);
    return;
  }
  const several = name === "gradle" || name === "mvn";
  let sub: string | undefined;
  for (const word of run.args) {
    const text = word.value;
    if (word.splits || (text === undefined && word.leading === "")) behind.cannot(`${word.source} of ${name} is decided when it runs`);
    else if (text === "--" && sub !== undefined) return;
    else if ((text ?? word.leading).startsWith("-")) {
      if (!options.test(text ?? ""))
        if (text !== "--version") behind.cannot(`the option ${word.source} of ${name} is not one that is known`);
    } else if (sub === undefined || several) {
      sub = (text ?? "").replace(/^(?::?[\w-]+)*:(?=\w+$)/u, "");
      if (name === "mvn" && sub === "clean") continue;
      if (name === "gradle" && sub === "clean") continue;
      if (!goals.has(sub)) behind.cannot(`what ${name} ${word.source} runs cannot be said`);
    }
  }
  if (sub === undefined && !run.args.some((word) => word.value === "--version")) behind.cannot(`what ${name} alone runs cannot be said`);
}

/** A program of the project, or one that is installed and that nobody knows. */
export function followUnknown(reader: Reader, run: Run, starts: (name: string) => boolean, isOwn: boolean): void {
  const { behind } = reader;
  for (const word of run.args) {
    const text = word.value;
    if (text === undefined || word.splits || word.tilde) behind.cannot(`${word.source} of ${run.name} is decided when it runs`);
    else if (/[\s;&|$`*?[\]{}]/u.test(text) || starts(path.basename(text))) behind.cannot(`${run.name} may run ${text}`);
    else takeAnyNamed(behind, run, text, isOwn ? "are looked at" : "may be loaded");
  }
}
