/**
 * Lines that are too long for a terminal, broken between words and continued below where their text began. What is
 * quoted behind a bar stays as it is, and so does a word that is longer than the line.
 */
// oxlint-disable-next-line no-control-regex -- colours take no room
const COLOUR = /\u001b\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- the same
const COLOUR_OR_SIGN = /\u001b\[\d+m|[\s\S]/gu;
const QUOTED = /^\s*│/u;

/** So many signs of it are its beginning, and this stands before what goes on below it. */
export interface Beginning {
  signs: number;
  below: string;
}

/** Below the first text after a gap, when that leaves enough room; else a little to the right of the beginning. */
export function beginningOf(line: string, columns: number): Beginning {
  const plain = line.replace(COLOUR, "");
  const gap = /^\s*\S.*?\s{2,}(?=\S)/u.exec(plain)?.[0].length ?? Infinity;
  const start = plain.length - plain.trimStart().length;
  return gap <= columns / 2 ? { signs: gap, below: " ".repeat(gap) } : { signs: start, below: " ".repeat(start + 2) };
}

const widthOf = (text: string): number => text.replace(COLOUR, "").length;

/** As much of it as one line holds, and a mark where it is cut; the colours it ends with are kept. */
export function cutLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let left = columns - 1;
  const kept = [...line.matchAll(COLOUR_OR_SIGN)].map(([part]) => {
    if (part.startsWith("\u001b")) return part;
    left -= 1;
    return left >= 0 ? part : left === -1 ? "…" : "";
  });
  return kept.join("");
}

function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns || QUOTED.test(line)) return [line];
  const { below } = beginningOf(line, columns);
  const lines: string[] = [];
  let now = /^\s*/u.exec(line)?.[0] ?? "";
  let begun = false;
  for (const [, gap = "", word = ""] of line.slice(now.length).matchAll(/(\s*)(\S+)/gu)) {
    const fits = widthOf(now) + gap.length + widthOf(word) <= columns;
    if (begun && !fits) {
      lines.push(now);
      now = `${below}${word}`;
    } else now += `${gap}${word}`;
    begun = true;
  }
  return [...lines, now];
}

export function wrapLines(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < 20) return text;
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, columns))
    .join("\n");
}
