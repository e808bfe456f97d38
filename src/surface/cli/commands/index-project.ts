import type { CommandModule } from "../command.ts";
import { indexProgress } from "../index-progress.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .option("--watch", "stay and follow every change")
      .addHelpText(
        "after",
        "\nSearching brings the index up to date by itself; `--watch` keeps it so all the time.\n\nExamples:\n  $ sylk index\n  $ sylk index --watch",
      )
      .action(async (flags: { watch?: boolean }) => {
        const { knowledge } = await cli.app();
        const report = await knowledge.index({ onProgress: indexProgress(out), signal: cli.signal });
        out.result(
          report,
          () =>
            `${report.files} files: ${report.added} new, ${report.changed} changed, ${report.removed} gone; ${report.commits} commits read`,
        );
        const embeddings = knowledge.status().embeddings;
        if (embeddings?.trouble !== undefined) out.note(`${embeddings.model} failed, the built-in vectors serve: ${embeddings.trouble}`);
        if (flags.watch !== true) return;
        out.note("watching; Ctrl+C ends");
        for await (const change of knowledge.watch(cli.signal))
          out.result(change, () => `${change.added} new, ${change.changed} changed, ${change.removed} gone`);
      });
  },
};
