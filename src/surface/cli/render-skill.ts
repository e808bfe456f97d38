/** Skills on a terminal. */
import type { Result } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";
import { renderDiff } from "./render-question.ts";

const MARK = { passed: "✓", failed: "✗", open: "·" } as const;

export function renderReport(report: Result<"skill.validate">, out: Output): string {
  const lines = report.checks.map((check) => {
    const colour = check.result === "passed" ? "green" : check.result === "open" ? "dim" : check.severity === "CRITICAL" ? "red" : "yellow";
    const judged = check.judge === "model" ? " (judged by the model)" : "";
    return `  ${out.style(colour, MARK[check.result])} ${String(check.number).padStart(2)} ${check.title}${judged}${check.detail === "" ? "" : out.style("dim", `: ${check.detail}`)}`;
  });
  const notes = report.notes.map((note) => `  ${out.style("yellow", "!")} ${note}`);
  return [
    `${out.style("bold", report.name || "(no name)")}: ${report.grade}, ${report.critical} critical, ${report.warnings} warnings, ${report.lines} lines, ${report.tokens} tokens`,
    ...lines,
    ...notes,
  ].join("\n");
}

export function renderOutcome(outcome: Result<"skill.create">, out: Output): string {
  if (outcome.kind === "rejected")
    return `${outcome.name} was ${outcome.by === "person" ? "rejected" : "cancelled, because it exists already"}; nothing was written`;
  if (outcome.kind === "shown")
    return [
      renderReport(outcome.report, out),
      `would go to: ${outcome.targets.join(", ")}`,
      ...outcome.collisions.map((folder) => `${out.style("yellow", "exists already:")} ${folder}`),
      "",
      outcome.text,
      ...renderDiff(outcome.diff, out),
    ].join("\n");
  const failed = outcome.report.checks.filter(({ result }) => result === "failed");
  return [
    `${out.style("green", "✓")} ${outcome.name} installed; ${failed.length === 0 ? "every check passes" : `checks: ${outcome.report.grade}`}`,
    ...failed.map(({ title, detail }) => `  ${out.style("yellow", "!")} ${title}${detail === "" ? "" : `: ${detail}`}`),
    ...outcome.report.notes.map((note) => `  ${out.style("yellow", "!")} ${note}`),
    ...outcome.folders.map(({ target, folder, invoke }) => `  ${target.padEnd(10)} ${folder}  ${out.style("dim", invoke)}`),
    ...(outcome.backup === null ? [] : [`  what was there before: ${outcome.backup}`]),
  ].join("\n");
}
