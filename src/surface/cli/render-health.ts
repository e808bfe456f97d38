/** How sound a part of the project is, for people. */
import type { Result } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";

type Health = Result<"knowledge.health">;

function coverageLine({ test_coverage: percent, indicators: { coverage } }: Health): string {
  if (coverage === null) return "unknown: no report of the project's tests was found";
  const split = [
    ...(coverage.unit === undefined ? [] : [`unit ${coverage.unit} %`]),
    ...(coverage.integration === undefined ? [] : [`integration ${coverage.integration} %`]),
  ];
  const from = `${coverage.from.join(", ")}${coverage.is_old ? ", older than the code" : ""}`;
  return `${percent ?? 0} %${split.length === 0 ? "" : ` (${split.join(", ")})`} by ${from}`;
}

function typesLine({ is_strict: strict, any, unknown }: Health["indicators"]["type_safety"]): string {
  const uses = `${any} × any, ${unknown} × unknown`;
  return strict === null ? "nothing to set in its languages" : `${strict ? "strict" : "not strict"}; ${uses}`;
}

export function healthLines(health: Health, out: Output): string[] {
  const { indicators, warning } = health;
  const { source_files: source, read_files: read, test_files: tests, documentation } = indicators;
  const row = (name: string, text: string): string => `  ${name.padEnd(14)} ${text}`;
  return [
    out.style("bold", health.summary),
    ...(warning === undefined ? [] : [out.style("yellow", warning)]),
    row("source files", `${source}; ${read} files were read`),
    row("patterns", health.pattern_confidence.toFixed(2)),
    row("coverage", coverageLine(health)),
    row("test files", `${tests.unit} unit, ${tests.integration} integration`),
    row("debt", `${health.debt_markers} comments with TODO, FIXME or HACK`),
    row("types", typesLine(indicators.type_safety)),
    row("documentation", `${Math.round(documentation.documented * 100)} % of definitions; ${documentation.has_readme ? "a" : "no"} README`),
  ];
}
