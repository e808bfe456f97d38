import type { CommandModule } from "../command.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .addHelpText("after", "\nNothing that exists is overwritten.\n\nExamples:\n  $ sylk init\n  $ sylk -C ../other init")
      .action(async () => {
        const app = await cli.app();
        const report = app.init();
        cli.out.result(report, () =>
          [
            ...report.created.map((name) => `created  ${name}`),
            ...report.kept.map((name) => `kept     ${name}`),
            "",
            "Next: `sylk doctor`",
          ].join("\n"),
        );
      });
  },
};
