/** How a line begins that goes on below: behind what, and where. Colours take no room. */
import { stripVTControlCharacters } from "node:util";
import { beginningOf, type Beginning } from "../wrap-lines.ts";

// oxlint-disable-next-line no-control-regex -- colours take no room
const COLOUR = /\u001b\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- the same
const COLOUR_OR_SIGN = /\u001b\[\d+m|[\s\S]/gu;
const BARRED = /^\s*│\s*/u;

/** The colours that are on where it ends. */
export const coloursOf = (text: string): string => (text.match(COLOUR) ?? []).join("");

/** Where so many signs of it end, colours not counted. */
export function cutAfter(line: string, signs: number): number {
  let left = signs;
  for (const { 0: part, index } of line.matchAll(COLOUR_OR_SIGN)) {
    if (left === 0 && part.length === 1) return index;
    if (part.length === 1) left -= 1;
  }
  return line.length;
}

/** Where what is quoted behind a bar goes on, the bar is another one: no line of it began there. */
export function beginningIn(line: string, width: number): Beginning {
  const bar = BARRED.exec(stripVTControlCharacters(line))?.[0];
  return bar === undefined ? beginningOf(line, width) : { signs: bar.length, below: bar.replace("│", "┆") };
}
