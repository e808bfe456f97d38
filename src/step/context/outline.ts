/**
 * A page of a file reduced to the lines that name something, with their numbers: what is there and
 * where, so that the right part can be brought back. Works on any language that names things at the
 * beginning of a line; text without such lines gives its first and last ones.
 */
import { countTokens } from "../../model/index.ts";
import { headAndTail, shortLine } from "./fit-lines.ts";

const NAMES = new RegExp(
  [
    // TypeScript, JavaScript
    String.raw`^\s*(export\s+)?(default\s+)?(abstract\s+)?(async\s+)?(function|class|interface|type|enum|namespace)\b`,
    String.raw`^(export\s+)?(const|let|var)\s+\w+`,
    String.raw`^\s{2,4}(public|private|protected|static|async|get|set)?\s*#?\w+\(.*\)\s*(:\s*[^=]+)?\{\s*$`,
    // Python, Ruby, Go, Rust, Java, C-like, shell
    String.raw`^\s*(async\s+)?(def|class)\s+\w+`,
    String.raw`^(func|type|package)\s`,
    String.raw`^\s*(pub(\([^)]*\))?\s+)?(fn|struct|enum|trait|impl|mod)\b`,
    String.raw`^\s*(public|private|protected)\s+[\w<>,\s[\]]+\(`,
    String.raw`^\w+\s*\(\)\s*\{`,
    // Tests and headings
    String.raw`^\s*(describe|it|test)(\.\w+)?\(`,
    String.raw`^#{1,4}\s`,
  ].join("|"),
);

/** `numbered` has a line number and a bar before each line. */
export function outline(numbered: string, roomTokens: number): string {
  const lines = numbered.split("\n");
  const named = lines.filter((line) => NAMES.test(line.replace(/^\s*\d+│/, "")));
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
