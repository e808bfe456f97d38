import { shortIds, wording } from "../../../kernel/index.ts";
import { oneOf } from "../../../kernel/index.ts";
import { type Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";
import { wholeTaskId } from "../whole-task-id.ts";
import { CHOICES } from "../../../protocol/index.ts";

type Report = Result<"usage.report">;
type Row = Report["total"];

interface Flags {
  by: string;
  period: string;
  session?: string;
  provider?: string;
  model?: string;
  role?: string;
  task?: string;
  pipeline?: string;
  detailed?: boolean;
}

const NANO = 1e9;
const dollars = (nano: number): string => `$${(nano / NANO).toFixed(4)}`;
const count = (value: number): string => value.toLocaleString("en");

const COLUMNS: readonly { title: string; detailed?: boolean; of: (row: Row) => string }[] = [
  { title: "calls", of: (row) => count(row.calls) },
  { title: "failed", of: (row) => count(row.failures) },
  { title: "in", of: (row) => count(row.input_tokens) },
  { title: "cached", of: (row) => count(row.cache_read_tokens) },
  { title: "cache write", detailed: true, of: (row) => count(row.cache_write_tokens) },
  { title: "out", of: (row) => count(row.output_tokens) },
  { title: "reasoning", detailed: true, of: (row) => count(row.reasoning_tokens) },
  { title: "cost", of: (row) => `${dollars(row.cost_nano_usd)}${row.assumed_cost_nano_usd > 0 ? "*" : ""}` },
  { title: "ms/call", detailed: true, of: (row) => (row.calls === 0 ? "" : count(Math.round(row.latency_ms / row.calls))) },
  {
    title: "estimate error",
    detailed: true,
    of: (row) => (row.estimate_error_percent === null ? "" : `${row.estimate_error_percent.toFixed(1)} %`),
  },
];

function renderTable(report: Report, detailed: boolean): string[] {
  const columns = COLUMNS.filter((column) => detailed || column.detailed !== true);
  const cells = [...report.rows, report.total].map((row) => [
    row.key === "" ? "(none)" : [shortIds.shorten(row.key), wording.oneLine(row.name ?? "")].join(" ").trimEnd(),
    ...columns.map((column) => column.of(row)),
  ]);
  const table = [[report.by, ...columns.map((column) => column.title)], ...cells];
  const widths = table[0]?.map((_, i) => Math.max(...table.map((line) => (line[i] ?? "").length))) ?? [];
  return table.map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "));
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .option("--by <dimension>", CHOICES.usageDimension.join(", "), "model")
      .option("--period <period>", CHOICES.usagePeriod.join(", "), "all")
      .option("--session <id>", "only this session")
      .option("--provider <name>", "only this provider")
      .option("--model <provider/model>", "only this model")
      .option("--role <name>", "only this role")
      .option("--task <id>", "only this task")
      .option("--pipeline <id>", "only this pipeline")
      .option("--detailed", "more columns")
      .addHelpText(
        "after",
        "\nCosts marked * rest on assumed prices; set them under llm.catalogue.\n\nExamples:\n  $ sylk usage\n  $ sylk usage --by task --period week\n  $ sylk usage --by pipeline --session req_4f2a\n  $ sylk usage --provider anthropic --detailed\n  $ sylk usage --by day --json",
      )
      .action(async (flags: Flags) => {
        const by = oneOf("--by", flags.by, CHOICES.usageDimension);
        const period = oneOf("--period", flags.period, CHOICES.usagePeriod);
        const where = Object.fromEntries(
          CHOICES.usageDimension.flatMap((name) => (name !== "day" && flags[name] !== undefined ? [[name, flags[name]]] : [])),
        );
        if (where["task"] !== undefined) where["task"] = await wholeTaskId(cli, where["task"]);
        const report = await cli.query({ type: "usage.report", by, period, where });
        if (out.json) out.data(report);
        else if (report.total.calls === 0) out.line("no model was called yet");
        else for (const line of renderTable(report, flags.detailed === true)) out.line(line);
      });
  },
};
