import { SylkError, shortIds } from "../../../kernel/index.ts";
import { collect } from "../collect.ts";
import { countFrom1 } from "../whole-number.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { withProgress } from "../progress.ts";
import { renderBudget, renderHygiene, renderLoaded, renderRefresh } from "../render-memory.ts";

const list = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      '\nExamples:\n  $ sylk memory show\n  $ sylk memory load architect\n  $ sylk memory save architect "Use SQLite" --body "One file, no server"\n  $ sylk memory refresh --agent all\n  $ sylk memory hygiene\n  $ sylk memory forget preference:code_style.comments',
    );
    command
      .command("show [agent]")
      .description("which agents remember what, or one agent's memory")
      .action(async (agent: string | undefined) => {
        if (agent === undefined) {
          const lines = await cli.query({ type: "memory.budget" });
          out.result(lines, () => (lines.length === 0 ? "no agent remembers anything yet" : renderBudget(lines, out)));
          return;
        }
        const loaded = await cli.query({ type: "memory.load", agent });
        out.result(loaded, () => renderLoaded(loaded, out));
      });
    command
      .command("load <agent>")
      .description("what a step of this agent would be given: its own files and its references, within budget")
      .option("-n, --recent <n>", "newest decisions only")
      .action(async (agent: string, flags: { recent?: string }) => {
        const loaded = await cli.query({
          type: "memory.load",
          agent,
          recent: flags.recent === undefined ? undefined : countFrom1("--recent", flags.recent),
        });
        out.result(loaded, () => renderLoaded(loaded, out));
      });
    command
      .command("save <agent> <title>")
      .description("add a decision to an agent's log, in your words")
      .option("--body <text>", "what was decided and why", "")
      .option("--type <type>", "architectural, implementation, validation or process", "process")
      .option("--status <status>", "active, superseded or archived", "active")
      .option("--sprint <label>", "the iteration it belongs to", "")
      .option("--related <paths>", "files or keys, separated by commas")
      .option("--archive", "move old entries away when the budget is full")
      .option("--dry-run", "show the entry, write nothing")
      .action(
        async (
          agent: string,
          title: string,
          flags: { body: string; type: string; status: string; sprint: string; related?: string; archive?: boolean; dryRun?: boolean },
        ) => {
          const { body, type, status, sprint } = flags;
          const entry = { title, body, type, status, sprint, related: list(flags.related) };
          const saved = await cli.send({
            type: "memory.save",
            agent,
            entry,
            dry_run: flags.dryRun === true,
            archive: flags.archive === true,
          });
          out.result(saved, () =>
            saved.report === null
              ? saved.text.trimEnd()
              : `${saved.report.entries === 0 ? "already in" : "saved to"} ${agent}'s log; ${saved.report.budget.message}${saved.report.archived > 0 ? `; ${saved.report.archived} old entries archived` : ""}`,
          );
        },
      );
    command
      .command("refresh")
      .description("verify what agents know about the project's files")
      .option("--agent <name>", "a role that collects facts, or all", "inspector")
      .option("--incremental", "only what changed since the last refresh; does not see deletions")
      .option("--archive", "move facts away when the budget is nearly full")
      .option("--dry-run", "show what would change, write nothing")
      .action(async (flags: { agent: string; incremental?: boolean; archive?: boolean; dryRun?: boolean }) => {
        const results = await withProgress(
          cli,
          "refresh",
          ({ what }) => out.progress(what),
          () =>
            cli.send({
              type: "memory.refresh",
              agent: flags.agent,
              incremental: flags.incremental === true,
              dry_run: flags.dryRun === true,
              archive: flags.archive === true,
            }),
        );
        out.result(results, () => renderRefresh(results, out));
        if (results.some((result) => !result.ok)) cli.setExit(EXIT.failure);
      });
    command
      .command("budget")
      .description("how full each agent's memory is")
      .action(async () => {
        const lines = await cli.query({ type: "memory.budget" });
        out.result(lines, () => renderBudget(lines, out));
      });
    command
      .command("hygiene")
      .description("what is stale, contradicted, orphaned or double")
      .option("--apply <id>", "archive what this finding names; may be repeated", collect, [])
      .option("--dry-run", "with --apply: only say what would be archived")
      .action(async (flags: { apply: string[]; dryRun?: boolean }) => {
        if (flags.apply.length > 0) {
          const dryRun = flags.dryRun === true;
          const done = await cli.send({ type: "memory.apply", ids: flags.apply, dry_run: dryRun });
          out.result(dryRun ? { would_archive: done } : { archived: done }, () =>
            dryRun ? ["would be archived:", ...done].join("\n") : `${done.length} archived`,
          );
          return;
        }
        const report = await cli.query({ type: "memory.hygiene" });
        out.result(report, () => renderHygiene(report, out));
        if (!out.json && out.interactive && process.stdin.isTTY)
          await cleanUp(cli, report, (id) => cli.send({ type: "memory.apply", ids: [id], dry_run: false }));
      });
    command
      .command("log <agent>")
      .description("every change of an agent's memory, newest last")
      .action(async (agent: string) => {
        const changes = await cli.query({ type: "memory.log", agent });
        out.result(changes, () =>
          changes.length === 0
            ? "nothing was saved yet"
            : changes
                .map(
                  (change) =>
                    `${shortIds.shorten(change.event)}  ${new Date(change.at).toISOString().slice(0, 19)}  ${change.file}  ${change.reason} by ${change.actor}  ${out.style("dim", `${change.after.slice(0, 12)} ${shortIds.shorten(change.note)}`)}`,
                )
                .join("\n"),
        );
      });
    command
      .command("restore <agent>")
      .description("bring back a file as it was after a change")
      .requiredOption("--at <event>", "the id, or its last characters as `sylk memory log` shows them")
      .option("--dry-run", "only say what would be brought back")
      .action(async (agent: string, flags: { at: string; dryRun?: boolean }) => {
        const change = await cli.send({ type: "memory.restore", agent, which: flags.at, dry_run: flags.dryRun === true });
        out.result(
          change,
          () => `${agent}/${change.file} ${flags.dryRun === true ? "would be" : "is"} as it was at ${new Date(change.at).toISOString()}`,
        );
      });
    command
      .command("forget <what>")
      .description("preference:<key>, mistake:<id>, or <agent>/<date>/<title>")
      .option("--dry-run", "only say what would happen")
      .action(async (what: string, flags: { dryRun?: boolean }) => {
        const done = await cli.send({ type: "memory.forget", what, dry_run: flags.dryRun === true });
        out.result({ ...done, ...(flags.dryRun === true ? { dry_run: true } : {}) }, () =>
          flags.dryRun === true ? `would be forgotten: ${done.forgotten}; nothing was changed` : `${done.forgotten}: ${done.how}`,
        );
      });
    command
      .command("preferences [category]")
      .description("what you prefer: said and observed; all, or code_style, ui, workflow or tools")
      .option("--set <key=value>", "say it, e.g. code_style.comments=few", collect, [])
      .option("--accepted <key=value>", "a suggestion you liked", collect, [])
      .option("--rejected <key=value>", "a suggestion you did not like", collect, [])
      .option("--dry-run", "show what would be known then, keep nothing")
      .action(async (category: string | undefined, flags: { set: string[]; accepted: string[]; rejected: string[]; dryRun?: boolean }) => {
        const given = { said: flags.set, accepted: flags.accepted, rejected: flags.rejected };
        const feedback = (["said", "accepted", "rejected"] as const).flatMap((how) =>
          given[how].map(pair).map(([key, value]) => ({ how, key, value })),
        );
        if (feedback.length > 0 && flags.dryRun !== true) await cli.send({ type: "memory.learn", feedback });
        const now = await cli.query({ type: "memory.preferences", category, supposed: flags.dryRun === true ? feedback : [] });
        out.result(now, () => {
          const lines = Object.entries(now.resolved).map(
            ([key, value]) =>
              `${key}: ${value}  ${out.style("dim", key in now.explicit ? "said" : `observed, ${now.implicit[key]?.confidence}`)}`,
          );
          return lines.length === 0 ? "nothing is known" : lines.join("\n");
        });
      });
    command
      .command("mistakes [approach]")
      .description("what went wrong before; with an approach, what is known about it")
      .option("--report <pattern>", "add one: what was tried")
      .option("--error <text>", "what happened")
      .option("--fix <text>", "what helped")
      .option("--dry-run", "with --report: only say whether it is known already")
      .action(async (approach: string | undefined, flags: { report?: string; error?: string; fix?: string; dryRun?: boolean }) => {
        if (flags.report !== undefined) {
          if (flags.error === undefined || flags.fix === undefined)
            throw new SylkError({
              code: "USAGE_MISTAKE",
              tier: "user_fixable",
              message: "--report needs --error and --fix",
              fix: 'sylk memory mistakes --report "<what was tried>" --error "<what happened>" --fix "<what helped>"',
            });
          const report = { pattern: flags.report, error: flags.error, fix: flags.fix };
          const { recorded, id, merged } = await cli.send({ type: "memory.report_mistake", ...report, dry_run: flags.dryRun === true });
          out.result({ recorded, id, merged }, () =>
            recorded
              ? `${id} ${merged ? "seen again" : "recorded"}`
              : merged
                ? `would be counted as seen again: ${id}`
                : "would be recorded as a new one",
          );
          return;
        }
        if (flags.error !== undefined || flags.fix !== undefined || flags.dryRun === true)
          throw new SylkError({
            code: "USAGE_MISTAKE",
            tier: "user_fixable",
            message: "--error, --fix and --dry-run belong to --report",
            fix: 'sylk memory mistakes --report "<what was tried>" --error "<what happened>" --fix "<what helped>"',
          });
        const known = await cli.query({ type: "memory.mistakes", approach });
        const records = Array.isArray(known) ? known : known.known_issues ? known.warnings : [];
        out.result(known, () =>
          records.length === 0
            ? "no known issue"
            : records
                .map(
                  (one) =>
                    `${"id" in one && typeof one.id === "string" ? `${shortIds.shorten(one.id)}  ` : ""}${one.alert}  ${out.style("dim", `${one.occurrences}×, ${one.confidence}`)}`,
                )
                .join("\n"),
        );
      });
  },
};

/** One question for each finding; nothing changes without a yes. */
async function cleanUp(
  { ask }: CliContext,
  report: {
    findings: { id: string; entry: string; evidence: string; actionable: boolean }[];
    archival: { id: string; entry: string; evidence: string; actionable: boolean }[];
  },
  apply: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const finding of [...report.findings, ...report.archival].filter((one) => one.actionable)) {
    const answer = await ask.yesNo({ message: `Archive “${finding.entry}”? ${finding.evidence}` });
    if (answer === undefined) return;
    if (answer) await apply(finding.id);
  }
}

function pair(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new SylkError({ code: "USAGE_PAIR", tier: "user_fixable", message: `${text} is not key=value` });
  return [text.slice(0, at), text.slice(at + 1)];
}
