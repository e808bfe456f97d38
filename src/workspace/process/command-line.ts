/**
 * From what an agent wrote to what is started (TOO-006, TOO-007). A line without any shell syntax
 * becomes an executable and its arguments; anything else is a shell line and says so, so that the
 * permission layer sees which of the two it is.
 */
import { must } from "../../kernel/index.ts";
import type { CommandLine } from "../gate.ts";

/** Characters with a meaning for the shell outside quotes; `$`, backtick and `!` also inside double quotes. */
const SHELL_META = new Set("|&;<>()*?[]{}$`~#!=\n\\".split(""));
const DOUBLE_META = /[$`\\!]/u;

/** Words of a line that needs no shell; undefined when it does. */
function splitPlainWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < line.length; i += 1) {
    const c = must(line[i]);
    if (c === " " || c === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === "'" || c === '"') {
      const end = line.indexOf(c, i + 1);
      if (end === -1) return undefined;
      const inner = line.slice(i + 1, end);
      if (c === '"' && DOUBLE_META.test(inner)) return undefined;
      word = (word ?? "") + inner;
      i = end;
    } else if (SHELL_META.has(c) && !(c === "=" && words.length > 0)) {
      return undefined;
    } else {
      word = (word ?? "") + c;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Undefined for an empty command. */
export function toCommandLine(command: string | readonly string[]): CommandLine | undefined {
  if (typeof command !== "string") {
    const [file, ...rest] = command;
    return file === undefined || file === "" ? undefined : { kind: "direct", argv: [file, ...rest] };
  }
  const line = command.trim();
  if (line === "") return undefined;
  const words = splitPlainWords(line);
  const [file, ...rest] = words ?? [];
  return file === undefined ? { kind: "shell", line } : { kind: "direct", argv: [file, ...rest] };
}

/** The time a command may take without output: longest matching prefix, by whole words (TOO-012). */
export function baseTimeoutMs(command: CommandLine, table: Readonly<Record<string, number>>, fallbackMs: number): number {
  const words = (command.kind === "shell" ? command.line.split(/\s+/u) : [...command.argv]).map((word, i) =>
    i === 0 ? (word.split("/").at(-1) ?? word) : word,
  );
  if (words[0] === "npx" || words[0] === "pnpx" || words[0] === "bunx") words.shift();
  for (let n = words.length; n > 0; n -= 1) {
    const found = table[words.slice(0, n).join(" ")];
    if (found !== undefined) return found;
  }
  return fallbackMs;
}
