/** Where a line is cut that goes on below, and in which colours. Colours take no room. */

// oxlint-disable-next-line no-control-regex -- colours take no room
const COLOUR = /\u001b\[\d+m/gu;
// oxlint-disable-next-line no-control-regex -- the same
const COLOUR_OR_SIGN = /\u001b\[\d+m|[\s\S]/gu;

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
