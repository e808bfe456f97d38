/** Cuts a text into pieces that stand alone: at definitions in code, at headings in documents, else by length. */
import { firstLineOf } from "./read-symbols.ts";
import type { FoundSymbol } from "../store/file-report.ts";

export interface Piece {
  line: number;
  endLine: number;
  name: string;
  symbol: number | undefined;
}

const CHUNK_LIMITS = { minLines: 6, goodLines: 40, maxLines: 80 };

/** Cuts after these lines (0 = before the first); joins pieces that are too small, splits those too large. */
function assemble(starts: readonly number[], total: number): { line: number; endLine: number }[] {
  const pieces: { line: number; endLine: number }[] = [];
  const sorted = [...new Set([1, ...starts])].filter((line) => line >= 1 && line <= total).sort((a, b) => a - b);
  for (const [i, line] of sorted.entries()) {
    const endLine = (sorted[i + 1] ?? total + 1) - 1;
    const last = pieces.at(-1);
    const size = endLine - line + 1;
    const lastSize = last === undefined ? 0 : last.endLine - last.line + 1;
    if (
      last !== undefined &&
      (lastSize < CHUNK_LIMITS.minLines || size < CHUNK_LIMITS.minLines) &&
      lastSize + size <= CHUNK_LIMITS.goodLines
    ) {
      last.endLine = endLine;
      continue;
    }
    for (let from = line; from <= endLine; from += CHUNK_LIMITS.maxLines)
      pieces.push({ line: from, endLine: Math.min(endLine, from + CHUNK_LIMITS.maxLines - 1) });
  }
  return pieces;
}

export function cutCode(lines: readonly string[], symbols: readonly FoundSymbol[]): Piece[] {
  const starts = symbols
    .filter((symbol) => symbol.kind !== "variable" && symbol.kind !== "constant")
    .map((symbol) => firstLineOf(lines, symbol.line));
  return assemble(starts, lines.length).map((piece) => {
    const inside = symbols.findIndex((symbol) => symbol.line >= piece.line && symbol.line <= piece.endLine);
    const around = inside === -1 ? symbols.findLastIndex((symbol) => symbol.line <= piece.line && symbol.endLine >= piece.endLine) : inside;
    return { ...piece, symbol: around === -1 ? undefined : around, name: symbols[around]?.name ?? "" };
  });
}

const HEADING = /^(?:#{1,6}\s+(?<atx>.+?)\s*#*|(?<under>\S.*))$/u;
const UNDERLINE = /^(?:=+|-{3,}|~{3,}|\^{3,})\s*$/u;

export interface Section extends Piece {
  /** Headings above, outermost first, its own last. */
  trail: string[];
}

/** Sections by Markdown or underlined headings; text inside code fences has none. */
export function cutSections(lines: readonly string[]): Section[] {
  const heads: { line: number; level: number; title: string }[] = [];
  let fenced = false;
  for (const [i, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/u.test(line)) fenced = !fenced;
    if (fenced) continue;
    const groups = HEADING.exec(line)?.groups;
    if (groups?.["atx"] !== undefined) heads.push({ line: i + 1, level: /^#+/u.exec(line)?.[0].length ?? 1, title: groups["atx"] });
    else if (
      groups !== undefined &&
      UNDERLINE.test(lines[i + 1] ?? "") &&
      line.length < 120 &&
      !UNDERLINE.test(line) &&
      (lines[i - 1] ?? "").trim() === ""
    )
      heads.push({ line: i + 1, level: (lines[i + 1] as string).startsWith("=") ? 1 : 2, title: line.trim() });
  }
  const trailAt = (line: number): string[] => {
    const trail: { level: number; title: string }[] = [];
    for (const head of heads) {
      if (head.line > line) break;
      while ((trail.at(-1)?.level ?? 0) >= head.level) trail.pop();
      trail.push(head);
    }
    return trail.map((head) => head.title);
  };
  return assemble(
    heads.map((head) => head.line),
    lines.length,
  ).map((piece) => {
    const trail = trailAt(piece.line);
    return { ...piece, symbol: undefined, trail, name: trail.at(-1) ?? "" };
  });
}
