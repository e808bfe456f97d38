/** Reads what a model answered (MIT-063): which sources it cites, what it only infers, what it warns of. */
export interface ParsedAnswer {
  /** Numbers of sources, in order of first mention. */
  cited: number[];
  inferences: string[];
  warnings: string[];
}

export function parseAnswer(text: string, sources: number): ParsedAnswer {
  // Numbers in square brackets inside code are places in lists, not citations.
  const prose = text.replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/gu, " ");
  const numbers = [...new Set([...prose.matchAll(/\[(\d{1,3})\]/gu)].map((match) => Number(match[1])))];
  const cited = numbers.filter((n) => n >= 1 && n <= sources);
  const wrong = numbers.filter((n) => !cited.includes(n));
  return {
    cited,
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
