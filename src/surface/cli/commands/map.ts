import type { CommandModule } from "../command.ts";
import { indexProgress } from "../index-progress.ts";
import { wholeNumber } from "../whole-number.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("[folder]", "only below this folder")
      .option("-b, --budget <tokens>", "how many tokens it may take", "1500")
      .addHelpText("after", "\nExamples:\n  $ sylk map\n  $ sylk map src/server --budget 800")
      .action(async (folder: string | undefined, flags: { budget: string }) => {
        const { knowledge } = await cli.app();
        await knowledge.refresh({ onProgress: indexProgress(out), signal: cli.signal });
        const map = knowledge.map({ budgetTokens: wholeNumber("--budget", flags.budget), folder });
        out.result(map, () => `${map.text}\n${out.style("dim", `${map.shown} of ${map.files} files, ${map.tokens} tokens`)}`);
      });
  },
};
