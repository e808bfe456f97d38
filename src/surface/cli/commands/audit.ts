import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import type { Command } from "commander";
import { oneOf } from "../../../kernel/index.ts";
import type { Query, Result } from "../../../protocol/api/index.ts";
import { CHOICES } from "../../../protocol/index.ts";
import { isoTime, SylkError, systemClock } from "../../../kernel/index.ts";
import { units } from "../../../kernel/config/index.ts";
import { asIs } from "../../wire-names.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { verifyJournal } from "../verify-journal.ts";
import { wholeNumber } from "../whole-number.ts";
import { wholeTaskId } from "../whole-task-id.ts";
import { EXIT } from "../exit-codes.ts";
import type { Output } from "../output.ts";

type AuditFilter = Query<"audit.page">["filter"];
type AuditLine = Result<"audit.page">["lines"][number];

interface Flags {
  since?: string;
  until?: string;
  category?: string;
  severity?: string;
  outcome?: string;
  session?: string;
  task?: string;
  agent?: string;
  action?: string;
  target?: string;
  targetRegex?: string;
  limit?: string;
  offset?: string;
}

function usage(message: string, fix: string): SylkError {
  return new SylkError({ code: "USAGE_AUDIT", tier: "user_fixable", message, fix });
}

/** `24h`, `7d` back from now, or a date. */
function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = /^(\d+)d$/.exec(text);
  if (days !== null) return systemClock.now() - Number(days[1]) * 86_400_000;
  const span = units.parseDuration(text);
  if (span !== undefined) return systemClock.now() - span;
  const date = Date.parse(text);
  if (Number.isNaN(date)) throw usage(`${option} does not understand ${text}`, "write 24h, 7d or 2026-01-31");
  return date;
}

const given = <T, R>(text: T | undefined, read: (text: T) => R): R | undefined => (text === undefined ? undefined : read(text));

async function filterOf(cli: CliContext, flags: Flags): Promise<AuditFilter> {
  return {
    since_ms: timeOf("--since", flags.since),
    until_ms: timeOf("--until", flags.until),
    category: given(flags.category, (text) => oneOf("--category", text, CHOICES.audit.category)),
    severity: given(flags.severity, (text) => oneOf("--severity", text, CHOICES.audit.severity)),
    outcome: given(flags.outcome, (text) => oneOf("--outcome", text, CHOICES.audit.outcome)),
    session: flags.session,
    task: flags.task === undefined ? undefined : await wholeTaskId(cli, flags.task),
    agent: flags.agent,
    action: flags.action,
    target: flags.target,
    target_pattern: flags.targetRegex,
    limit: given(flags.limit, (text) => wholeNumber("--limit", text)),
    offset: given(flags.offset, (text) => wholeNumber("--offset", text)),
  };
}

/** Page by page, oldest first. */
async function* auditLines(cli: CliContext, flags: Flags): AsyncGenerator<AuditLine> {
  const filter = await filterOf(cli, flags);
  let left = filter.limit ?? Infinity;
  for (let after: number | null = 0, offset = filter.offset; after !== null && left > 0; offset = undefined) {
    const limit = left === Infinity ? undefined : left;
    const page: Result<"audit.page"> = await cli.query({ type: "audit.page", filter: { ...filter, offset, limit }, after });
    yield* page.lines;
    left -= page.lines.length;
    after = page.next;
  }
}

function withFilters(command: Command): Command {
  return command
    .option("--since <time>", "24h, 7d or a date")
    .option("--until <time>", "24h, 7d or a date")
    .option("--category <name>", CHOICES.audit.category.join(", "))
    .option("--severity <name>", CHOICES.audit.severity.join(", "))
    .option("--outcome <name>", CHOICES.audit.outcome.join(", "))
    .option("--session <id>", "one session")
    .option("--task <id>", "one task, by its id or its last characters")
    .option("--agent <name>", "an agent or a type of agent")
    .option("--action <name>", "an action or event type")
    .option("--target <glob>", "files, commands or hosts")
    .option("--target-regex <pattern>", "the same as a regular expression")
    .option("--offset <n>", "leave out the first")
    .option("--limit <n>", "at most so many");
}

const COLUMNS = [
  "position",
  "at",
  "actor",
  "agent_type",
  "category",
  "event_type",
  "severity",
  "outcome",
  "action",
  "target",
  "rule",
  "session_id",
  "task_id",
  "hash",
] as const;

function csvLine(values: readonly (string | number | null)[]): string {
  // A leading = + - @ would be a formula in a spreadsheet.
  return values
    .map((v) =>
      v === null
        ? ""
        : `"${String(v)
            .replace(/^(?=[=+\-@\t])/, "'")
            .replaceAll('"', '""')}"`,
    )
    .join(",");
}

function tableLine(line: AuditLine, out: Output): string {
  const mark = line.outcome === "allowed" ? out.style("green", "✓") : out.style("red", "✗");
  const who = line.agent_type ?? line.actor;
  return `${mark} ${out.style("dim", isoTime(line.at).slice(0, 19).replace("T", " "))}  ${who.padEnd(10)}  ${line.action.padEnd(8)}  ${(line.target ?? "").slice(0, 60)}  ${out.style("dim", line.rule ?? line.event_type)}`;
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk audit query --since 24h --outcome denied\n  $ sylk audit query --agent engineer --target '*.ts' --format csv\n  $ sylk audit verify\n  $ sylk audit export --since 7d --output audit.jsonl",
    );
    withFilters(command.command("query").description("who did what, permitted by which rule"))
      .option("--format <form>", "table, json or csv", "table")
      .action(async (flags: Flags & { format: string }) => {
        const format = out.json ? "json" : oneOf("--format", flags.format, ["table", "json", "csv"]);
        if (format === "csv") out.line(COLUMNS.join(","));
        let count = 0;
        for await (const line of auditLines(cli, flags)) {
          count += 1;
          if (format === "json") out.data(asIs(line));
          else out.line(format === "csv" ? csvLine(COLUMNS.map((c) => (c === "at" ? isoTime(line.at) : line[c]))) : tableLine(line, out));
        }
        if (count === 0 && format === "table") out.note("no entries");
      });
    command
      .command("verify")
      .description("check that no entry was changed, removed, inserted or reordered")
      .action(async () => {
        const report = await verifyJournal(cli);
        out.result(report, () =>
          report.valid
            ? `${out.style("green", "✓")} ${report.events} entries verify, signed up to ${report.signed_up_to}`
            : `${out.style("red", "✗")} first bad: ${report.first_bad?.message}`,
        );
        if (!report.valid) cli.setExit(EXIT.failure);
      });
    withFilters(command.command("export").description("matching entries as JSON lines, with their hashes"))
      .option("-o, --output <file>", "to a file instead of stdout")
      .action(async (flags: Flags & { output?: string }) => {
        const file = flags.output === undefined ? undefined : createWriteStream(flags.output, { mode: 0o600 });
        let count = 0;
        for await (const line of auditLines(cli, flags)) {
          count += 1;
          if (file === undefined) out.data(asIs(line));
          else file.write(`${JSON.stringify(line)}\n`);
        }
        if (file === undefined) return;
        file.end();
        await finished(file);
        out.result({ entries: count, file: flags.output }, () => `${count} entries written to ${flags.output}`);
      });
  },
};
