/**
 * Turns a parsed command into the programs it starts. A wrapper (`env`, `xargs`, `bash -c`, `find -exec`)
 * yields itself and what it wraps; anything about it that is not understood makes the whole unclear.
 */
import { must } from "../../kernel/index.ts";
import { parseShell } from "./parse-shell.ts";
import { SHELLS, SYSTEM_FOLDERS, WRAPPERS, type WrapperOptions } from "./wrappers.ts";
import { literalWord, type Assignment, type Redirect, type SimpleCommand, type Word } from "./types.ts";

export interface Invocation {
  /** System programs by bare name, others as written. */
  name: string;
  args: Word[];
  assignments: Assignment[];
  redirects: Redirect[];
  /** Only starts another program; that one needs the permission. */
  transparent: boolean;
}

export type Unwrapped = { kind: "clear"; invocations: Invocation[] } | { kind: "unclear"; reason: string; invocations: Invocation[] };

const MAX_LEVELS = 6;

/** `named`: a shell that is given a file to read yields itself, for who looks into such files; else the line is unclear. */
type ScriptFiles = "named" | "unclear";

interface Way {
  depth: number;
  scripts: ScriptFiles;
}

function programName(written: string): string {
  const folder = SYSTEM_FOLDERS.find((f) => written.startsWith(f) && !written.slice(f.length).includes("/"));
  return folder === undefined ? written : written.slice(folder.length);
}

/** A word whose text is decided at run time, as the wrapper's input is. */
function runtimeWord(source: string): Word {
  return { value: undefined, leading: "", source, quoted: true, tilde: false, glob: false, computed: true, splits: true };
}

class Unclear extends Error {}

/** Index of the first word after the wrapper's own options. */
function skipOptions(args: readonly Word[], options: WrapperOptions, name: string): { at: number; values: Map<string, string> } {
  const values = new Map<string, string>();
  let at = 0;
  for (; at < args.length; at += 1) {
    const text = args[at]?.value;
    if (text === undefined) throw new Unclear(`an option of ${name} is decided at run time`);
    if (text === "--") return { at: at + 1, values };
    if (!text.startsWith("-") || text === "-") break;
    const take = (key: string, attached: string | undefined): void => {
      const value = attached ?? args[(at += 1)]?.value;
      if (value === undefined) throw new Unclear(`an option of ${name} has no fixed value`);
      values.set(key, value);
    };
    const long = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(text);
    if (long !== null) {
      const key = must(long[1]);
      if (options.longValued.includes(key)) take(key, long[2]);
      else if (options.longOptional.includes(key)) {
        // Without a value programs differ in what the next word is to them.
        if (long[2] === undefined || long[2] === "") throw new Unclear(`the option ${text} of ${name} without a value`);
        values.set(key, long[2]);
      } else if (!options.longFlags.includes(key) || long[2] !== undefined) throw new Unclear(`the option ${text} of ${name}`);
      continue;
    }
    for (let i = 1; i < text.length; i += 1) {
      const letter = must(text[i]);
      if (options.valued.includes(letter)) {
        take(letter, i + 1 < text.length ? text.slice(i + 1) : undefined);
        break;
      }
      if (!options.flags.includes(letter)) throw new Unclear(`the option ${text} of ${name}`);
    }
  }
  return { at, values };
}

function parseInner(line: string, way: Way): Invocation[] {
  const parsed = parseShell(line);
  if (parsed.kind === "refused") throw new Unclear(`inside ${JSON.stringify(line.slice(0, 60))}: ${parsed.reason}`);
  return parsed.commands.flatMap((command) => unwrap(command, { ...way, depth: way.depth + 1 }));
}

/** Undefined when it reads a file, or its input. */
function unwrapShell(name: string, args: readonly Word[], way: Way): Invocation[] | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.value;
    if (text === undefined) throw new Unclear(`an argument of ${name} is decided at run time`);
    if (/^--(?:norc|noprofile|posix)$/.test(text)) continue;
    if (text === "-o") {
      at += 1;
      continue;
    }
    if (!/^-[euxlc]+$/.test(text)) break;
    if (!text.includes("c")) continue;
    const script = args[at + 1]?.value;
    if (script === undefined || script.startsWith("-")) throw new Unclear(`the script given to ${name} -c is decided at run time`);
    return parseInner(script, way);
  }
  if (way.scripts === "named") return undefined;
  throw new Unclear(`${name} runs a script that is not in the command`);
}

/** What `find` runs on the files it finds; the rest of its arguments is judged as a search. */
function unwrapFind(args: readonly Word[], command: SimpleCommand, way: Way): { inner: Invocation[]; search: Word[] } {
  const inner: Invocation[] = [];
  const search: Word[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = must(args[at]);
    if (word.value === "-delete") inner.push({ name: "rm", args: [runtimeWord("{}")], assignments: [], redirects: [], transparent: false });
    else if (word.value === undefined || !/^-(?:exec|execdir|ok|okdir)$/.test(word.value)) search.push(word);
    if (word.value === undefined || !/^-(?:exec|execdir|ok|okdir)$/.test(word.value)) continue;
    const end = args.findIndex((w, i) => i > at && (w.value === ";" || (w.value === "+" && args[i - 1]?.value === "{}")));
    if (end === -1) throw new Unclear("find -exec without its end");
    const words = args.slice(at + 1, end).map((w) => (w.value?.includes("{}") === false ? w : runtimeWord(w.source)));
    inner.push(...unwrap({ assignments: command.assignments, words, redirects: [] }, { ...way, depth: way.depth + 1 }));
    at = end;
  }
  return { inner, search };
}

function unwrapWrapper(name: string, options: WrapperOptions, args: readonly Word[], command: SimpleCommand, way: Way): Invocation[] {
  const { at, values } = skipOptions(args, options, name);
  let rest = args.slice(at + options.positional);
  const assignments = [...command.assignments];
  while (options.assignments && rest.length > 0) {
    const assigned = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(rest[0]?.value ?? rest[0]?.leading ?? "");
    if (assigned === null) break;
    assignments.push({ name: must(assigned[1]), value: must(rest[0]) });
    rest = rest.slice(1);
  }
  if (name === "xargs") {
    const placeholder = values.get("I") ?? values.get("replace");
    const words = rest.map((w) => (placeholder !== undefined && w.value?.includes(placeholder) !== false ? runtimeWord(w.source) : w));
    rest = [...(words.length === 0 ? [literalWord("echo")] : words), runtimeWord("(input)")];
  }
  return rest.length === 0 ? [] : unwrap({ assignments, words: rest, redirects: [] }, { ...way, depth: way.depth + 1 });
}

function unwrap(command: SimpleCommand, way: Way): Invocation[] {
  if (way.depth > MAX_LEVELS) throw new Unclear("wrappers nested too deeply");
  const { words, assignments, redirects } = command;
  const [first, ...args] = words;
  if (first === undefined) return [{ name: "", args: [], assignments, redirects, transparent: true }];
  if (first.value === undefined || first.tilde) throw new Unclear(`the command name ${first.source} is decided at run time`);
  const name = programName(first.value);
  const self: Invocation = { name, args, assignments, redirects, transparent: false };
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  // `command -v` only looks a program up.
  if (name === "command" && /^-[vV]$/.test(args[0]?.value ?? "")) return [self];
  if (wrapper !== undefined) {
    const inner = unwrapWrapper(name, wrapper, args, command, way);
    return [{ ...self, transparent: inner.length > 0 }, ...inner];
  }
  if (SHELLS.has(name)) {
    const inner = unwrapShell(name, args, way);
    return inner === undefined ? [self] : [{ ...self, transparent: true }, ...inner];
  }
  if (name === "eval" || name === "trap") {
    const scripts = name === "trap" ? args.slice(0, 1) : args;
    if (scripts.some((w) => w.value === undefined || w.tilde)) throw new Unclear(`the text given to ${name} is decided at run time`);
    return [{ ...self, transparent: true }, ...parseInner(scripts.map((w) => w.value).join(" "), way)];
  }
  if (name === "find") {
    const { inner, search } = unwrapFind(args, command, way);
    return [{ ...self, args: search }, ...inner];
  }
  return [self];
}

export function unwrapCommands(commands: readonly SimpleCommand[], scripts: ScriptFiles = "unclear"): Unwrapped {
  const invocations: Invocation[] = [];
  let reason: string | undefined;
  for (const command of commands) {
    try {
      invocations.push(...unwrap(command, { depth: 0, scripts }));
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      reason ??= error.message;
      const written = command.words[0]?.value;
      // Still named, so that a rule against it can speak.
      if (written !== undefined)
        invocations.push({
          name: programName(written),
          args: command.words.slice(1),
          assignments: command.assignments,
          redirects: command.redirects,
          transparent: false,
        });
    }
  }
  return reason === undefined ? { kind: "clear", invocations } : { kind: "unclear", reason, invocations };
}
