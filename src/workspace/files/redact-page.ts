/**
 * Redacts one page of a file and cuts its long lines, in this order: half a secret is no longer known as one.
 * A page may begin in the middle of a secret that spans lines; then the line that opened it is looked at too.
 */
import { SECRET_REACH_CHARS } from "../../guard/index.ts";
import type { Redact } from "../gate.ts";

export interface Line {
  number: number;
  text: string;
}

const EDGE = /-----(BEGIN|END) [^-]*-----/gu;

/** Follows the lines before a page; what it returns opened a block that has not been closed. */
export function openBlock(before: string | undefined, text: string): string | undefined {
  if (!text.includes("-----")) return before;
  const last = [...text.matchAll(EDGE)].at(-1);
  if (last === undefined) return before;
  return last[1] === "BEGIN" ? text.slice(last.index) : undefined;
}

/** As much of a line as redaction needs to know what is secret in the part that is shown. */
export function lookedAt(text: string, maxChars: number): string {
  return text.slice(0, maxChars + SECRET_REACH_CHARS);
}

export function cutLine(text: string, maxChars: number, longer = 0): string {
  const shown = text.slice(0, maxChars);
  const more = text.length - shown.length + longer;
  return more > 0 ? `${shown} … [${more} more characters]` : text;
}

export interface PageLine extends Line {
  /** Characters of the line beyond `text`. */
  more: number;
}

export function redactPage(
  lines: readonly PageLine[],
  opened: string | undefined,
  { redact, maxLineChars }: { redact: Redact; maxLineChars: number },
): { lines: Line[]; redacted: boolean } {
  const texts = lines.map((line) => line.text);
  const whole = (opened === undefined ? texts : [opened, ...texts]).join("\n");
  const clean = redact(whole);
  const shown = clean.split("\n").slice(opened === undefined ? 0 : 1);
  return {
    lines: lines.map((line, i) => ({ number: line.number, text: cutLine(shown[i] ?? "", maxLineChars, line.more) })),
    redacted: clean !== whole,
  };
}
