/**
 * Words of a model as a terminal shows Markdown: headings, lists, code and tables as what they are. What it is given
 * holds no control characters, and what comes back has none but colours; an address is always spelled out.
 */
import { Markdown, setCapabilityOverrides, type MarkdownTheme } from "./screen.ts";

/** Longer texts stay as they were written: reading them as Markdown would take too long. */
const MOST_CHARS = 12_000;

type Paint = (on: number, off: number) => (text: string) => string;

function themeOf(paint: Paint): MarkdownTheme {
  const plain = (text: string): string => text;
  const strong = paint(1, 22);
  const dim = paint(2, 22);
  const accent = paint(36, 39);
  return {
    heading: strong,
    bold: strong,
    italic: paint(3, 23),
    underline: paint(4, 24),
    strikethrough: paint(9, 29),
    code: accent,
    codeBlock: accent,
    codeBlockBorder: dim,
    listBullet: accent,
    quote: plain,
    quoteBorder: dim,
    hr: dim,
    link: plain,
    linkUrl: dim,
  };
}

// oxlint-disable-next-line no-control-regex -- colours stand behind what fills the line
const FILLED = /[ ]+((?:\u001b\[[\d;]*m)*)$/u;

/** Read as Markdown, of a picture only its words are left; where it would come from is an address like any other. */
const PICTURE = /!\[[^\]\n]{0,400}\]/u;

/** Undefined: it is better shown as it is. */
export function markdownLines(text: string, columns: number, paint: Paint): string[] | undefined {
  if (text.length > MOST_CHARS || PICTURE.test(text)) return undefined;
  setCapabilityOverrides({ hyperlinks: false });
  try {
    const block = new Markdown(text, 0, 0, themeOf(paint), undefined, { renderLatex: false, preserveOrderedListMarkers: true });
    return block.render(columns).map((line) => line.replace(FILLED, "$1"));
  } catch (error) {
    // Nested deeper than it can be read; where an expression is used for the first time that deep, it is called invalid.
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
