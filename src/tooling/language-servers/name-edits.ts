/** Where a name stands in a text, and what renaming it makes of one. */
import type { ServerEdit } from "./answers.ts";

/** The nearest of these lines that holds the name is meant. */
const LINES_OFF = 3;

const plain = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");

export function placeOf(text: string, line: number, name: string): { line: number; character: number } | undefined {
  const lines = text.split("\n");
  const word = new RegExp(`(?<![\\w$])${plain(name)}(?![\\w$])`, "u");
  for (let off = 0; off <= LINES_OFF; off += 1)
    for (const at of [line - 1 + off, line - 1 - off]) {
      const character = lines[at]?.search(word) ?? -1;
      if (character >= 0) return { line: at, character };
    }
  return undefined;
}

/**
 * Undefined when the edits do not fit the text or each other, or do more than rename: a server is believed about
 * where a name stands, not about what is written there.
 */
export function withRenames(text: string, edits: readonly ServerEdit[], names: { from: string; to: string }): string | undefined {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = ({ line, character }: ServerEdit["range"]["start"]): number => {
    const start = starts[line];
    return start === undefined ? Number.NaN : start + character;
  };
  const cuts = edits
    .map(({ range, newText }) => ({ from: offset(range.start), to: offset(range.end), newText }))
    .toSorted((a, b) => a.from - b.from);
  const either = `(?:${plain(names.from)}|${plain(names.to)})`;
  // Short forms are written out: `{ old }` becomes `{ old: new }`, an import `old as new`.
  const whole = new RegExp(`^(?:${plain(names.to)}|${either}(?: ?: ?| as )${either})$`, "u");
  const added = new RegExp(`^(?:${either}(?: ?: ?| as )|(?: ?: ?| as )${either})$`, "u");
  let edited = "";
  let at = 0;
  for (const { from, to, newText } of cuts) {
    if (!(from >= at && to >= from && to <= text.length)) return undefined;
    const isRename = text.slice(from, to) === names.from && standsAlone(text, from, to) && whole.test(newText);
    if (!isRename && !(from === to && added.test(newText))) return undefined;
    edited += text.slice(at, from) + newText;
    at = to;
  }
  return edited + text.slice(at);
}

const standsAlone = (text: string, from: number, to: number): boolean =>
  !/[\w$]/u.test(text.charAt(from - 1)) && !/[\w$]/u.test(text.charAt(to));
