/**
 * Text of others (models, files, commands, repositories) as it may stand on a terminal: what would move
 * the cursor, talk to the terminal, turn the direction of writing or hide is shown as a mark instead.
 */

/** Control characters, writing direction, zero width, tags, line separators; emoji keep their style selectors. */
const HIDDEN = /(?![\n\t]|\uFE0E|\uFE0F)[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]/gu;

const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  if (code === DELETE) return "␡";
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** Lines and tabs stay; the two characters that end a line elsewhere become one. */
export function visibleText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, mark);
}

/** On one line, whatever was in it. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "␊").replaceAll("\t", "␉");
}

/** Of what is hidden, what a terminal obeys: the rest joins letters and pictures that somebody wrote. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Words of earlier as they may stand in an input, where the user sees them before they are said again. */
export function visibleWords(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(OBEYED, mark);
}

/** JSON with the same value, in which such characters are escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN, (character) =>
    [...Array(character.length).keys()].map((i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}
