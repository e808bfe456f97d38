/** Reads what a model answered (MIT-063): which sources it cites, what it only infers, what it warns of. */
/** A stretch of the answer and the source it rests on (MIT-022). */
export interface Segment {
  text: string;
  start: number;
  end: number;
  source: number;
}

export interface ParsedAnswer {
  /** Numbers of sources, in order of first mention. */
  cited: number[];
  inferences: string[];
  warnings: string[];
  segments: Segment[];
}

/** What stands before a mark, back to the end of the sentence or mark before it, rests on that source. */
function segmentsOf(text: string, isSource: (n: number) => boolean): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  let last: { from: number; end: number } | undefined;
  for (const match of text.matchAll(/\[(\d{1,3})\]|[.!?](?=\s)|\n+/gu)) {
    if (match[1] === undefined) {
      from = match.index + match[0].length;
      last = undefined;
      continue;
    }
    const end = match.index;
    const bare = text.slice(from, end).trim();
    // Marks in a row stand for the same stretch.
    const place = bare === "" && last !== undefined ? last : { from, end };
    const said = text.slice(place.from, place.end);
    if (isSource(Number(match[1])) && said.trim() !== "") {
      const start = place.from + said.length - said.trimStart().length;
      segments.push({ text: said.trim(), start, end: start + said.trim().length, source: Number(match[1]) });
    }
    last = place;
    from = match.index + match[0].length;
  }
  return segments;
}

export function parseAnswer(text: string, sources: number): ParsedAnswer {
  // Numbers in square brackets inside code are places in lists, not citations.
  const prose = text.replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/gu, (code) => " ".repeat(code.length));
  const numbers = [...new Set([...prose.matchAll(/\[(\d{1,3})\]/gu)].map((match) => Number(match[1])))];
  const cited = numbers.filter((n) => n >= 1 && n <= sources);
  const wrong = numbers.filter((n) => !cited.includes(n));
  return {
    cited,
    segments: segmentsOf(prose, (n) => cited.includes(n)).map((one) => ({ ...one, text: text.slice(one.start, one.end) })),
    inferences: [...prose.matchAll(/\[INFERENCE\]\s*([^[]+)/gu)].map((match) => (match[1] as string).trim()).filter((one) => one !== ""),
    warnings: [
      ...prose
        .split("\n")
        .filter((line) => line.includes("⚠️"))
        .map((line) => line.trim()),
      ...wrong.map((n) => `the answer cites [${n}], which does not exist`),
    ],
  };
}
