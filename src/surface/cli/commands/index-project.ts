import type { CommandModule } from "../command.ts";
import { indexing } from "../progress.ts";

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
        const report = await indexing(cli, () => cli.send({ type: "knowledge.index" }));
        out.result(
          report,
          () =>
            `${report.files} files: ${report.added} new, ${report.changed} changed, ${report.removed} gone; ${report.commits} commits read`,
        );
        const { embeddings } = await cli.query({ type: "knowledge.status" });
        if (embeddings?.trouble !== undefined) out.note(`${embeddings.model} failed, the built-in vectors serve: ${embeddings.trouble}`);
        if (flags.watch !== true) return;
        out.note("watching; Ctrl+C ends");
        const live = (await cli.api()).live({ about: "watch" }, cli.signal);
        const watching = cli.send({ type: "knowledge.watch" });
        for await (const part of live) {
          if (part.type !== "indexed") continue;
          const { report: change } = part;
          out.result(change, () => `${change.added} new, ${change.changed} changed, ${change.removed} gone`);
        }
        await watching;
      });
  },
};
