/**
 * Lines that are too long for a terminal, broken between words and continued below where their text began. What is
 * quoted behind a bar goes on behind another one, whatever it says: the terminal itself would go on at the left edge,
 * where only Sylk's own lines begin. Elsewhere a word that is longer than the line stays whole, to be copied.
 */
// oxlint-disable-next-line no-control-regex -- colours take no room
const COLOUR = /\u001b\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- the same
const COLOUR_OR_SIGN = /\u001b\[\d+m|[\s\S]\p{M}*/gu;
/** Empty braille looks like a blank, and would make one word of many. */
const GAP_AND_WORD = /([\s\u2800]*)([^\s\u2800]+)/gu;
const BARRED = /^\s*│\s*/u;
/** May take two columns: letters of East Asia, and pictures. Where one takes less, a line is broken a little early. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F000}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|.\uFE0F/gu;

/** So many signs of it are its beginning, and this stands before what goes on below it. */
export interface Beginning {
  signs: number;
  below: string;
}

/** Below the first text after a gap, when that leaves enough room; else a little to the right of the beginning. */
function beginningOf(plain: string, columns: number): Beginning {
  const gap = /^\s*\S.*?\s{2,}(?=\S)/u.exec(plain)?.[0].length ?? Infinity;
  const start = plain.length - plain.trimStart().length;
  return gap <= columns / 2 ? { signs: gap, below: " ".repeat(gap) } : { signs: start, below: " ".repeat(start + 2) };
}

const barOf = (line: string): string | undefined => BARRED.exec(line.replace(COLOUR, ""))?.[0];

/** Where what is quoted behind a bar goes on, the bar is another one: no line of it began there. */
export function beginningIn(line: string, columns: number): Beginning {
  const bar = barOf(line);
  return bar === undefined ? beginningOf(line.replace(COLOUR, ""), columns) : { signs: bar.length, below: bar.replace("│", "┆") };
}

const TAB = " ".repeat(8);

const columnsOf = (text: string): number => text.replace(COLOUR, "").replaceAll("\t", TAB).replace(WIDE, "xx").length;

/** As much of it as one line holds, and a mark where it is cut; the colours it ends with are kept. */
export function cutLine(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  let left = columns - 1;
  const kept = [...line.matchAll(COLOUR_OR_SIGN)].map(([part]) => {
    if (part.startsWith("\u001b")) return part;
    if (left < 0) return "";
    left -= columnsOf(part);
    return left >= 0 ? part : "…";
  });
  return kept.join("");
}

/** In parts that fit. */
function cut(word: string, columns: number): string[] {
  const parts = [""];
  for (const [sign] of word.matchAll(COLOUR_OR_SIGN)) {
    const now = `${parts.at(-1) ?? ""}${sign}`;
    if (columnsOf(now) <= columns) parts.splice(-1, 1, now);
    else parts.push(sign);
  }
  return parts;
}

function wrapLine(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  const { below } = beginningIn(line, columns);
  const room = columns - columnsOf(below);
  const isQuoted = barOf(line) !== undefined;
  const lines: string[] = [];
  let now = /^\s*/u.exec(line)?.[0] ?? "";
  let begun = false;
  for (const [, gap = "", word = ""] of line.slice(now.length).matchAll(GAP_AND_WORD))
    for (const [i, part] of (isQuoted ? cut(word, room) : [word]).entries()) {
      const space = i === 0 ? gap : "";
      const fits = columnsOf(`${now}${space}${part}`) <= columns;
      if (begun && !fits) {
        lines.push(now);
        now = `${below}${part}`;
      } else now += `${space}${part}`;
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
