/**
 * Reads one shell word. Accepts only constructs whose meaning is the same in sh and bash, and refuses
 * the rest, because a word that is misread is a command that escapes.
 */
import { must } from "../../kernel/index.ts";
import type { SimpleCommand, Word } from "./types.ts";

export class ShellRefusal extends Error {
  readonly at: number;
  constructor(reason: string, at: number) {
    super(reason);
    this.at = at;
  }
}

/** Parses the commands of a substitution that starts at `at`; returns where its closing parenthesis is. */
export type ParseNested = (text: string, at: number, closer: ")" | undefined) => { commands: SimpleCommand[]; end: number };

const META = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** `${NAME}`, `${#NAME}`, `${NAME:-plain}`; other operators can run commands or rewrite values. */
const SIMPLE_BRACE = /\$\{#?[A-Za-z_][A-Za-z0-9_]*(?::?-[A-Za-z0-9_./:-]*)?\}/y;
/** Numbers only: a name in arithmetic is evaluated again, and may run commands. */
const PLAIN_ARITHMETIC = /\$\(\([0-9+\-*/% ()<>=!]*\)\)/y;

interface Draft {
  text: string;
  leading: string | undefined;
  quoted: boolean;
  tilde: boolean;
  glob: boolean;
  computed: boolean;
  splits: boolean;
  brace: boolean;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export interface WordReader {
  /** Reads a word at `at`, which must not be a blank or an operator. */
  word(at: number): { word: Word; end: number };
  /** Collects the commands that the body of an unquoted here document would run. */
  hereBody(body: string, offset: number): void;
}

export function createWordReader(text: string, nested: SimpleCommand[], parseNested: ParseNested): WordReader {
  const dynamic = (draft: Draft, quoted: boolean): void => {
    draft.leading ??= draft.text;
    draft.computed = true;
    if (!quoted) draft.splits = true;
  };

  /** Handles `$…` and backquotes. Returns the end, or undefined when the character is literal. */
  const expansion = (source: string, at: number, draft: Draft, quoted: boolean): number | undefined => {
    if (source[at] === "`") {
      const close = source.indexOf("`", at + 1);
      const inner = close === -1 ? "\\" : source.slice(at + 1, close);
      if (inner.includes("\\")) throw new ShellRefusal("a backquoted command with escapes, or without an end", at);
      nested.push(...parseNested(inner, 0, undefined).commands);
      dynamic(draft, quoted);
      return close + 1;
    }
    if (source[at] !== "$") return undefined;
    const next = source[at + 1] ?? "";
    if (next === "(") {
      const arithmetic = match(PLAIN_ARITHMETIC, source, at);
      dynamic(draft, quoted);
      if (arithmetic !== undefined) return at + arithmetic.length;
      if (source[at + 2] === "(") throw new ShellRefusal("arithmetic with names or nested parentheses", at);
      const inner = parseNested(source, at + 2, ")");
      nested.push(...inner.commands);
      return inner.end + 1;
    }
    if (next === "{") {
      const plain = match(SIMPLE_BRACE, source, at);
      if (plain === undefined) throw new ShellRefusal("a parameter expansion beyond ${NAME}", at);
      dynamic(draft, quoted);
      return at + plain.length;
    }
    if (next === "[" || (!quoted && (next === "'" || next === '"'))) throw new ShellRefusal(`the quoting $${next}`, at);
    const name = match(NAME, source, at + 1) ?? (/[0-9@*#?$!-]/.test(next) ? next : undefined);
    if (name === undefined) return undefined;
    dynamic(draft, quoted);
    return at + 1 + name.length;
  };

  const doubleQuoted = (at: number, draft: Draft): number => {
    for (let i = at + 1; i < text.length;) {
      const c = must(text[i]);
      if (c === '"') return i + 1;
      if (c === "\\") {
        const next = text[i + 1] ?? "";
        if (next === "\n") draft.text += "";
        else draft.text += '$`"\\'.includes(next) ? next : `\\${next}`;
        i += 2;
        continue;
      }
      const end = expansion(text, i, draft, true);
      if (end === undefined) draft.text += c;
      i = end ?? i + 1;
    }
    throw new ShellRefusal("a double quote that is never closed", at);
  };

  const finish = (draft: Draft, start: number, end: number): Word => {
    // A bracket alone is the test command, not a pattern.
    if (text.slice(start, end) === "[") [draft.glob, draft.leading] = [false, undefined];
    const isStatic = draft.leading === undefined && !draft.glob && !draft.brace;
    return {
      value: isStatic ? draft.text : undefined,
      leading: draft.leading ?? draft.text,
      source: text.slice(start, end),
      quoted: draft.quoted,
      tilde: draft.tilde,
      glob: draft.glob,
      computed: draft.computed || draft.brace,
      splits: draft.splits || draft.brace,
    };
  };

  return {
    word(start) {
      const draft: Draft = {
        text: "",
        leading: undefined,
        quoted: false,
        tilde: false,
        glob: false,
        computed: false,
        splits: false,
        brace: false,
      };
      let i = start;
      while (i < text.length) {
        const c = must(text[i]);
        if ((c === "<" || c === ">") && text[i + 1] === "(" && i === start) {
          const inner = parseNested(text, i + 2, ")");
          nested.push(...inner.commands);
          dynamic(draft, true);
          i = inner.end + 1;
          continue;
        }
        if (META.has(c)) break;
        if (c === "'") {
          const close = text.indexOf("'", i + 1);
          if (close === -1) throw new ShellRefusal("a quote that is never closed", i);
          draft.text += text.slice(i + 1, close);
          draft.quoted = true;
          i = close + 1;
        } else if (c === '"') {
          draft.quoted = true;
          i = doubleQuoted(i, draft);
        } else if (c === "\\") {
          if (i + 1 >= text.length) throw new ShellRefusal("a backslash at the end", i);
          if (text[i + 1] !== "\n") {
            draft.text += text[i + 1];
            draft.quoted = true;
          }
          i += 2;
        } else {
          const end = expansion(text, i, draft, false);
          if (end !== undefined) {
            i = end;
            continue;
          }
          if (c.charCodeAt(0) > 126) throw new ShellRefusal("a character outside ASCII that is not quoted", i);
          if (c === "~" && i === start) {
            const next = text[i + 1] ?? "";
            if (next === "" || next === "/" || META.has(next)) draft.tilde = true;
            else dynamic(draft, true);
          }
          if ((c === "*" || c === "?" || c === "[") && !draft.glob) {
            draft.glob = true;
            draft.leading ??= draft.text;
          }
          if ((c === "{" || c === "}") && !(c === "{" && text.startsWith("{}", i)) && !(c === "}" && text[i - 1] === "{")) {
            draft.brace = true;
            draft.leading ??= draft.text;
          }
          draft.text += c;
          i += 1;
        }
      }
      return { word: finish(draft, start, i), end: i };
    },
    hereBody(body, offset) {
      const draft: Draft = {
        text: "",
        leading: undefined,
        quoted: true,
        tilde: false,
        glob: false,
        computed: false,
        splits: false,
        brace: false,
      };
      for (let i = 0; i < body.length;) {
        if (body[i] === "\\") {
          i += 2;
          continue;
        }
        try {
          i = expansion(body, i, draft, true) ?? i + 1;
        } catch (error) {
          throw error instanceof ShellRefusal ? new ShellRefusal(error.message, offset + i) : error;
        }
      }
    },
  };
}
