/** Definitions, calls and imports of one source text. A text that cannot be parsed gives what can be told by its looks. */
import { captureCode, type CodeMatch, type Grammar } from "../../code/index.ts";
import type { FoundMention, FoundSymbol } from "../store/file-report.ts";

export interface CodeFacts {
  symbols: FoundSymbol[];
  mentions: FoundMention[];
  broken: boolean;
}

/** Definitions by their looks, for languages without a grammar here. */
const DEFINITION_LINE =
  /^\s*(?:(?:export|public|private|protected|internal|static|async|abstract|final|override|inline|pub|local|default|virtual|sealed|data|open)\s+)*(?<kind>function|func|fun|fn|def|class|struct|interface|trait|enum|module|namespace|type|protocol|object|macro|sub|proc|procedure|contract)\s+(?<name>[A-Za-z_$][\w$.:?!]*)/u;

const MAX_SIGNATURE = 200;
const MAX_DOC = 600;
const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!include|define|if|endif|else|pragma)|--|;;|"""|''')/u;
const DECORATION = /^\s*(?:@\w|#\[|\[\w+)/u;

/** The first line above a definition that still belongs to it: comments, attributes, decorators. */
export function firstLineOf(lines: readonly string[], line: number): number {
  let first = line;
  while (first > 1) {
    const above = lines[first - 2] as string;
    if (!COMMENT.test(above) && !DECORATION.test(above)) break;
    first -= 1;
  }
  return first;
}

function docOf(lines: readonly string[], line: number): string {
  const above = lines.slice(firstLineOf(lines, line) - 1, line - 1);
  const below = /^\s*(?:[rbu]?"""|''')/u.test(lines[line] ?? "") ? lines.slice(line, line + 6) : [];
  return [...above, ...below]
    .map((text) => text.replaceAll(/^\s*(?:\/\/[/!]?|\/\*+!?|\*+\/?|#+|--+|;;+)\s?|\*\/\s*$|"""|'''/gu, "").trim())
    .filter((text) => text !== "")
    .join(" ")
    .slice(0, MAX_DOC);
}

function signatureOf(lines: readonly string[], line: number): string {
  let text = (lines[line - 1] ?? "").trim();
  for (let next = line; next < line + 4 && /[(,]$/u.test(text); next += 1) text += ` ${(lines[next] ?? "").trim()}`;
  return text.slice(0, MAX_SIGNATURE);
}

/** Places of the innermost symbol around each line, looked up by walking symbols in order of start. */
function enclosing(symbols: readonly FoundSymbol[], line: number): number | undefined {
  let best: number | undefined;
  for (const [i, symbol] of symbols.entries()) {
    if (symbol.line > line) break;
    if (symbol.endLine >= line) best = i;
  }
  return best;
}

const MENTIONS: Readonly<Record<string, FoundMention["kind"]>> = {
  call: "call",
  import: "import",
  extends: "extends",
  implements: "implements",
  reference: "reference",
};

const GENERAL: ReadonlySet<string> = new Set(["type", "variable"]);

function fromMatches(matches: readonly CodeMatch[], lines: readonly string[]): Pick<CodeFacts, "symbols" | "mentions"> {
  const symbols = new Map<string, FoundSymbol>();
  for (const match of matches) {
    const def = match.find((node) => node.name.startsWith("def."));
    const name = match.find((node) => node.name === "name");
    if (def === undefined || name === undefined || name.text === "") continue;
    const key = `${name.start}`;
    const known = symbols.get(key);
    if (known !== undefined) {
      // The same thing by two names: `type` and `variable` say less than any other.
      if (GENERAL.has(known.kind) && !GENERAL.has(def.name.slice(4))) known.kind = def.name.slice(4);
      continue;
    }
    const line = name.line;
    symbols.set(key, {
      name: name.text.slice(0, 200),
      kind: def.name.slice(4),
      line,
      endLine: Math.max(def.endLine, line),
      signature: signatureOf(lines, line),
      doc: docOf(lines, def.line),
    });
  }
  const sorted = [...symbols.values()].sort((a, b) => a.line - b.line || b.endLine - a.endLine);
  const mentions = new Map<string, FoundMention>();
  for (const match of matches) {
    for (const node of match) {
      const kind = MENTIONS[node.name];
      if (kind === undefined) continue;
      const name = kind === "import" ? node.text.replaceAll(/^["'`]|["'`]$/gu, "") : node.text;
      const symbol = kind === "import" ? undefined : enclosing(sorted, node.line);
      const key = `${kind}\n${symbol ?? ""}\n${name}`;
      const seen = mentions.get(key);
      if (seen === undefined) mentions.set(key, { name: name.slice(0, 300), kind, line: node.line, symbol, count: 1 });
      else seen.count += 1;
    }
  }
  return { symbols: sorted, mentions: [...mentions.values()] };
}

function byLooks(lines: readonly string[]): FoundSymbol[] {
  const symbols: FoundSymbol[] = [];
  for (const [i, line] of lines.entries()) {
    const groups = line.length > 400 ? undefined : DEFINITION_LINE.exec(line)?.groups;
    if (groups === undefined) continue;
    symbols.push({
      name: groups["name"] as string,
      kind: /^(?:class|struct|interface|enum|trait|type|module)$/u.test(groups["kind"] as string) ? (groups["kind"] as string) : "function",
      line: i + 1,
      endLine: i + 1,
      signature: signatureOf(lines, i + 1),
      doc: docOf(lines, i + 1),
    });
  }
  for (const [i, symbol] of symbols.entries()) symbol.endLine = Math.max(symbol.line, (symbols[i + 1]?.line ?? lines.length + 1) - 1);
  return symbols;
}

export async function readSymbols(grammar: Grammar | undefined, text: string, lines: readonly string[]): Promise<CodeFacts> {
  if (grammar === undefined) return { symbols: byLooks(lines), mentions: [], broken: false };
  const captured = await captureCode(grammar.name, text, grammar.query);
  if (captured === undefined) return { symbols: byLooks(lines), mentions: [], broken: true };
  return { ...fromMatches(captured.matches, lines), broken: captured.broken };
}
