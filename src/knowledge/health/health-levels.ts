/** Which level of maturity a part of the project has, and what is advised there. */
import type { Health } from "../told/index.ts";

/** Where one level ends and the next begins. */
export interface HealthLimits {
  /** Fewer source files than this are no codebase yet. */
  greenfield_below: number;
  /** Patterns that agree less than this cannot be relied on. */
  legacy_below: number;
  disciplined_from: number;
  /** Percent. */
  disciplined_coverage: number;
}

export const ADVICE: Readonly<Record<Health["maturity"], string>> = {
  DISCIPLINED: "follow the existing patterns strictly",
  TRANSITIONAL: "follow the newer patterns and do not spread the old ones",
  LEGACY: "isolate changes and do not spread its patterns",
  GREENFIELD: "there are no patterns yet: set them with the user's approval",
};

const LOW = "low confidence: look at the patterns by hand before you build on them";

export function maturityOf(
  { files, patterns, coverage }: { files: number; patterns: number; coverage: number | null },
  limits: HealthLimits,
): Health["maturity"] {
  if (files < limits.greenfield_below) return "GREENFIELD";
  if (patterns < limits.legacy_below) return "LEGACY";
  return patterns >= limits.disciplined_from && coverage !== null && coverage >= limits.disciplined_coverage
    ? "DISCIPLINED"
    : "TRANSITIONAL";
}

export const warningOf = (maturity: Health["maturity"], patterns: number, limits: HealthLimits): string | undefined =>
  maturity === "LEGACY" || patterns < limits.legacy_below ? LOW : undefined;

/** A folder too small to have patterns of its own, in one that has them: those hold in it. What was counted in it stays its own. */
export function grownFrom({ warning: _own, ...small }: Health, home: Health): Health {
  const { area, maturity, pattern_confidence, recommendation, warning } = home;
  const grown = { ...small, maturity, pattern_confidence, recommendation, as_in: area };
  return { ...grown, summary: summaryOf(grown), ...(warning === undefined ? {} : { warning }) };
}

/** One line: area, maturity, patterns, coverage, debt, advice. */
export function summaryOf(
  one: Pick<Health, "area" | "maturity" | "pattern_confidence" | "test_coverage" | "debt_markers" | "recommendation" | "as_in">,
): string {
  const named = (area: string): string => (area === "." ? "the project" : area);
  const level = one.as_in === undefined ? one.maturity : `${one.maturity} as ${named(one.as_in)}`;
  const coverage = one.test_coverage === null ? "coverage unknown" : `coverage ${one.test_coverage} %`;
  const debt = one.debt_markers === 1 ? "1 debt marker" : `${one.debt_markers} debt markers`;
  return `${named(one.area)}: ${level}, patterns ${one.pattern_confidence.toFixed(2)}, ${coverage}, ${debt}; ${one.recommendation}`;
}
