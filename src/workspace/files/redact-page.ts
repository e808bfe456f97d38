/**
 * Redacts one page of a file. A page may begin in the middle of a secret that spans lines; then the line
 * that opened it is looked at too. What remains keeps its line numbers.
 */
import type { Redact } from "../gate.ts";
import type { Line } from "./read-file.ts";

const OPENS = /-----BEGIN [^-]*-----/u;
const CLOSES = /-----END [^-]*-----/u;

/** Follows the lines before a page; `line` is what opened a block that has not been closed. */
export function openBlock(before: string | undefined, text: string): string | undefined {
  if (!text.includes("-----")) return before;
  if (CLOSES.test(text)) return undefined;
  return OPENS.test(text) ? text : before;
}

export function redactPage(lines: Line[], opened: string | undefined, redact: Redact): { lines: Line[]; redacted: boolean } {
  const texts = lines.map((line) => line.text);
  const whole = (opened === undefined ? texts : [opened, ...texts]).join("\n");
  const clean = redact(whole);
  if (clean === whole) return { lines, redacted: false };
  const given = opened === undefined ? lines : [{ number: (lines[0]?.number ?? 1) - 1, text: opened }, ...lines];
  return { lines: numbered(clean.split("\n"), given).filter((line) => line.number >= (lines[0]?.number ?? 1)), redacted: true };
}

/** A marker may stand for several lines; what follows it is found again by its text. */
function numbered(clean: readonly string[], given: readonly Line[]): Line[] {
  const out: Line[] = [];
  let at = 0;
  for (const [i, text] of clean.entries()) {
    const line = given[Math.min(at, given.length - 1)];
    if (line === undefined) break;
    out.push({ number: line.number, text });
    const next = clean[i + 1];
    const left = given.length - at - 1 - (clean.length - i - 1);
    at += 1;
    if (text === line.text || next === undefined || left <= 0) continue;
    const found = given.findIndex((one, place) => place >= at && place <= at + left && one.text === next);
    if (found !== -1) at = found;
  }
  return out;
}
