/**
 * Lines that name something: a page of a file reduced to them, with their numbers, so that the right part can be
 * brought back; the names around a line; where one definition ends and the next begins. Works on any language that
 * names things at the beginning of a line.
 */
import { countTokens } from "../../model/index.ts";
import { headAndTail, shortLine } from "./fit-lines.ts";

const MODIFIERS = String.raw`(?:(?:public|private|protected|internal|static|async|override|abstract|readonly|final|virtual|get|set|export|default|declare|inline|constexpr|synchronized)\s+)*`;

const NAMES = new RegExp(
  [
    // TypeScript, JavaScript
    String.raw`^\s*${MODIFIERS}(?:function\b\*?|class\b|interface\b|type\s+\w+|enum\b|namespace\b)`,
    String.raw`^(?:export\s+)?(?:const|let|var)\s+\w+`,
    String.raw`^\s+${MODIFIERS}(?:const|let)\s+\w+\s*=\s*(?:async\s+)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>)`,
    // Methods: a name, arguments with or without defaults, and a body
    String.raw`^\s+${MODIFIERS}\*?#?(?!(?:if|for|while|switch|catch|return|with|do|else|match|await|yield|throw|new)\b)[A-Za-z_$][\w$]*\s*(?:<[^>]*>)?\(.*\)\s*(?::\s*[^=]+)?\{\s*$`,
    // Python, Ruby, Go, Rust, Java, C-like, shell
    String.raw`^\s*(?:async\s+)?(?:def|class|module)\s+\w+`,
    String.raw`^(?:func|type|package)\s`,
    String.raw`^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|impl|mod)\b`,
    String.raw`^\s*(?:public|private|protected)\s+[\w<>,\s[\]]+\(`,
    String.raw`^[A-Za-z_][\w\s*&:<>,]*\([^;]*\)\s*(?:const\s*)?\{?\s*$`,
    // Tests and headings
    String.raw`^\s*(?:describe|it|test)(?:\.\w+)?\(`,
    String.raw`^#{1,4}\s`,
  ].join("|"),
  "u",
);

const HEAD_CHARS = 80;
const MAX_NAMES = 3;

const indentOf = (text: string): number => /^[\t ]*/.exec(text)?.[0].replaceAll("\t", "    ").length ?? 0;

const namesSomething = (text: string): boolean => NAMES.test(text);

/** The first words of a definition, without its body. */
function nameIn(text: string): string {
  return shortLine(text.trim().replace(/\s*[{:(]\s*$/, ""), HEAD_CHARS);
}

/** What the line stands in, outermost first. `lines` end at or after it. */
export function enclosingNames(lines: readonly { number: number; text: string }[], line: number): string[] {
  const at = lines.findIndex(({ number }) => number === line);
  const names: string[] = [];
  // An empty line belongs to where the next one stands.
  let indent = indentOf(lines.slice(at).find(({ text }) => text.trim() !== "")?.text ?? "");
  for (let i = at - 1; i >= 0 && indent > 0 && names.length < MAX_NAMES; i -= 1) {
    const text = lines[i]?.text ?? "";
    if (text.trim() === "" || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    if (namesSomething(text)) names.unshift(nameIn(text));
  }
  return names;
}

/** Whether a page may end before this line: it begins something at the outer edge, after something that ended. */
export function startsDefinition(line: string, before: string): boolean {
  return /^[^\s)}\]]/.test(line) && (before.trim() === "" || /^[)}\]]/.test(before));
}

/** `numbered` has a line number and a bar before each line. */
export function outline(numbered: string, roomTokens: number): string {
  const lines = numbered.split("\n");
  const named = lines.filter((line) => namesSomething(line.replace(/^\s*\d+│/, "")));
  if (named.length < 2) return headAndTail(numbered, roomTokens);
  const kept: string[] = [];
  let used = 12;
  for (const line of named) {
    const short = shortLine(line, 120);
    used += countTokens(short) + 1;
    if (used > roomTokens) break;
    kept.push(short);
  }
  return `${kept.join("\n")}\n… outline: ${kept.length} of ${named.length} names, ${lines.length - kept.length} lines not shown …`;
}
