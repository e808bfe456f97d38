/**
 * Takes lines out of a longer text without what is secret in them. A secret may span lines, so the lines
 * are redacted together with what stands above and below, as far as any pattern reaches.
 */

/** At least as long as the longest secret that spans lines. */
export const SECRET_REACH_CHARS = 24_000;

export interface LineRange {
  /** From 1. */
  from: number;
  /** Included; the last line when there are fewer. */
  to: number;
}

/** `redact` must keep the number of lines, as a `Redactor` does. */
export function redactLines(lines: readonly string[], range: LineRange, redact: (text: string) => string): string[] {
  const start = Math.max(1, range.from) - 1;
  const end = Math.min(lines.length, range.to);
  if (start >= end) return [];
  const above = reach(lines.slice(0, start).reverse(), (line, room) => line.slice(-room)).reverse();
  const below = reach(lines.slice(end), (line, room) => line.slice(0, room));
  return redact([...above, ...lines.slice(start, end), ...below].join("\n"))
    .split("\n")
    .slice(above.length, above.length + end - start);
}

function reach(lines: readonly string[], cut: (line: string, room: number) => string): string[] {
  const out: string[] = [];
  let room = SECRET_REACH_CHARS;
  for (const line of lines) {
    if (room <= 0) break;
    out.push(line.length > room ? cut(line, room) : line);
    room -= line.length + 1;
  }
  return out;
}
