/**
 * The maintained detector library beside our own patterns. Its rules are plain synchronous functions;
 * they are called directly so that redaction stays synchronous. Its rule that lets a comment switch
 * detection off is left out: text under inspection must not be able to hide itself.
 */
import { rules } from "@secretlint/secretlint-rule-preset-recommend";

export interface LibraryFinding {
  name: string;
  start: number;
  end: number;
}

/** Rules that read files from disk or obey comments in the text. */
const LEFT_OUT = new Set(["@secretlint/secretlint-rule-filter-comments", "@secretlint/secretlint-rule-gcp"]);

/** As much of the library's rule interface as is used here; its own types are a package we do not install. */
interface LibraryRule {
  meta: { id: string };
  create(
    context: {
      sharedOptions: object;
      createTranslator: () => (id: string) => { message: string; messageId: string };
      ignore: () => void;
      report: (finding: { range: readonly [number, number] }) => void;
    },
    options: object,
  ): { file?: (source: object) => unknown };
}

/** The rules ask the text for what matches their expressions; those that cannot match are not tried. */
function looked(text: string, mayMatch: (pattern: RegExp) => boolean): object {
  const matchAll = (pattern: RegExp): Iterable<RegExpExecArray> => (mayMatch(pattern) ? text.matchAll(pattern) : []);
  return Object.assign(Object(text) as object, { matchAll });
}

export function findWithLibrary(text: string, mayMatch: (pattern: RegExp) => boolean): LibraryFinding[] {
  const found: LibraryFinding[] = [];
  const source = {
    content: looked(text, mayMatch),
    contentType: "text",
    filePath: "text.txt",
    ext: ".txt",
    hasBOM: false,
    getFilePath: () => "text.txt",
    getPhysicalFilePath: () => undefined,
  };
  for (const rule of rules as unknown as readonly LibraryRule[]) {
    if (LEFT_OUT.has(rule.meta.id)) continue;
    const name = rule.meta.id.replace("@secretlint/secretlint-rule-", "").replaceAll("-", "_");
    const context = {
      sharedOptions: {},
      createTranslator: () => (id: string) => ({ message: id, messageId: id }),
      ignore: () => undefined,
      report: ({ range }: { range: readonly [number, number] }) => void found.push({ name, start: range[0], end: range[1] }),
    };
    void rule.create(context, {}).file?.(source);
  }
  return found;
}
