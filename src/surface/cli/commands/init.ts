import type { CommandModule } from "../command.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--share", "also write .sylk/config.yaml, settings that are committed with the code")
      .addHelpText(
        "after",
        "\nSylk keeps its own files in your user folder; the project's folder stays as it is. Nothing that exists is overwritten.\n\nExamples:\n  $ sylk init\n  $ sylk init --share\n  $ sylk -C ../other init",
      )
      .action(async (flags: { share?: boolean }) => {
        const report = await cli.send({ type: "project.init", share: flags.share === true });
        cli.out.result(report, () =>
          [
            `project  ${report.project}`,
            `private  ${report.private}`,
            ...report.created.map((name) => `created  ${name}`),
            ...report.kept.map((name) => `kept     ${name}`),
            "",
            "Next: `sylk doctor`",
          ].join("\n"),
        );
      });
  },
};
