import { readFileSync } from "node:fs";
import path from "node:path";
import { messageOf, SylkError } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { refreshIndex } from "../progress.ts";
import { queryOf } from "../query-of.ts";
import { hitRecord } from "../../hit-record.ts";
import { nothingFound, renderHit } from "../render-hits.ts";
import { countFrom1 } from "../whole-number.ts";

function readInput(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (cause) {
    throw new SylkError({
      code: "USAGE_UNREADABLE",
      tier: "user_fixable",
      message: `${file} cannot be read: ${messageOf(cause)}`,
      fix: "check the path",
      cause,
    });
  }
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      '\nExamples:\n  $ sylk history search "what did Ana say about the deadline"\n  $ sylk history show commit:4f2c91ab07\n  $ sylk history import notes.jsonl\n\nA line of an import: {"id": "n1", "time": "2024-05-01T10:00:00Z", "author": "Ana", "text": "…", "thread": "t1"}',
    );
    command
      .command("search <query...>")
      .description("commits, decisions, failures, outcomes and imported conversations")
      .option("-k <n>", "how many", "10")
      .option("--explain", "say why each stands where it stands")
      .action(async (words: string[], flags: { k: string; explain?: boolean }) => {
        const text = queryOf(words, 'sylk history search "<what to look for>"');
        const indexing = await refreshIndex(cli);
        const { hits, warnings } = await cli.query({
          type: "knowledge.search",
          text,
          domain: "history",
          k: countFrom1("-k", flags.k),
          once: true,
        });
        for (const warning of warnings) out.note(warning);
        out.result({ query: text, results: hits.map((hit) => hitRecord(hit, false)), ...indexing }, () =>
          hits.length === 0
            ? nothingFound(text, indexing)
            : hits.map((hit, i) => renderHit(hit, i + 1, flags.explain === true, out)).join("\n"),
        );
      });
    command
      .command("show <id>")
      .description("one entry whole, by the id a search shows: an event's, a commit's, or the one it was imported with")
      .action(async (id: string) => {
        await refreshIndex(cli);
        const node = await cli.query({ type: "knowledge.node", id });
        if (node === null)
          throw new SylkError({
            code: "KNOWLEDGE_NO_SUCH_NODE",
            tier: "user_fixable",
            message: `nothing is known under ${id}`,
            fix: "`sylk history search` shows ids",
          });
        out.result(node, () =>
          [
            [
              out.style("bold", node.id),
              node.type,
              ...(node.time === undefined ? [] : [node.time]),
              ...(node.author === undefined ? [] : [`by ${node.author}`]),
              ...(node.session === undefined ? [] : [`in ${node.session}`]),
            ].join("  "),
            node.content ?? node.name,
          ].join("\n\n"),
        );
      });
    command
      .command("import <file>")
      .description("conversations or notes, one JSON object a line (- for stdin)")
      .option("--name <name>", "under which it is kept; importing the same name again replaces by id")
      .action(async (file: string, flags: { name?: string }) => {
        const name = flags.name ?? (file === "-" ? "stdin" : path.basename(file, path.extname(file)));
        const { entries, added } = await cli.send({ type: "knowledge.import_history", name, text: readInput(file) });
        out.result({ name, entries, added }, () => `${entries} entries, ${added} new or changed, kept as ${name}`);
      });
  },
};
