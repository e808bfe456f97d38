/** What is known of the place, for the person who approves a plan: what it means for them, in a line each. */
import type { Payload } from "../protocol/events/index.ts";
import { adviceLines } from "./advice.ts";

type Assessed = Payload<"request.assessed">;
type Health = Assessed["health"][number];

const STYLE: Readonly<Record<Health["maturity"], string>> = {
  DISCIPLINED: "built in one way throughout, which is followed",
  TRANSITIONAL: "built in older and newer ways; the newer one is followed",
  LEGACY: "built in ways that do not agree; changes are kept apart from them",
  GREENFIELD: "too small to show how things are done here; what is built now sets it",
};

function healthLine({ area, maturity, test_coverage: coverage, debt_markers: debt }: Health): string {
  const more = [
    ...(coverage === null ? [] : [`tests cover ${coverage} %`]),
    ...(debt === 0 ? [] : [`${debt} comment${debt === 1 ? "" : "s"} with TODO, FIXME or HACK`]),
  ];
  return `${area === "." ? "the project" : area}: ${[STYLE[maturity], ...more].join("; ")}`;
}

function pastLines({ failures, advice }: Assessed): string[] {
  const { similar, succeeded } = failures.success_statistics;
  if (similar === 0 && failures.warnings.length === 0) return ["nothing like it was tried here before", ...adviceLines(advice)];
  const past = similar === 0 ? [] : [`${succeeded} of ${similar} requests like this one were done`];
  return [...past, ...failures.warnings, ...adviceLines(advice)];
}

export const placeInWords = (known: Assessed): string[] => [...known.health.map(healthLine), ...pastLines(known)];
