/** What make runs for its goals: the recipes that can be reached, and commands that run while the files are read. */
import { existsSync } from "node:fs";
import path from "node:path";
import { shellLines } from "../../guard/index.ts";
import type { Behind, Reader, Run, Stand } from "./behind.ts";
import type { Follower } from "./interpreters.ts";
import { readMakeFiles } from "./make-files.ts";
import { isSpecial, MakeVariables, readMakeText, type MakeText, type Rule } from "./make-text.ts";
import { isInherited, judgeVariable } from "./variables.ts";

const SWITCHES =
  /^(?:-[sSkBwi]+|-j\d*|-O\w*|--(?:silent|quiet|keep-going|always-make|no-print-directory|print-directory|output-sync(?:=\w+)?|jobs(?:=\d+)?|no-builtin-rules)|-r|-R)$/u;
const PLAIN_SHELL = /^(?:\/usr\/bin\/env\s+|\/bin\/|\/usr\/bin\/)?(?:ba|da|z)?sh(?:\s+-[euxo]+(?:\s+pipefail)?)*$/u;
const SHELL_FLAGS = /^(?:\s*(?:-[euxoc]+|pipefail))+$/u;
const MAKE_FLAGS =
  /^(?:\s*(?:-[sSkrRjwi]+\d*|--(?:no-print-directory|warn-undefined-variables|no-builtin-rules|no-builtin-variables|silent|jobs=\d+)))*$/u;
const OWN_PROGRAMS = /^(?:export\s+)?(?:\.\/|\$\((?:PWD|CURDIR)\)\/|\$\(shell pwd\)\/)?node_modules\/\.bin:\$[({]PATH[)}]$/u;

const BUILT_IN_PROGRAM =
  /^(?:CC|CXX|CPP|AS|AR|LD|FC|PC|M2C|LEX|YACC|LINT|GET|CO|TEX|TANGLE|WEAVE|CWEAVE|CTANGLE|TEXI2DVI|MAKEINFO|OBJC|RM|(?:COMPILE|LINK|LEX|YACC|LINT|PREPROCESS|CHECKOUT|OUTPUT_OPTION)(?:[.,].*)?)$/u;
const BUILT_IN_FLAGS = /^(?:C|CXX|CPP|AS|AR|LD|F|L|Y|LINT|P|R|CO|G)FLAGS$|^(?:LDLIBS|LOADLIBES|TARGET_ARCH|TARGET_MACH)$/u;

interface Asked {
  file: string | undefined;
  folders: readonly string[];
  goals: string[];
  given: Map<string, string>;
}

function readArguments({ behind }: Reader, { name, args, stand }: Run): Asked {
  const asked: Asked = { file: undefined, folders: stand.at, goals: [], given: new Map() };
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.value;
    const [, option, glued] = /^(-[fC]|--(?:file|makefile|directory)(?==|$))=?(.*)$/su.exec(text ?? "") ?? [];
    if (text === undefined) behind.cannot(`${args[at]?.source ?? ""} of ${name} is decided when it runs`);
    else if (option !== undefined) {
      const value = glued === undefined || glued === "" ? args[(at += 1)]?.value : glued;
      if (value === undefined || value === "-" || value === "") behind.cannot(`what ${text} of ${name} means cannot be said`);
      else if (/f|makefile/u.test(option.replace("--directory", "")) && asked.file === undefined) asked.file = value;
      else if (/C|directory/u.test(option)) asked.folders = asked.folders.map((folder) => path.resolve(folder, value));
      else behind.cannot(`${name} is given several files`);
    } else if (text.startsWith("-")) {
      if (text === "-j" && /^\d+$/u.test(args[at + 1]?.value ?? "")) at += 1;
      if (!SWITCHES.test(text)) behind.cannot(`the option ${text} of ${name} is not one that is known`);
    } else if (/^[\w.-]+\??:?=/u.test(text)) {
      const [variable = "", value = ""] = text.split(/[?:]?=(.*)/su);
      if (isInherited(variable) || variable === "SHELL" || variable.startsWith(".") || value.includes("$"))
        behind.cannot(`the variable ${variable} given to ${name} is not one that is known`);
      asked.given.set(variable, value);
    } else asked.goals.push(text);
  }
  return asked;
}

/** Settings of make itself, and what the commands of its recipes would find in their environment. */
function judgeAssigned(behind: Behind, text: MakeText, exported: ReadonlySet<string>, stand: Stand): void {
  for (const { name, value } of text.assigned) {
    const known =
      (name === "SHELL" && PLAIN_SHELL.test(value.trim())) ||
      (name === ".SHELLFLAGS" && SHELL_FLAGS.test(value)) ||
      (name === "MAKEFLAGS" && MAKE_FLAGS.test(value)) ||
      (name === "PATH" && OWN_PROGRAMS.test(value.trim())) ||
      name === ".DEFAULT_GOAL";
    if (known) continue;
    if (name.startsWith(".") || /^(?:SHELL|MAKEFLAGS|GNUMAKEFLAGS|MAKE|VPATH|PATH)$/u.test(name))
      behind.cannot(`the make file sets ${name}`);
    else if (exported.has(name)) judgeVariable(behind, name, shellLines.literalWord(value.replace(/^["']|["']$/gu, "")), stand);
    // Make hands on its own value of what was in the environment before.
    else if (isInherited(name)) judgeVariable(behind, name, shellLines.literalWord(value), stand);
  }
}

interface Book {
  rules: { targets: string[]; needs: string[]; rule: Rule }[];
  phony: Set<string>;
}

function bookOf(behind: Behind, texts: MakeText[], variables: MakeVariables): Book {
  const words = (list: readonly string[]): string[] =>
    list.flatMap((text) => variables.expand(text).split(/[\s|]+/u)).filter((word) => word !== "");
  const book: Book = { rules: [], phony: new Set() };
  for (const rule of texts.flatMap((text) => text.rules)) {
    const [targets, needs] = [words(rule.targets), words(rule.needs)];
    if (targets.includes(".PHONY")) for (const need of needs) book.phony.add(need);
    if (targets.length > 0 && targets.every(isSpecial)) continue;
    if (targets.some((target) => /^\.[A-Z_]+$/u.test(target))) behind.cannot(`the make file has the target ${targets.join(" ")}`);
    book.rules.push({ targets, needs, rule });
  }
  return book;
}

const isPattern = (target: string): boolean => /[%$*?[]|^\.\w+(?:\.\w+)?$/u.test(target);

/** Rules that may run for these goals: those of a plain name when it is wanted, and all others. */
function reach(book: Book, goals: readonly string[]): Book["rules"] {
  const explicit = (name: string): boolean => book.rules.some(({ targets }) => targets.includes(name));
  const all = goals.length === 0 || !goals.every(explicit);
  const wanted = new Set(goals);
  const reached = new Set<Book["rules"][number]>();
  for (let size = -1; size !== reached.size + wanted.size;) {
    size = reached.size + wanted.size;
    for (const entry of book.rules) {
      if (!all && !entry.targets.some((target) => isPattern(target) || wanted.has(target))) continue;
      reached.add(entry);
      for (const need of entry.needs) wanted.add(need);
    }
  }
  return [...reached];
}

/** A rule that is built in makes `x` of `x.sh`, and of `x,v`; recipes of the file are followed by themselves. */
function judgeMade(behind: Behind, folder: string, reached: Book["rules"]): void {
  const own = new Set(reached.flatMap((entry) => (entry.rule.recipe.length > 0 ? entry.targets : [])));
  for (const name of new Set(reached.flatMap((entry) => [...entry.needs, ...entry.targets]))) {
    const file = path.resolve(folder, name);
    if (own.has(name) || !behind.has(file)) continue;
    if ([".sh", ",v"].some((ending) => existsSync(file + ending))) behind.cannot(`make may make ${name} anew before it runs it`);
  }
}

function followFile(reader: Reader, folder: string, asked: Asked): boolean {
  const { behind } = reader;
  const files = readMakeFiles(behind, folder, asked.file);
  if (files === undefined) return false;
  const stand: Stand = { at: [folder], home: folder };
  const variables = new MakeVariables();
  // What is included stands where it is named: before whatever follows there.
  const texts = [...files.values()].map((text) => readMakeText(text, variables));
  for (const [name, value] of asked.given) variables.set(name, "=", value);
  const exported = new Set(texts.flatMap((text) => [...text.exported]));
  for (const text of texts) {
    if (text.unclear !== undefined) behind.cannot(text.unclear);
    judgeAssigned(behind, text, exported, stand);
    // Rules that are built in use these.
    for (const { name, value } of text.assigned)
      if (BUILT_IN_PROGRAM.test(name)) reader.line(variables.expand(value), stand);
      else if (BUILT_IN_FLAGS.test(name)) reader.line(`cc ${variables.expand(value)}`, stand);
    for (const command of text.commands) reader.line(variables.expandKnown(command), stand);
  }
  const book = bookOf(behind, texts, variables);
  const names = [...files.keys()].map((file) => path.resolve(folder, file));
  if (book.rules.some(({ targets }) => targets.some((target) => names.includes(path.resolve(folder, target)))))
    behind.cannot("the make file makes itself anew");
  const reached = reach(book, asked.goals);
  for (const { targets, rule } of reached)
    for (const line of rule.recipe) {
      const text = variables.expand(line).replace(/^[\s@+-]+/u, "");
      behind.says(`${behind.relative(folder) === "." ? "" : `${behind.relative(folder)}: `}${targets.join(" ")}: ${line.trim()}`);
      if (text !== "") reader.line(text, stand);
    }
  if (variables.unclear !== undefined) behind.cannot(variables.unclear);
  judgeMade(behind, folder, reached);
  return true;
}

export const followMake: Follower = (reader, run) => {
  const asked = readArguments(reader, run);
  const { behind } = reader;
  if (!behind.once(JSON.stringify([asked, [...asked.given]]))) return;
  let found = false;
  for (const folder of asked.folders) {
    if (!behind.isInside(folder) || !existsSync(folder)) continue;
    if (asked.file !== undefined && !existsSync(path.resolve(folder, asked.file))) continue;
    if (followFile(reader, folder, asked)) found = true;
  }
  if (!found) behind.cannot("make has no file here that can be followed");
};
