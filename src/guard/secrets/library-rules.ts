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

type Rule = (typeof rules)[number];
type RuleContext = Parameters<Rule["create"]>[0];
type SourceCode = Parameters<NonNullable<ReturnType<Rule["create"]>["file"]>>[0];

export function findWithLibrary(text: string): LibraryFinding[] {
  const found: LibraryFinding[] = [];
  const source = {
    content: text,
    contentType: "text",
    filePath: "text.txt",
    ext: ".txt",
    hasBOM: false,
    getFilePath: () => "text.txt",
    getPhysicalFilePath: () => undefined,
  } as unknown as SourceCode;
  for (const rule of rules) {
    if (LEFT_OUT.has(rule.meta.id)) continue;
    const name = rule.meta.id.replace("@secretlint/secretlint-rule-", "").replaceAll("-", "_");
    const context = {
      sharedOptions: {},
      createTranslator: () => (id: string) => ({ message: id, messageId: id, data: undefined }),
      ignore: () => undefined,
      report: ({ range }: { range: readonly [number, number] }) => found.push({ name, start: range[0], end: range[1] }),
    } as unknown as RuleContext;
    void rule.create(context, {}).file?.(source);
  }
  return found;
}
