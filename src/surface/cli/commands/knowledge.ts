import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { indexProgress } from "../index-progress.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText("after", "\nExamples:\n  $ sylk knowledge status\n  $ sylk knowledge rebuild");
    command
      .command("status")
      .description("what is known, and how old it is")
      .action(async () => {
        const status = (await cli.app()).knowledge.status();
        out.result(status, () =>
          [
            `${status.files} files, ${status.symbols} symbols, ${status.chunks} pieces, ${status.edges} links`,
            `${status.commits} commits${status.historyPartial ? " (history is cut short here)" : ""}, ${status.turns} entries of history`,
            `${status.vectors.count} vectors of ${status.vectors.model} (${status.vectors.dimensions})`,
            `${(status.bytes / 1e6).toFixed(1)} MB in ${status.file}; ${status.indexedAt === undefined ? "never indexed" : `indexed ${status.indexedAt}`}`,
          ].join("\n"),
        );
      });
    command
      .command("verify")
      .description("check the index for damage")
      .action(async () => {
        const problem = (await cli.app()).knowledge.verify();
        out.result({ valid: problem === undefined, problem: problem ?? null }, () =>
          problem === undefined
            ? `${out.style("green", "✓")} sound`
            : `${out.style("red", "✗")} ${problem}; run \`sylk knowledge rebuild\``,
        );
        if (problem !== undefined) cli.setExit(EXIT.failure);
      });
    command
      .command("rebuild")
      .description("throw the index away and read everything again")
      .action(async () => {
        const report = await (await cli.app()).knowledge.rebuild({ onProgress: indexProgress(out), signal: cli.signal });
        out.result(report, () => `rebuilt: ${report.files} files, ${report.commits} commits`);
      });
  },
};
