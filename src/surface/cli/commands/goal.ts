import type { CommandModule } from "../command.ts";

export const command: CommandModule = {
  build(command, cli) {
    command.addHelpText("after", "\nExamples:\n  $ sylk goal stats\n  $ sylk goal stats --json");
    command
      .command("stats")
      .description("how often the goal monitor saw which kind of standstill, and how its remedies did")
      .action(async () => {
        const stats = await (await cli.api()).query({ type: "goal.stats" }, cli.signal);
        cli.out.result(stats, () =>
          stats.length === 0
            ? "no standstill has been seen yet"
            : stats
                .map((row) => {
                  const known = row.worked + row.failed;
                  return `${row.type.padEnd(22)} seen ${row.seen}, remedy worked ${row.worked} of ${known}${known === 0 ? "" : ` (${Math.round((100 * row.worked) / known)} %)`}`;
                })
                .join("\n"),
        );
      });
  },
};
