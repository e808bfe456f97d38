/** Secrets in files and text, as surfaces see them (SEC-027): what would be hidden or redacted, never the value. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileSensitivity } from "./secrets/sensitive-files.ts";
import { sanitizeFile } from "./secrets/sanitize-file.ts";
import type { Redactor } from "./secrets/create-redactor.ts";
import { SylkError, messageOf } from "../kernel/index.ts";

export interface SecretScan {
  path: string;
  /** `skip`: its contents never leave; `redact`: readable after redaction. */
  handling: "skip" | "redact" | "normal";
  /** The pattern of sensitive files it matches. */
  pattern: string | undefined;
  findings: { pattern: string; line: number; certain: boolean }[];
}

export interface SecretApi {
  scan(file: string): SecretScan;
  /** The text as a model would see it. */
  redact(text: string): { text: string; redactions: number };
  /** A file as the index would see it. */
  view(file: string): string;
}

const MAX_BYTES = 20_000_000;

function read(file: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES / 1e6} MB`);
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new SylkError({
      code: "FILE_READ_FAILED",
      tier: "user_fixable",
      message: `cannot read ${file}: ${messageOf(error)}`,
      fix: "name a readable text file",
      cause: error,
    });
  }
}

export function createSecretApi(redactor: Redactor, cwd: string): SecretApi {
  return {
    scan(file) {
      const text = read(path.resolve(cwd, file));
      const { handling, pattern } = fileSensitivity(file);
      const findings = redactor
        .find(text)
        .map((f) => ({ pattern: f.pattern, certain: f.certain, line: text.slice(0, f.start).split("\n").length }));
      return { path: file, handling, pattern, findings };
    },
    redact(text) {
      const { text: out, findings } = redactor.redact(text);
      return { text: out, redactions: findings.length };
    },
    view: (file) => sanitizeFile(redactor, file, read(path.resolve(cwd, file))).text,
  };
}
