import type { Result } from "../../protocol/api/index.ts";
import type { Output } from "./output.ts";

const MARK = { ok: ["green", "✓"], warning: ["yellow", "!"], problem: ["red", "✗"] } as const;

export function renderFindings(report: Result<"project.doctor">, out: Output): string {
  const width = Math.max(...report.findings.map((finding) => finding.name.length));
  return report.findings
    .flatMap((finding) => {
      const [color, mark] = MARK[finding.status];
      const head = `  ${out.style(color, mark)} ${finding.name.padEnd(width)}  ${finding.message}`;
      return finding.fix === undefined ? [head] : [head, `    ${" ".repeat(width)}  ${out.style("cyan", "fix:")} ${finding.fix}`];
    })
    .join("\n");
}
