/** What the index may know of a file (SEC-019): its redacted text, or only that it exists. */
import path from "node:path";
import type { Redactor } from "./create-redactor.ts";
import { fileSensitivity } from "./sensitive-files.ts";

export interface SanitizedFile {
  path: string;
  text: string;
  skipped: boolean;
  skipReason: string | undefined;
  redactionCount: number;
  patternsMatched: string[];
  originalSize: number;
  sanitizedSize: number;
}

export function sanitizeFile(redactor: Redactor, file: string, content: string): SanitizedFile {
  const { handling, pattern } = fileSensitivity(file);
  if (handling === "skip") {
    const text = `# ${path.basename(file)}\n\nThe contents of this file are withheld from the index for security.\nType: ${path.extname(file) || "none"}\n`;
    return {
      path: file,
      text,
      skipped: true,
      skipReason: `matches ${pattern}`,
      redactionCount: 0,
      patternsMatched: [],
      originalSize: content.length,
      sanitizedSize: text.length,
    };
  }
  const { text, findings } = redactor.redact(content);
  return {
    path: file,
    text,
    skipped: false,
    skipReason: undefined,
    redactionCount: findings.length,
    patternsMatched: [...new Set(findings.map((f) => f.pattern))].sort(),
    originalSize: content.length,
    sanitizedSize: text.length,
  };
}
