/** Which files a rule file takes in by `@path`, as it is written in many projects. Only named here; who may read them is decided elsewhere. */
import path from "node:path";

const FENCE = /^ {0,3}(`{3,}|~{3,})/u;
/** `@docs/style.md`, at the start of a line or after a blank; a name of a package or of a person looks the same. */
const MENTION = /(?<=^|\s)@((?:\\ |[^\s`'"<>|])+)/gu;
/** What may follow a name and is no part of it. */
const AFTER_NAME = ".,;:!?)]}*_";
/** What is surely meant as a text file when it is not there. */
const TEXT_FILE = /\.(?:md|mdc|markdown|txt)$/iu;
const PATH = /^[./~]|\.\w+$/u;

export interface RuleImport {
  /** Relative to the folder of rules, or absolute, or below `~`. */
  file: string;
  /** It can only be meant as a file. */
  sure: boolean;
  /** It is hardly meant as a package or a person. */
  likely: boolean;
}

/** A line without its code: from a row of backticks to the next one of the same length. Every row is looked at once. */
function withoutCode(line: string): string {
  const rows = [...line.matchAll(/`+/gu)].map(({ index, 0: { length } }) => ({ from: index, to: index + length, length }));
  const closedBy = new Map<number, number>();
  const next = new Map<number, number>();
  for (const [i, { length }] of [...rows.entries()].reverse()) {
    const closing = next.get(length);
    if (closing !== undefined) closedBy.set(i, closing);
    next.set(length, i);
  }
  let kept = "";
  let at = 0;
  for (let i = 0; i < rows.length; i += 1) {
    const closing = closedBy.get(i);
    if (closing === undefined) continue;
    kept += line.slice(at, rows[i]?.from);
    at = rows[closing]?.to ?? line.length;
    i = closing;
  }
  return kept + line.slice(at);
}

function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && AFTER_NAME.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** What is mentioned outside code, in its order. */
export function importsOf(from: string, text: string): RuleImport[] {
  const found = new Map<string, RuleImport>();
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    if (fence !== undefined || mark !== undefined) continue;
    for (const [, mention = ""] of withoutCode(line).matchAll(MENTION)) {
      const name = withoutEnd(mention.replaceAll("\\ ", " "));
      if (name === "" || name.includes("\0")) continue;
      const file = name.startsWith("~") || path.isAbsolute(name) ? name : path.join(path.dirname(from), name);
      found.set(file, { file, sure: TEXT_FILE.test(name), likely: PATH.test(name) });
    }
  }
  return [...found.values()];
}
