import path from "node:path";
import { SylkError } from "../../../kernel/index.ts";
import type { Result } from "../../../protocol/api/index.ts";
import { CHOICES } from "../../../protocol/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { indexing } from "../progress.ts";
import { projectPath } from "../project-path.ts";
import { healthLines } from "../render-health.ts";
import { wholeNumber } from "../whole-number.ts";

type Embeddings = NonNullable<Result<"knowledge.status">["embeddings"]>;

function embeddingLine(one: Embeddings): string {
  const state = one.in_use
    ? "in use"
    : one.trouble === undefined
      ? "not used until most are embedded; run `sylk index`"
      : `failed, built-in vectors serve: ${one.trouble}`;
  return `${one.model} (${one.dimensions}): ${one.embedded} embedded, ${one.pending} to do; ${state}`;
}

function cutLine(cut: readonly string[]): string {
  const more = cut.length > CUT_SHOWN ? ` and ${cut.length - CUT_SHOWN} more` : "";
  return `of ${cut.length} large ${cut.length === 1 ? "file" : "files"} only the beginning was read: ${cut.slice(0, CUT_SHOWN).join(", ")}${more}`;
}

const CUT_SHOWN = 3;

function doubtedLine(doubted: Result<"knowledge.status">["doubted"]): string {
  const shown = doubted.slice(0, DOUBTED_SHOWN).map(({ source, named, failed }) => `${source} (${failed} of ${named})`);
  const more = doubted.length > shown.length ? ` and ${doubted.length - shown.length} more` : "";
  return `named before work that failed or was taken back: ${shown.join(", ")}${more}`;
}

const DOUBTED_SHOWN = 5;

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText("after", "\nExamples:\n  $ sylk knowledge status\n  $ sylk knowledge rebuild");
    command
      .command("status")
      .description("what is known, and how old it is")
      .action(async () => {
        const status = await cli.query({ type: "knowledge.status" });
        out.result(status, () =>
          [
            `${status.files} files, ${status.symbols} symbols, ${status.chunks} pieces, ${status.edges} links`,
            ...(status.cut.length === 0 ? [] : [cutLine(status.cut)]),
            `${status.commits} commits${status.history_partial ? " (history is cut short here)" : ""}, ${status.entries} entries of history`,
            ...(status.doubted.length === 0 ? [] : [doubtedLine(status.doubted)]),
            `${status.vectors.count} vectors of ${status.vectors.model} (${status.vectors.dimensions})`,
            ...(status.embeddings === undefined ? [] : [embeddingLine(status.embeddings)]),
            `${(status.bytes / 1e6).toFixed(1)} MB in ${status.file}; ${status.indexed_at === undefined ? "never indexed" : `indexed ${status.indexed_at}`}`,
          ].join("\n"),
        );
      });
    command
      .command("health [folder]")
      .description("how sound the project is, or a folder of it: patterns, coverage, debt, types, documentation")
      .action(async (folder: string | undefined) => {
        const below = folder === undefined ? "" : projectPath(cli.cwd, folder);
        const health = await cli.query({ type: "knowledge.health", ...(below === "" ? {} : { folder: below }) });
        out.result(health, () => healthLines(health, out).join("\n"));
      });
    command
      .command("add <file>")
      .description("a document from outside the project: Markdown, text, HTML or PDF")
      .option("--type <type>", `what it is: ${CHOICES.documentType.join(", ")}`, "documentation")
      .option("--title <title>", "its name; its first heading when absent")
      .action(async (file: string, flags: { type: string; title?: string }) => {
        const type = CHOICES.documentType.find((one) => one === flags.type);
        if (type === undefined)
          throw new SylkError({
            code: "USAGE_BAD_OPTION",
            tier: "user_fixable",
            message: `--type cannot be "${flags.type}"`,
            fix: `use one of ${CHOICES.documentType.join(", ")}`,
          });
        const report = await cli.send({
          type: "knowledge.add_document",
          document: { file: path.resolve(cli.cwd, file), type, title: flags.title },
        });
        out.result(
          report,
          () =>
            `${report.title}: ${report.added} sections new, ${report.updated} changed, ${report.removed} gone, ${report.unchanged} as before`,
        );
      });
    command
      .command("conflicts")
      .description("contradictions among what is known, still open")
      .action(async () => {
        const open = await cli.query({ type: "knowledge.conflicts" });
        out.result(open, () =>
          open.length === 0
            ? "none"
            : open
                .map(
                  (one) =>
                    `${one.id}  ${one.type} ${one.subject}: ${one.description}\n    ${one.node_a} — ${one.node_b}; ${one.suggestion}`,
                )
                .join("\n"),
        );
      });
    command
      .command("resolve <id> <resolution...>")
      .description("settle a contradiction")
      .action(async (id: string, words: string[]) => {
        const done = await cli.send({ type: "knowledge.resolve_conflict", id: wholeNumber("id", id), resolution: words.join(" ") });
        out.result({ resolved: done }, () => (done ? "settled" : "no such open contradiction"));
        if (!done) cli.setExit(EXIT.failure);
      });
    command
      .command("verify")
      .description("check the index for damage")
      .action(async () => {
        const { problem } = await cli.query({ type: "knowledge.verify" });
        out.result({ valid: problem === null, problem }, () =>
          problem === null ? `${out.style("green", "✓")} sound` : `${out.style("red", "✗")} ${problem}; run \`sylk knowledge rebuild\``,
        );
        if (problem !== null) cli.setExit(EXIT.failure);
      });
    command
      .command("rebuild")
      .description("throw the index away and read everything again")
      .action(async () => {
        const report = await indexing(cli, () => cli.send({ type: "knowledge.rebuild" }));
        out.result(report, () => `rebuilt: ${report.files} files, ${report.commits} commits`);
      });
  },
};
