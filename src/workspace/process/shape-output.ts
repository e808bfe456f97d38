/**
 * Bounded view of any amount of output (TOO-024, TOO-027, TOO-028): the first and last lines, and
 * every line between them that looks like trouble. Memory does not grow with the output; gaps are
 * marked with the number of lines left out.
 */
import { must } from "../../kernel/index.ts";
export type Stream = "stdout" | "stderr";

export interface OutputLine {
  number: number;
  stream: Stream;
  text: string;
}

export interface ShapedOutput {
  /** Ready to show: lines in order, gaps marked. */
  text: string;
  /** One line: error and warning counts and the total. */
  summary: string;
  totalLines: number;
  totalBytes: number;
  errorLines: number;
  warningLines: number;
  /** Important lines that are neither among the first nor the last. */
  important: OutputLine[];
  omittedLines: number;
  truncated: boolean;
  /** Where the complete output is, when it is more than `text` shows. */
  spillPath: string | undefined;
}

export interface ShapeRules {
  keepFirstLines: number;
  keepLastLines: number;
  maxImportantLines: number;
  maxLineChars: number;
}

const ERROR = /\b(?:error|errors|failed|failure|fatal|exception|panic(?:ked)?)\b|^\s*(?:✗|×|✖|FAIL\b|not ok\b|E\s{2,})/iu;
const WARNING = /\bwarn(?:ing)?s?\b/iu;
const LOCATION = /[\w-]+\.\w+[:(]\d+[:,]\d+/u;
const STACK_FRAME = /^\s+at\s+\S|^\s+File ".+", line \d+/u;
/** Totals such as "0 errors" are not trouble. */
const NO_ERRORS = /\b(?:0|no) (?:errors?|failed|failures?|warnings?)\b/iu;

/** Of what passed only a name is told, whatever words are in it. */
const PASSED = /^\s*(?:ok \d|✓|✔|√|# Subtest:|--- PASS)/u;

type Importance = "error" | "warning" | "context" | "none";

function importanceOf(text: string): Importance {
  if (PASSED.test(text)) return "none";
  if (ERROR.test(text) && !NO_ERRORS.test(text)) return "error";
  if (WARNING.test(text) && !NO_ERRORS.test(text)) return "warning";
  return LOCATION.test(text) || STACK_FRAME.test(text) ? "context" : "none";
}

export interface OutputShaper {
  push(stream: Stream, text: string): void;
  readonly totalLines: number;
  /** True as soon as a line, or the end of one, is no longer in view. */
  readonly overflowed: boolean;
  finish(extra: { totalBytes: number; spillPath: string | undefined; redact: (text: string) => string }): ShapedOutput;
}

/** Keeps the first and last of many, half each. */
function bounded(max: number): { add(line: OutputLine): void; all(): OutputLine[]; dropped(): number } {
  const half = Math.ceil(max / 2);
  const first: OutputLine[] = [];
  const last: OutputLine[] = [];
  let dropped = 0;
  return {
    add(line) {
      if (first.length < half) first.push(line);
      else {
        last.push(line);
        if (last.length > max - half) {
          last.shift();
          dropped += 1;
        }
      }
    },
    all: () => [...first, ...last],
    dropped: () => dropped,
  };
}

function summaryOf(errors: number, warnings: number, total: number): string {
  const parts = [errors > 0 ? `${errors} error lines` : "", warnings > 0 ? `${warnings} warning lines` : "", `${total} lines`];
  return parts.filter((part) => part !== "").join(", ");
}

export function createOutputShaper(rules: ShapeRules): OutputShaper {
  const first: OutputLine[] = [];
  const ring: OutputLine[] = [];
  let ringAt = 0;
  const important = bounded(rules.maxImportantLines);
  let total = 0;
  let errors = 0;
  let warnings = 0;
  let cut = false;
  const keyed = new Map<number, Importance>();

  return {
    push(stream, text) {
      total += 1;
      const level = importanceOf(text);
      if (level === "error") errors += 1;
      else if (level === "warning") warnings += 1;
      cut ||= text.length > rules.maxLineChars;
      const shown =
        text.length > rules.maxLineChars
          ? `${text.slice(0, rules.maxLineChars)} … [${text.length - rules.maxLineChars} more characters]`
          : text;
      const line: OutputLine = { number: total, stream, text: shown };
      if (first.length < rules.keepFirstLines) {
        first.push(line);
        return;
      }
      if (level !== "none") keyed.set(total, level);
      if (ring.length < rules.keepLastLines) {
        ring.push(line);
        return;
      }
      const old = must(ring[ringAt]);
      if (keyed.delete(old.number)) important.add(old);
      ring[ringAt] = line;
      ringAt = (ringAt + 1) % rules.keepLastLines;
    },
    get totalLines() {
      return total;
    },
    get overflowed() {
      return cut || total > rules.keepFirstLines + rules.keepLastLines;
    },
    finish({ totalBytes, spillPath, redact }) {
      const kept = [...first, ...important.all(), ...ring.slice(ringAt), ...ring.slice(0, ringAt)];
      const out: string[] = [];
      let previous = 0;
      for (const line of kept) {
        const gap = line.number - previous - 1;
        if (gap > 0) out.push(`… ${gap} lines omitted …`);
        out.push(line.text);
        previous = line.number;
      }
      const omitted = total - kept.length;
      return {
        text: redact(out.join("\n")),
        summary: summaryOf(errors, warnings, total),
        totalLines: total,
        totalBytes,
        errorLines: errors,
        warningLines: warnings,
        important: important.all().map((line) => ({ ...line, text: redact(line.text) })),
        omittedLines: omitted,
        truncated: cut || omitted > 0,
        spillPath,
      };
    },
  };
}
