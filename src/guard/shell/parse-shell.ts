/**
 * A strict parser for shell lines. It exists to answer one question: which commands could this line
 * run? It knows simple commands, lists, pipelines, groups, substitutions, here documents and the plain
 * if/for/while forms. Everything else is refused, and a refusal is never read as permission.
 */
import { must } from "../../kernel/index.ts";
import { ShellRefusal, createWordReader, type ParseNested } from "./read-word.ts";
import { literalWord, type Redirect, type ShellParse, type SimpleCommand, type Word } from "./types.ts";

const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 8;
/** Words that begin a command only at its first place, and after which another command may begin. */
const OPENERS = new Set(["if", "then", "elif", "else", "while", "until", "do", "{", "!"]);
/** Words that end a compound command; redirections may follow. */
const CLOSERS = new Set(["fi", "done", "}"]);
const UNSUPPORTED = new Set(["case", "esac", "select", "function", "coproc", "[[", "]]", "in"]);
const REDIRECT = /(?:[0-9]{1,3})?(?:<<<|<<-|<<|<>|<&|>>|>\||>&|<|>)/y;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;

interface Pending {
  delimiter: string;
  expand: boolean;
  stripTabs: boolean;
  redirect: Redirect;
}

function fresh(): SimpleCommand {
  return { assignments: [], words: [], redirects: [] };
}

/** Parses commands of `text` from `start` up to the end, or to the closing parenthesis. */
function parseCommands(text: string, start: number, closer: ")" | undefined, depth: number): { commands: SimpleCommand[]; end: number } {
  if (depth > MAX_DEPTH) throw new ShellRefusal("commands nested too deeply", start);
  const found: SimpleCommand[] = [];
  const nest: ParseNested = (inner, at, innerCloser) => parseCommands(inner, at, innerCloser, depth + 1);
  const reader = createWordReader(text, found, nest);
  let current = fresh();
  let parens = 0;
  /** After `fi`, `done`, `}` or `)`: only redirections and separators may come. */
  let closed = false;
  const pending: Pending[] = [];
  let i = start;

  const isEmpty = (): boolean => current.words.length + current.assignments.length + current.redirects.length === 0;
  const flush = (): void => {
    if (!isEmpty()) found.push(current);
    current = fresh();
    closed = false;
  };
  const skipBlanks = (): void => {
    for (;;) {
      if (text[i] === " " || text[i] === "\t") i += 1;
      else if (text[i] === "\\" && text[i + 1] === "\n") i += 2;
      else return;
    }
  };
  const readHereDocuments = (): void => {
    for (const { delimiter, expand, stripTabs, redirect } of pending.splice(0)) {
      const lines: string[] = [];
      const bodyStart = i;
      for (;;) {
        if (i >= text.length) throw new ShellRefusal("a here document without its closing line", bodyStart);
        const newline = text.indexOf("\n", i);
        const raw = text.slice(i, newline === -1 ? text.length : newline);
        i = newline === -1 ? text.length : newline + 1;
        const line = stripTabs ? raw.replace(/^\t+/, "") : raw;
        if (line === delimiter) break;
        lines.push(line);
      }
      const body = lines.join("\n");
      if (expand && /\\\n/.test(body)) throw new ShellRefusal("a continued line in a here document", bodyStart);
      if (expand) reader.hereBody(body, bodyStart);
      redirect.target = literalWord(body);
    }
  };
  const readRedirect = (operatorText: string): void => {
    const at = i;
    const operator = operatorText.replace(/^[0-9]+/, "");
    i += operatorText.length;
    skipBlanks();
    if (i >= text.length || "\n;&|)".includes(must(text[i])) || (text[i] === "(" && operator !== "<"))
      throw new ShellRefusal("a redirection without a target", at);
    const { word, end } = reader.word(i);
    if (end === i) throw new ShellRefusal("a redirection without a target", at);
    i = end;
    if (operator !== "<<" && operator !== "<<-") {
      current.redirects.push({ operator, target: word });
      return;
    }
    if (word.value === undefined || closer !== undefined || depth > 0) throw new ShellRefusal("a here document inside a substitution", at);
    const redirect: Redirect = { operator: "<<", target: word };
    current.redirects.push(redirect);
    pending.push({ delimiter: word.value, expand: !word.quoted, stripTabs: operator === "<<-", redirect });
  };
  const readFor = (): void => {
    skipBlanks();
    const variable = reader.word(i);
    const name = variable.word.value ?? "";
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || variable.word.quoted) throw new ShellRefusal("a for loop without a plain variable", i);
    i = variable.end;
    skipBlanks();
    const keyword = /[a-z]/.test(text[i] ?? "") ? reader.word(i) : undefined;
    if (keyword?.word.source !== "in") throw new ShellRefusal("a for loop without a list", i);
    i = keyword.end;
    for (skipBlanks(); i < text.length && text[i] !== ";" && text[i] !== "\n"; skipBlanks()) {
      const item = reader.word(i);
      if (item.end === i) throw new ShellRefusal("an operator in the list of a for loop", i);
      current.assignments.push({ name, value: item.word });
      i = item.end;
    }
    if (current.assignments.length === 0) current.assignments.push({ name, value: literalWord("") });
    flush();
  };
  const readWord = (): void => {
    if (closed) throw new ShellRefusal("a word after the end of a group", i);
    const at = i;
    const { word, end } = reader.word(i);
    if (end === i) throw new ShellRefusal(`the character ${text[i]}`, i);
    if (pending.length > 0 && text.slice(at, end).includes("\n"))
      throw new ShellRefusal("a here document before a word of several lines", at);
    i = end;
    if (text[i] === "(") throw new ShellRefusal("a function or an array", i);
    const reserved = isEmpty() && !word.quoted ? word.source : "";
    if (UNSUPPORTED.has(reserved)) throw new ShellRefusal(`the shell construct ${reserved}`, at);
    if (reserved === "for") readFor();
    else if (OPENERS.has(reserved)) return;
    else if (CLOSERS.has(reserved)) closed = true;
    else addWord(word);
  };
  const addWord = (word: Word): void => {
    const assigned = current.words.length === 0 ? ASSIGNMENT.exec(word.source) : null;
    if (assigned === null) current.words.push(word);
    else {
      const value: Word = word.value === undefined ? word : { ...word, value: word.value.slice(assigned[0].length) };
      current.assignments.push({ name: must(assigned[1]), value });
    }
  };

  for (skipBlanks(); i < text.length; skipBlanks()) {
    const c = must(text[i]);
    REDIRECT.lastIndex = i;
    const redirect = REDIRECT.exec(text)?.[0];
    if (c === "#") {
      const newline = text.indexOf("\n", i);
      i = newline === -1 ? text.length : newline;
    } else if (c === "\n") {
      i += 1;
      flush();
      readHereDocuments();
    } else if (redirect !== undefined && !((redirect === "<" || redirect === ">") && text[i + 1] === "(")) readRedirect(redirect);
    else if (c === ";") {
      if (text[i + 1] === ";" || text[i + 1] === "&") throw new ShellRefusal("a case branch", i);
      i += 1;
      flush();
    } else if (c === "&" || c === "|") {
      // bash redirects here, sh starts a second command.
      if (text.startsWith("&>", i)) throw new ShellRefusal("the redirection &>, which sh and bash read differently", i);
      flush();
      i += text[i + 1] === c || text.startsWith("|&", i) ? 2 : 1;
    } else if (c === "(") {
      if (!isEmpty() || closed) throw new ShellRefusal("a parenthesis inside a command", i);
      if (text[i + 1] === "(") throw new ShellRefusal("arithmetic or doubled parentheses", i);
      parens += 1;
      i += 1;
    } else if (c === ")") {
      if (parens === 0) {
        if (closer === undefined) throw new ShellRefusal("a closing parenthesis without an opening one", i);
        flush();
        return { commands: found, end: i };
      }
      flush();
      parens -= 1;
      closed = true;
      i += 1;
    } else readWord();
  }
  flush();
  if (closer !== undefined || parens > 0) throw new ShellRefusal("a parenthesis that is never closed", start);
  if (pending.length > 0) throw new ShellRefusal("a here document without a body", start);
  return { commands: found, end: i };
}

export function parseShell(line: string): ShellParse {
  if (line.length > MAX_LENGTH) return { kind: "refused", reason: "the line is too long", at: MAX_LENGTH };
  // oxlint-disable-next-line no-control-regex -- these are exactly the characters to refuse
  const control = /[\u0000-\u0008\u000b-\u001f\u007f]/.exec(line);
  if (control !== null) return { kind: "refused", reason: "a control character", at: control.index };
  try {
    return { kind: "parsed", commands: parseCommands(line, 0, undefined, 0).commands };
  } catch (error) {
    if (error instanceof ShellRefusal) return { kind: "refused", reason: error.message, at: error.at };
    throw error;
  }
}
