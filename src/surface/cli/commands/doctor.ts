import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { renderFindings } from "../render-findings.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .addHelpText(
        "after",
        "\nExit code 1 when something stops Sylk from working.\n\nExamples:\n  $ sylk doctor\n  $ sylk doctor --json | jq '.findings[] | select(.status != \"ok\")'",
      )
      .action(async () => {
        const report = await cli.query({ type: "project.doctor" });
        cli.out.prose(report, () => renderFindings(report, cli.out));
        if (!report.healthy) cli.setExit(EXIT.failure);
      });
  },
};
