import { SylkError, wording } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { refreshIndex } from "../progress.ts";
import { projectPath } from "../project-path.ts";
import { countFrom1 } from "../whole-number.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("[folder]", "only below this folder")
      .option("-b, --budget <tokens>", "how many tokens it may take", "1500")
      .addHelpText("after", "\nExamples:\n  $ sylk map\n  $ sylk map src/server --budget 800")
      .action(async (folder: string | undefined, flags: { budget: string }) => {
        const budgetTokens = countFrom1("--budget", flags.budget);
        const indexing = await refreshIndex(cli);
        const below = folder === undefined ? undefined : projectPath(cli.cwd, folder);
        const map = await cli.query({ type: "knowledge.map", budget_tokens: budgetTokens, folder: below === "" ? undefined : below });
        if (map.files === 0 && folder !== undefined)
          throw new SylkError({
            code: "KNOWLEDGE_NO_SUCH_FOLDER",
            tier: "user_fixable",
            message: `nothing is known below ${wording.shorten(folder, 100)}`,
            fix: "give a folder relative to the project or to where you are; `sylk map` shows them",
          });
        if (map.shown === 0)
          out.note(map.files === 0 ? "there is nothing to show yet" : `nothing fits in ${budgetTokens} tokens; try a larger --budget`);
        out.result(
          { ...map, ...indexing },
          () => `${map.text}\n${out.style("dim", `${map.shown} of ${map.files} files, ${map.tokens} tokens`)}`,
        );
      });
  },
};
