/** Reads the text of make files as far as rules, recipes and plain variables go; whatever else there is, is said. */
import { must } from "../../kernel/index.ts";

export interface Rule {
  targets: string[];
  needs: string[];
  recipe: string[];
}

export interface MakeText {
  rules: Rule[];
  exported: Set<string>;
  /** Commands that run while the file is read. */
  commands: string[];
  /** Variables with the value each assignment gives. */
  assigned: { name: string; value: string }[];
  unclear: string | undefined;
}

/** Stands for what only make knows. A word with it is one that is decided when it runs. */
export const MAKES_WORD = ".what-make-puts-here";
const DIRECTIVE = /^\s*(?:ifeq|ifneq|ifdef|ifndef|else|endif|-?include|sinclude)\b/u;
const ASSIGNMENT = /^\s*((?:(?:export|override|private)\s+)*)([\w.-]+)\s*(:{0,3}=|\?=|\+=|!=)\s*(.*)$/u;
const PLAIN_VALUE = /^(?!-)(?:[\w./:=@%+]|[\s,](?!-)|(?<![\s,])-)*$/u;
/** They make words of words, and read nothing. */
const FUNCTIONS =
  /^(?:strip|sort|dir|notdir|basename|suffix|filter|filter-out|addprefix|addsuffix|firstword|lastword|word|words|abspath|realpath|patsubst|subst)$/u;
const GIVEN: Readonly<Record<string, string>> = {
  MAKE: "make",
  CC: "cc",
  CXX: "c++",
  RM: "rm -f",
  CURDIR: ".",
  PWD: ".",
  MAKEFLAGS: "",
  SHELL: "/bin/sh",
  AR: "ar",
};
const SPECIAL = /^\.(?:PHONY|POSIX|DEFAULT_GOAL|SUFFIXES|SILENT|NOTPARALLEL|DELETE_ON_ERROR|PRECIOUS|INTERMEDIATE|SECONDARY|IGNORE)$/u;

/** The text up to the bracket that closes the one before `at`. */
function balanced(text: string, at: number): string | undefined {
  const open = must(text[at]);
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  for (let i = at; i < text.length; i += 1) {
    if (text[i] === open) depth += 1;
    else if (text[i] === close && (depth -= 1) === 0) return text.slice(at + 1, i);
  }
  return undefined;
}

export class MakeVariables {
  readonly #values = new Map<string, string | undefined>();

  /** What runs while the file is read may use only what is known there. */
  expandKnown(text: string): string {
    for (const [, name = ""] of text.matchAll(/\$[({]([\w.-]+)[)}]|\$\w/gu))
      if (!this.#values.has(name) && !Object.hasOwn(GIVEN, name))
        this.unclear ??= "a command that runs while the make file is read uses what is not known";
    return this.expand(text);
  }

  unclear: string | undefined;

  set(name: string, operator: string, value: string): void {
    const before = this.#values.get(name);
    if (operator === "?=" && this.#values.has(name)) return;
    if (operator === "+=" && this.#values.has(name)) this.#values.set(name, before === undefined ? undefined : `${before} ${value}`);
    else if (this.#values.has(name) && before !== value) {
      // Which of them holds depends on where one is: as an argument any plain text will do.
      if (!PLAIN_VALUE.test(value) || !PLAIN_VALUE.test(before ?? "")) this.unclear ??= `the variable ${name} has several values`;
      this.#values.set(name, undefined);
    } else this.#values.set(name, value);
  }

  /** As the shell gets it; what only make knows stands as a variable. */
  expand(text: string, depth = 0): string {
    if (depth > 12) {
      this.unclear ??= "variables lead in a circle";
      return MAKES_WORD;
    }
    let out = "";
    for (let i = 0; i < text.length; i += 1) {
      const next = text[i + 1] ?? "";
      if (text[i] !== "$") out += text[i];
      else if (next === "$") {
        out += "$";
        i += 1;
      } else if (next === "(" || next === "{") {
        const inner = balanced(text, i + 1);
        if (inner === undefined) {
          this.unclear ??= "a bracket is never closed";
          return MAKES_WORD;
        }
        out += this.#named(inner, depth);
        i += inner.length + 2;
      } else {
        out += /[@<^+*?%|]/u.test(next) ? MAKES_WORD : this.#named(next, depth);
        i += 1;
      }
    }
    return out;
  }

  #named(inner: string, depth: number): string {
    if (/^[\w.-]+$/u.test(inner)) {
      const value = this.#values.has(inner) ? this.#values.get(inner) : (GIVEN[inner] ?? "");
      return value === undefined ? MAKES_WORD : this.expand(value, depth + 1);
    }
    if (/^[@<^+*?%|][DF]$/u.test(inner)) return MAKES_WORD;
    const [, called = "", rest = ""] = /^([a-z-]+)\s+([\s\S]*)$/u.exec(inner) ?? [];
    const words = this.expand(rest, depth + 1).replaceAll(MAKES_WORD, "");
    if (!FUNCTIONS.test(called) || !PLAIN_VALUE.test(words)) this.unclear ??= `what $(${inner.slice(0, 30)}) gives cannot be said`;
    return MAKES_WORD;
  }
}

/** Everything that make would run while it reads. */
function shellCalls(text: string): string[] {
  return [...text.matchAll(/\$[({]\s*shell\s/gu)].map((match) => (balanced(text, match.index + 1) ?? "").replace(/^\s*shell\s/u, ""));
}

export function readMakeText(text: string, variables: MakeVariables): MakeText {
  const found: MakeText = {
    rules: [],
    exported: new Set(),
    commands: shellCalls(text.replaceAll(/\\\r?\n/gu, " ")),
    assigned: [],
    unclear: undefined,
  };
  if (/\$[({]\s*\$/u.test(text)) found.unclear = "a variable or function has a name that is computed";
  let rule: Rule | undefined;
  const assign = ([, words = "", name = "", operator = "", value = ""]: RegExpExecArray): void => {
    variables.set(name, operator, operator === "!=" ? "$(shell x)" : value);
    if (operator === "!=") found.commands.push(value);
    found.assigned.push({ name, value });
    if (words.includes("export")) found.exported.add(name);
  };
  for (const line of text.replaceAll(/\\\r?\n[ \t]*/gu, " ").split(/\r?\n/u)) {
    if (line.startsWith("\t") && rule !== undefined) {
      rule.recipe.push(line.slice(1));
      continue;
    }
    const plain = line.replace(/(^|[^\\])#.*$/u, "$1");
    const assigned = ASSIGNMENT.exec(plain);
    const exported = /^\s*export\s+([\w\s-]+)$/u.exec(plain);
    if (
      plain.trim() === "" ||
      DIRECTIVE.test(plain) ||
      /^\s*unexport\b/u.test(plain) ||
      /^\s*\$\((?:info|warning|error)\s[^$]*\)\s*$/u.test(plain)
    )
      continue;
    else if (assigned !== null) assign(assigned);
    else if (exported !== null) for (const name of (exported[1] ?? "").trim().split(/\s+/u)) found.exported.add(name);
    else if (/^\s*(?:define|endef|undefine|vpath|load|-load|export)\b/u.test(plain) || !plain.includes(":"))
      found.unclear ??= `the line ${plain.trim().slice(0, 40)} is not one that is followed`;
    else rule = readRule(plain, found, assign) ?? rule;
  }
  return found;
}

function readRule(line: string, found: MakeText, assign: (assigned: RegExpExecArray) => void): Rule | undefined {
  const [head = "", ...more] = line.split(";");
  const colon = /^((?:[^:$]|\$\([^()]*\)|\$\{[^{}]*\}|\$.)*):(?!=)(:?)(.*)$/su.exec(head);
  if (colon === null) {
    found.unclear ??= `the line ${line.trim().slice(0, 40)} is not one that is followed`;
    return undefined;
  }
  const own = ASSIGNMENT.exec(colon[3] ?? "");
  if (own !== null) {
    assign(own);
    return undefined;
  }
  const rule: Rule = { targets: [must(colon[1])], needs: [must(colon[3])], recipe: more.length > 0 ? [more.join(";")] : [] };
  found.rules.push(rule);
  return rule;
}

export function isSpecial(target: string): boolean {
  return SPECIAL.test(target);
}
