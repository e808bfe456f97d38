/** Documents as lines of text: HTML without its tags, PDF by its reader, the rest as it is. */
import { readFile } from "node:fs/promises";
import { messageOf, SylkError, systemCode } from "../../kernel/index.ts";
import { pdfToText } from "./read-pdf.ts";

const BLOCK = /<\/?(?:p|div|section|article|li|ul|ol|table|tr|pre|blockquote|br|hr|header|footer|main|nav|dd|dt)\b[^<>]*>/giu;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
};

function entity(all: string, code: string): string {
  if (!code.startsWith("#")) return ENTITIES[code.toLowerCase()] ?? all;
  const point = /^#x/iu.test(code) ? Number.parseInt(code.slice(2), 16) : Number.parseInt(code.slice(1), 10);
  return Number.isInteger(point) && point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all;
}

/** A document outside the project, as text, by the ending of its name. */
export async function readDocumentFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new SylkError({
      code: "DOCUMENT_UNREADABLE",
      tier: "user_fixable",
      message: `${file} cannot be read: ${systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause)}`,
      fix: "check the path; Markdown, text, HTML and PDF files can be added",
      cause,
    });
  });
  if (/\.pdf$/iu.test(file)) return pdfToText(bytes);
  const text = bytes.toString("utf8");
  return /\.html?$/iu.test(file) ? htmlToText(text) : text;
}

/**
 * Puts `make` in place of each element from its opening to its closing tag. An end that is missing is looked for once, and
 * not again from every opening: a page of openings alone would otherwise take hours.
 */
function replaceElements(html: string, opening: RegExp, make: (name: string, inside: string) => string): string {
  const endless = new Set<string>();
  const parts: string[] = [];
  let at = 0;
  for (let found = opening.exec(html); found !== null; found = opening.exec(html)) {
    const name = (found[1] ?? "--").toLowerCase();
    if (endless.has(name)) continue;
    const closing = name === "--" ? /-->/gu : new RegExp(String.raw`</${name}\s*>`, "giu");
    closing.lastIndex = opening.lastIndex;
    const end = closing.exec(html);
    if (end === null) {
      endless.add(name);
      continue;
    }
    parts.push(html.slice(at, found.index), make(name, html.slice(opening.lastIndex, end.index)));
    at = opening.lastIndex = closing.lastIndex;
  }
  return [...parts, html.slice(at)].join("");
}

/** Headings become Markdown headings, so that sections are cut the same way everywhere. Takes time by length only, whatever is in it. */
export function htmlToText(html: string): string {
  const shown = replaceElements(html, /<!--|<(script|style|noscript|template|svg)\b/giu, () => " ");
  const titled = replaceElements(shown, /<(title)\b[^<>]*>/giu, (_name, title) => `\n# ${title}\n`);
  return replaceElements(
    titled,
    /<(h[1-6])\b[^<>]*>/giu,
    (name, title) => `\n\n${"#".repeat(Number(name.slice(1)))} ${title.replaceAll(/<[^<>]*>|\s+/gu, " ").trim()}\n\n`,
  )
    .replaceAll(BLOCK, "\n")
    .replaceAll(/<[^<>]*>/gu, "")
    .replaceAll(/&(#x?[\da-f]+|\w+);/giu, entity)
    .replaceAll(/[ \t]+/gu, " ")
    .replaceAll(/\n\s*\n\s*(?:\n\s*)+/gu, "\n\n")
    .trim();
}
