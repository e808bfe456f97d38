/**
 * A text as tokens, by a small scanner of its own: no parser and no merge is asked. Strings keep their
 * white space, comments, attributes and decorators are tokens like all others, and where indentation
 * has a meaning every line begins with its own. A text of no known language is its lines.
 */
import { must } from "../../kernel/index.ts";
import path from "node:path";

export interface MergeTexts {
  /** Decides the language. */
  path: string;
  base: string;
  /** The change to bring in. */
  ours: string;
  /** What is there now. */
  theirs: string;
}

export interface Tokens {
  /** What each token says. */
  text: string[];
  /** The line it stands on, from 0. */
  line: number[];
}

type Family = "script" | "rust" | "python" | "lines" | "hash_lines" | "prose";

const FAMILIES: Readonly<Record<string, Family>> = {
  ".ts": "script",
  ".tsx": "script",
  ".mts": "script",
  ".cts": "script",
  ".js": "script",
  ".jsx": "script",
  ".mjs": "script",
  ".cjs": "script",
  ".go": "script",
  ".java": "script",
  ".json": "script",
  ".jsonc": "script",
  ".json5": "script",
  ".rs": "rust",
  ".py": "python",
  ".pyi": "python",
  ".yaml": "hash_lines",
  ".yml": "hash_lines",
  ".toml": "hash_lines",
  ".md": "prose",
  ".markdown": "prose",
};

const WORD = String.raw`[\w$\u0080-\uffff]+|\n|[^\S\n]+|[\s\S]`;
const SCANNERS: Readonly<Record<"script" | "rust" | "python", RegExp>> = {
  script: new RegExp(
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\x60(?:[^\x60\\]|\\[\s\S])*\x60|${WORD}`,
    "gu",
  ),
  rust: new RegExp(
    String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|r(#+)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.[^'\n]*)'|${WORD}`,
    "gu",
  ),
  python: new RegExp(
    String.raw`#[^\n]*|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|${WORD}`,
    "gu",
  ),
};

const familyOf = (file: string): Family => FAMILIES[path.extname(file).toLowerCase()] ?? "lines";

/** Words; a line begins with its indentation. */
function wordTokens(source: string): Tokens {
  const out: Tokens = { text: [], line: [] };
  for (const [line, text] of source.split("\n").entries()) {
    if (text.trim() === "") continue;
    for (const word of [`⇥${/^\s*/u.exec(text)?.[0] ?? ""}`, ...text.trim().split(/\s+/u)]) {
      out.text.push(word);
      out.line.push(line);
    }
  }
  return out;
}

function lineTokens(source: string): Tokens {
  const out: Tokens = { text: [], line: [] };
  for (const [line, text] of source.split("\n").entries()) {
    const trimmed = text.trimEnd();
    if (trimmed === "") continue;
    out.text.push(trimmed);
    out.line.push(line);
  }
  return out;
}

export function tokensOf(file: string, source: string): Tokens {
  const family = familyOf(file);
  if (family === "lines" || family === "hash_lines") return lineTokens(source);
  if (family === "prose") return wordTokens(source);
  const out: Tokens = { text: [], line: [] };
  let line = 0;
  let depth = 0;
  let fresh = true;
  let indent = "";
  const push = (text: string): void => {
    if (fresh && family === "python" && depth === 0 && !text.startsWith("#")) {
      out.text.push(`⇥${indent}`);
      out.line.push(line);
    }
    fresh = false;
    out.text.push(text);
    out.line.push(line);
  };
  for (const found of source.match(SCANNERS[family]) ?? []) {
    const first = must(found[0]);
    if (found === "\n") {
      line += 1;
      fresh = true;
      indent = "";
    } else if (found.length === 1 && "([{".includes(first)) {
      push(found);
      depth += 1;
    } else if (found.length === 1 && ")]}".includes(first)) {
      depth = Math.max(0, depth - 1);
      push(found);
    } else if (/\s/u.test(first)) {
      if (fresh) indent = found;
    } else if (found.includes("\n")) {
      // A string or a comment of several lines: its lines are told apart, so that both sides may change other ones.
      const comment = found.startsWith("/*");
      for (const [i, piece] of found.split("\n").entries()) {
        if (i > 0) line += 1;
        const text = comment ? piece.trim() : piece;
        if (text !== "" || !comment) push(comment ? `/*${text}` : text);
      }
    } else push(isNote(found) ? found.replace(/\s+/gu, " ").trim() : found);
  }
  return out;
}

const isNote = (text: string): boolean => text.startsWith("//") || text.startsWith("/*") || text.startsWith("#");

/** Tokens that belong to what follows or stands before them on the line, and mean nothing alone. */
export function isComment(file: string, token: string): boolean {
  switch (familyOf(file)) {
    case "script":
    case "rust":
      return token.startsWith("//") || token.startsWith("/*");
    case "python":
      return token.startsWith("#");
    case "hash_lines":
      return token.trimStart().startsWith("#");
    case "lines":
    case "prose":
      return false;
  }
}

/** The first token of a line that says something about the next one: a decorator, an attribute. */
export function opensAttribute(file: string, token: string): boolean {
  const family = familyOf(file);
  return family === "rust" ? token === "#" : (family === "script" || family === "python") && token === "@";
}

const IMPORT = /^(?:import|from|use|require|#include)$/u;

/** The line that begins with this token imports something. */
export function opensImport({ text }: Tokens, i: number): boolean {
  return IMPORT.test((text[i]?.startsWith("⇥") === true ? text[i + 1] : text[i]) ?? "");
}

/** Written between the items of a list: an item more or less brings one more or less. */
export function isSeparator(file: string, token: string): boolean {
  const family = familyOf(file);
  return (family === "script" || family === "rust" || family === "python") && (token === "," || token === ";");
}

/** Two texts that mean the same to whoever reads tokens. */
export function sameTokens(file: string, a: string, b: string): boolean {
  if (a === b) return true;
  const left = tokensOf(file, a);
  const right = tokensOf(file, b);
  return left.text.length === right.text.length && left.text.every((text, i) => text === right.text[i]);
}
