import { SylkError } from "../../../kernel/index.ts";
import { asIs } from "../../wire-names.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { brief, openOutput } from "../render-event.ts";
import { verifyJournal } from "../verify-journal.ts";
import { countIsZero, wholeNumber } from "../whole-number.ts";
import { taskId } from "../whole-task-id.ts";

interface FilterFlags {
  stream?: string;
  type?: string[];
}

/** A task's stream may be named by a part of its id, as everywhere. */
async function filterOf(cli: CliContext, { stream, type }: FilterFlags): Promise<{ stream?: string; types?: string[] }> {
  const part = /^task\/(.+[^/])$/.exec(stream ?? "")?.[1];
  const whole = part === undefined ? stream : `task/${await taskId(cli, part)}`;
  return { ...(whole === undefined ? {} : { stream: whole }), ...(type === undefined ? {} : { types: type }) };
}

function requireReason(text: string): string {
  const reason = text.trim();
  if (reason !== "") return reason;
  throw new SylkError({
    code: "USAGE_BAD_OPTION",
    tier: "user_fixable",
    message: "--reason is empty",
    fix: 'say what happened: --reason "restored last week\'s backup"',
  });
}

const HELP: readonly [kinds: readonly string[], help: string][] = [
  [["unreadable"], "`sylk journal rebuild` keeps the damaged file aside and recovers every event that verifies"],
  [["view_changed"], "`sylk journal rebuild` folds every view from the events again"],
  [
    ["anchor_missing", "anchor_unreadable", "anchor_off_chain", "truncated"],
    'restore what is missing from a backup, or go on from what is there: `sylk journal accept --reason "…"`',
  ],
];

function helpFor(report: { problems: readonly { kind: string }[] }): string[] {
  return HELP.filter(([kinds]) => report.problems.some(({ kind }) => kinds.includes(kind))).map(([, help]) => help);
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk journal tail -n 20 --follow\n  $ sylk journal show 17\n  $ sylk journal verify\n  $ sylk journal accept --reason 'restored a backup'\n  $ sylk journal export --stream task/ --output events.jsonl\n  $ sylk journal rebuild\n  $ sylk journal path",
    );
    command
      .command("tail")
      .description("the newest events")
      .option("-n, --count <n>", "how many", "20")
      .option("-f, --follow", "go on with new ones, from this and other processes")
      .option("--stream <name>", "one stream, or a prefix ending in /")
      .option("--type <type...>", "only these types")
      .option("--all", "also the records of who was permitted what (see `sylk audit`)")
      .action(async (flags: FilterFlags & { count: string; follow?: boolean; all?: boolean }) => {
        const count = wholeNumber("--count", flags.count);
        // Whoever follows may want nothing of what was.
        if (count === 0 && flags.follow !== true) throw countIsZero("--count");
        let seen = 0;
        const without = flags.all !== true && flags.stream === undefined && flags.type === undefined;
        const filter = { ...(await filterOf(cli, flags)), without_audit: without };
        const { after, head } = await cli.query({ type: "journal.tail", filter, count });
        const until = flags.follow === true ? {} : { until: head };
        for await (const event of (await cli.api()).events({ ...filter, ...until }, after, cli.signal)) {
          seen += 1;
          out.result(asIs(event), () => brief(event, out));
        }
        if (seen === 0 && flags.follow !== true) {
          const any = head > 0;
          out.note(any ? "no event matches; `sylk journal tail --all` shows every type" : "nothing has happened here yet");
        }
      });
    command
      .command("show <event>")
      .description("one event whole: by position, id or a part of it, or stream#sequence")
      .action(async (which: string) => {
        const event = await cli.query({ type: "journal.show", which });
        if (event === null)
          throw new SylkError({
            code: "JOURNAL_NO_SUCH_EVENT",
            tier: "user_fixable",
            message: `no event ${which}`,
            fix: "`sylk journal tail` shows positions and streams",
          });
        out.result(asIs(event), () => JSON.stringify(event, null, 2));
      });
    command
      .command("verify")
      .description("check that nothing was changed, removed, inserted or reordered")
      .action(async () => {
        const report = await verifyJournal(cli);
        out.result(report, () =>
          report.valid
            ? [
                `${out.style("green", "✓")} ${report.events} events in ${report.streams} streams and ${report.blobs} blobs verify; ${report.signatures} signatures cover them up to position ${report.signed_up_to}`,
                ...report.accepted.map(
                  ({ position, at, reason }) =>
                    `  accepted at ${position} on ${new Date(at).toISOString().slice(0, 10)} as it was then: ${reason}`,
                ),
              ].join("\n")
            : [
                `${out.style("red", "✗")} first bad: ${report.first_bad?.message}`,
                ...report.problems
                  .slice(0, 20)
                  .map(
                    (problem) => `  ${problem.kind}${problem.position === undefined ? "" : ` at ${problem.position}`}: ${problem.message}`,
                  ),
                ...helpFor(report).map((help) => `${out.style("cyan", "  fix:")} ${help}`),
              ].join("\n"),
        );
        if (!report.valid) cli.setExit(EXIT.failure);
      });
    command
      .command("accept")
      .description("go on from a journal that was cut, set back or lost its marks; the reason is kept as a signed event")
      .requiredOption("--reason <text>", "what happened, for whoever looks later")
      .action(async (flags: { reason: string }) => {
        const event = await cli.send({ type: "journal.accept", reason: requireReason(flags.reason) });
        out.result(asIs(event), () => `accepted as event ${event.position}; what is signed from here on begins with it`);
      });
    command
      .command("export")
      .description("events as JSON lines, hashes included")
      .option("-o, --output <file>", "to a file instead of stdout")
      .option("--stream <name>", "one stream, or a prefix ending in /")
      .option("--type <type...>", "only these types")
      .action(async (flags: FilterFlags & { output?: string }) => {
        const filter = await filterOf(cli, flags);
        const { position } = await cli.query({ type: "journal.head" });
        const file = flags.output === undefined ? undefined : await openOutput(flags.output);
        let count = 0;
        for await (const event of (await cli.api()).events({ ...filter, until: position }, 0, cli.signal)) {
          count += 1;
          if (file === undefined) out.data(asIs(event));
          else await file.write(`${JSON.stringify(event)}\n`);
        }
        if (file === undefined) return;
        await file.close();
        out.result({ events: count, file: flags.output }, () => `${count} events written to ${flags.output}`);
      });
    command
      .command("rebuild")
      .description("fold every view again; recover a damaged database first")
      .action(async () => {
        out.progress("rebuilding");
        const outcome = await cli.send({ type: "journal.rebuild" });
        out.result(outcome, () =>
          outcome.kind === "views"
            ? `views rebuilt from ${outcome.events} events`
            : `recovered ${outcome.kept} events (${outcome.missing} lost, ${outcome.set_aside} set aside${outcome.set_aside_file === undefined ? "" : ` in ${outcome.set_aside_file}`}); the damaged file is kept as ${outcome.damaged_file}`,
        );
      });
    command
      .command("path")
      .description("where the journal stands")
      .action(async () => {
        const found = await cli.query({ type: "journal.path" });
        out.result(found, () => found.path);
      });
    command
      .command("adopt")
      .description("a journal in the project's folder that somebody else made: what it holds; with --yes, its history")
      .option("--yes", "take it over; tasks in it that could go on are cancelled, so nothing of it runs")
      .action(async (flags: { yes?: boolean }) => {
        const report = await cli.send({ type: "journal.adopt", confirmed: flags.yes === true });
        out.result(report, () =>
          [
            `${report.file}: ${report.events} events in ${report.streams} streams, ${report.own ? "made by this installation" : "made by somebody else"}`,
            ...report.problems.map((problem) => `  does not verify: ${problem}`),
            report.adopted
              ? `adopted; ${report.cancelled} task${report.cancelled === 1 ? "" : "s"} that could go on cancelled`
              : report.problems.length > 0
                ? "not adopted"
                : "nothing was changed; `sylk journal adopt --yes` takes it over as history",
          ].join("\n"),
        );
        if (report.problems.length > 0) cli.setExit(EXIT.failure);
      });
    command
      .command("compact")
      .description("archive streams nobody touched for long and drop unused blobs")
      .action(async () => {
        out.progress("compacting");
        const report = await cli.send({ type: "journal.compact" });
        out.result(
          report,
          () =>
            `archived ${report.archived_events} events of ${report.archived_streams} streams, removed ${report.removed_blobs} blobs: ${report.bytes_before} → ${report.bytes_after} bytes`,
        );
      });
  },
};
