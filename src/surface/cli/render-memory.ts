/** Memory on a terminal. */
import type { Result } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";

export function renderBudget(lines: Result<"memory.budget">, out: Output): string {
  if (lines.length === 0) return "no agent remembers anything here yet";
  return lines
    .map((line) => {
      const share = line.usage_ratio === null ? "no budget" : `${Math.round(line.usage_ratio * 100)} % of ${line.tokens_budget}`;
      const truth = line.ground_truth_budget === null ? "" : `, ground truth ${line.ground_truth_tokens} of ${line.ground_truth_budget}`;
      const colour = line.status === "ok" || line.status === "no_budget" ? "green" : "yellow";
      return `${line.agent.padEnd(14)} tier ${line.tier}  ${String(line.tokens).padStart(7)} tokens  ${out.style(colour, line.status)}  ${out.style("dim", share + truth)}`;
    })
    .join("\n");
}

export function renderLoaded(loaded: Result<"memory.load">, out: Output): string {
  const stale = new Map(loaded.stale.map(({ title, because }) => [title, because]));
  return [
    `${out.style("bold", loaded.agent)}  tier ${loaded.tier}, ${loaded.tokens.own} own tokens, ${loaded.tokens.references} in references`,
    ...loaded.decisions.map((one) => {
      const because = stale.get(one.title);
      return `  [${one.date}] ${one.title}${because === undefined ? "" : out.style("yellow", `  stale: ${because}`)}${one.body === "" ? "" : `\n    ${out.style("dim", one.body.replaceAll(/\s*\n+\s*/g, "\n    "))}`}`;
    }),
    ...(loaded.left_out > 0 ? [`  ${loaded.left_out} more did not fit`] : []),
    ...(loaded.context === "" ? [] : ["", loaded.context.trim()]),
    ...(loaded.ground_truth === ""
      ? []
      : [out.style("dim", `  ground truth: ${loaded.ground_truth.match(/^\*\*\[/gm)?.length ?? 0} facts`)]),
    ...loaded.references.map((one) => `  reads ${one.agent}/${one.file} (${one.mode}, ${one.tokens} tokens)`),
    ...loaded.downgrades.map((line) => out.style("yellow", `  ${line}`)),
    ...loaded.warnings.map((line) => out.style("yellow", `  ! ${line}`)),
  ].join("\n");
}

export function renderRefresh(results: Result<"memory.refresh">, out: Output): string {
  return results
    .flatMap((result) => {
      if (!result.ok) return [`${out.style("red", "FAILED")} ${result.agent}: ${result.reason}`];
      const { report } = result;
      const { added, updated, unchanged, removed } = report.delta;
      return [
        `${out.style("green", "OK")} ${report.agent}: ${report.entries} facts (${report.mode}), ${added.length} added, ${updated.length} updated, ${unchanged} unchanged, ${removed.length} removed; ${report.tokens} tokens, ${report.light}`,
        ...updated.slice(0, 10).map((one) => `  ~ ${one.from} → ${one.to}`),
        ...removed.slice(0, 10).map((source) => `  - ${source}`),
        ...report.notes.map((note) => out.style("dim", `  ${note}`)),
      ];
    })
    .join("\n");
}

export function renderHygiene(report: Result<"memory.hygiene">, out: Output): string {
  const section = (title: string, lines: string[]): string[] => [`## ${title}`, "", ...(lines.length === 0 ? ["nothing"] : lines), ""];
  const finding = (one: Result<"memory.hygiene">["findings"][number]): string =>
    `- ${out.style("yellow", one.class)} ${one.agent}: “${one.entry}”: ${one.evidence}; ${one.action}${one.likely_rename === undefined ? "" : `; maybe now ${one.likely_rename}`}  (${one.actionable ? "" : "after a look: "}--apply "${one.id}")`;
  const { summary } = report;
  const isEmpty =
    summary.entries === 0 && summary.findings === 0 && report.references.length + report.matrix.length + report.refresh.length === 0;
  if (isEmpty) return "no agent has decided anything yet; there is nothing to tidy";
  return [
    ...section("Summary", [`${summary.agents} agents, ${summary.entries} entries, ${summary.active} active, ${summary.findings} findings`]),
    ...section(
      "Token budget",
      report.budgets.map((one) => `- ${one.agent}: ${one.status}, ${one.message}`),
    ),
    ...section("Findings", report.findings.map(finding)),
    ...section("Cross references", [
      ...report.references.map((one) => `- ${one.agent} reads ${one.reads}/${one.file}, which ${one.problem}`),
      ...report.matrix.map((line) => `- ${line}`),
    ]),
    ...section("Archival", report.archival.map(finding)),
    ...section(
      "Refresh",
      report.refresh.map((one) => `- ${one.agent}: ${one.advice}`),
    ),
    ...section(
      "Next steps",
      report.next_steps.map((one) => `- ${one}`),
    ),
  ]
    .join("\n")
    .trimEnd();
}
