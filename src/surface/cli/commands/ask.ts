import { SylkError } from "../../../kernel/index.ts";
import { CHOICES } from "../../../protocol/index.ts";
import type { CommandModule } from "../command.ts";
import { refreshIndex } from "../progress.ts";
import type { Output } from "../output.ts";
import { queryOf } from "../query-of.ts";
import { nothingFound } from "../render-hits.ts";
import { countFrom1 } from "../whole-number.ts";

function withExcerpt({ shown, excerpt }: { shown: string; excerpt: string }, out: Output): string {
  return excerpt === "" ? shown : `${shown}\n${out.style("dim", excerpt.replaceAll(/^/gmu, "      "))}`;
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("<question...>", "what you want to know about this project")
      .option("-d, --domain <domain>", `where to look: ${CHOICES.searchDomain.join(", ")}`, "all")
      .option("-k <n>", "how many sources at most", "10")
      .option("--model", "let the configured model answer from what is found")
      .addHelpText(
        "after",
        '\nWithout --model the sources themselves are the answer, unless `knowledge.answer_with_model` says otherwise.\n\nExamples:\n  $ sylk ask "where are sessions resumed"\n  $ sylk ask --model "why did we choose WAL"',
      )
      .action(async (words: string[], flags: { domain: string; k: string; model?: boolean }) => {
        const domain = CHOICES.searchDomain.find((one) => one === flags.domain);
        if (domain === undefined)
          throw new SylkError({
            code: "USAGE_BAD_OPTION",
            tier: "user_fixable",
            message: `--domain cannot be "${flags.domain}"`,
            fix: `use one of ${CHOICES.searchDomain.join(", ")}`,
          });
        const text = queryOf(words, 'sylk ask "<what you want to know>"');
        const indexing = await refreshIndex(cli);
        const answer = await cli.query({
          type: "knowledge.ask",
          text,
          domain,
          k: countFrom1("-k", flags.k),
          with_model: flags.model === true,
        });
        // How old a source is stands beside it.
        const told = (warning: string): boolean =>
          answer.sources.some(({ id, shown }) => warning.startsWith(`${id}: `) && shown.endsWith(warning.slice(id.length + 2)));
        for (const warning of answer.warnings) if (!told(warning)) out.note(warning);
        // Sources alone are shown with what they say; words of a model only with where they come from.
        const alone = answer.text.startsWith("[1] ");
        const cited = answer.sources.filter((source) => answer.cited.includes(source.n));
        out.result({ ...answer, ...indexing }, () =>
          answer.layer === "none"
            ? nothingFound(text, indexing)
            : [
                ...answer.conflicts.map((one) => `⚠️ ${one.description}; ${one.suggestion}`),
                ...(alone
                  ? answer.sources.map((source) => withExcerpt(source, out))
                  : [...out.markdown(answer.text), "", ...cited.map((source) => source.shown)]),
              ].join("\n"),
        );
        if (alone && flags.model !== true && answer.layer !== "none")
          out.note(`these are the sources; \`${out.word("ask --model …")}\` lets a model answer from them`);
      });
  },
};
