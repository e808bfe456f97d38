/** Documents as lines of text: HTML without its tags, PDF by an existing reader, the rest as it is. */
import { readFile } from "node:fs/promises";
import { messageOf, SylkError, systemCode } from "../../kernel/index.ts";

const BLOCK = /<\/?(?:p|div|section|article|li|ul|ol|table|tr|pre|blockquote|br|hr|header|footer|main|nav|dd|dt)\b[^>]*>/giu;
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

/** Headings become Markdown headings, so that sections are cut the same way everywhere. */
export function htmlToText(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?-->|<(script|style|noscript|template|svg)\b[\s\S]*?<\/\1\s*>/giu, " ")
    .replaceAll(/<title\b[^>]*>([\s\S]*?)<\/title>/giu, "\n# $1\n")
    .replaceAll(
      /<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1>/giu,
      (_all, level: string, title: string) => `\n\n${"#".repeat(Number(level))} ${title.replaceAll(/<[^>]*>|\s+/gu, " ").trim()}\n\n`,
    )
    .replaceAll(BLOCK, "\n")
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll(/&(#x?[\da-f]+|\w+);/giu, entity)
    .replaceAll(/[ \t]+/gu, " ")
    .replaceAll(/\n\s*\n\s*(?:\n\s*)+/gu, "\n\n")
    .trim();
}

/** One heading per page, so that a hit can name it. */
export async function pdfToText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes));
    const { text } = await extractText(pdf, { mergePages: false });
    return text.map((page, i) => `# Page ${i + 1}\n\n${page}`).join("\n\n");
  } catch (cause) {
    throw new SylkError({
      code: "DOCUMENT_UNREADABLE",
      tier: "user_fixable",
      message: `the PDF cannot be read: ${messageOf(cause)}`,
      fix: "check that it opens in a reader and holds text, not pictures of text",
      cause,
    });
  }
}
