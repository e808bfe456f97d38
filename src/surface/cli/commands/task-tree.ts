/** What a person does with the work tree of a task. */
import type { Command } from "commander";
import type { MergeOutcome } from "../../../app/index.ts";
import { SylkError } from "../../../kernel/index.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";

function describe(outcome: MergeOutcome): string {
  switch (outcome.kind) {
    case "merged":
      return [
        `merged ${outcome.files.length} file${outcome.files.length === 1 ? "" : "s"}:`,
        ...outcome.files.map((file) => `  ${file.path}  ${file.how.replaceAll("_", " ")}`),
        ...(outcome.combined ? ["your edits and the task's were combined: run the checks again"] : []),
      ].join("\n");
    case "nothing_to_merge":
      return "nothing to merge: the project has all of it";
    case "conflicts":
      return [
        "nothing was written; you and the task changed the same places:",
        ...outcome.conflicts.map((conflict) => `  ${conflict.path}  ${conflict.reason.replaceAll("_", " ")}`),
        "merge with --prefer mine or --prefer task, or change your files and merge again",
      ].join("\n");
    case "refused":
      return `nothing was written: ${outcome.path}: ${outcome.reason}`;
  }
}

export function addTreeCommands(command: Command, cli: CliContext, idHelp: string): void {
  const { out } = cli;
  command
    .command("diff")
    .description("what a task changed in its work tree")
    .argument("<id>", idHelp)
    .action(async (which: string) => {
      const { tasks, trees } = await cli.app();
      const diff = await trees.diff(await tasks.resolve(which), cli.signal);
      out.result(diff, () => `${diff.text}${diff.truncated ? "\n… cut" : ""}`);
    });
  command
    .command("merge")
    .description("bring a task's work tree into your folder; your own edits win")
    .argument("<id>", idHelp)
    .option("--prefer <side>", "where both changed the same place: mine or task")
    .action(async (which: string, flags: { prefer?: string }) => {
      const { prefer } = flags;
      if (prefer !== undefined && prefer !== "mine" && prefer !== "task")
        throw new SylkError({
          code: "USAGE_PREFER",
          tier: "user_fixable",
          message: `--prefer cannot be ${prefer}`,
          fix: "write mine or task",
        });
      const { tasks, trees } = await cli.app();
      const outcome = await trees.merge(await tasks.resolve(which), prefer, cli.signal);
      out.result(outcome, () => describe(outcome));
      if (outcome.kind === "conflicts") cli.setExit(EXIT.stuck);
      if (outcome.kind === "refused") cli.setExit(EXIT.failure);
    });
  command
    .command("discard")
    .description("throw a task's work tree away")
    .argument("<id>", idHelp)
    .option("--force", "even when it holds work that was not merged")
    .action(async (which: string, flags: { force?: boolean }) => {
      const { tasks, trees } = await cli.app();
      const outcome = await trees.discard(await tasks.resolve(which), { force: flags.force === true });
      out.result(outcome, () =>
        outcome.kind === "discarded"
          ? "discarded"
          : `kept: not merged yet: ${outcome.changed.join(", ")}\n  fix: \`sylk task merge ${which}\`, or discard with --force`,
      );
      if (outcome.kind === "kept") cli.setExit(EXIT.failure);
    });
}
