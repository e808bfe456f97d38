import type { Result } from "../../../protocol/api/index.ts";
import type { CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import { needSignIn } from "../sign-in.ts";
import { visibleLine } from "../visible-text.ts";

type Review = Result<"request.review">;

function render({ title, summary, findings, checks, passed }: Review, out: Output): string {
  const line = ({ text, path, line: at, evidence }: Review["findings"][number]): string =>
    `  ${path === undefined ? "" : `${visibleLine(path)}${at === undefined ? "" : `:${at}`}  `}${text}${evidence === undefined ? "" : out.style("dim", `  [${evidence.kind}: ${evidence.what}]`)}`;
  const held = findings.filter((one) => one.blocks);
  const notes = findings.filter((one) => !one.blocks);
  const failing = checks.filter((check) => !check.passed);
  return [
    `${passed ? out.style("green", "nothing found") : out.style("red", `${held.length} found`)}  ${out.style("dim", title)}`,
    ...(summary === "" ? [] : [summary]),
    ...held.map(line),
    ...failing.map((check) => `  ${out.style("red", "✗")} ${check.name} (${check.command}): ${check.summary}`),
    ...(notes.length === 0 ? [] : ["noted, without anything that shows it:", ...notes.map(line)]),
  ].join("\n");
}

export const command: CommandModule = {
  build(command, cli) {
    command
      .argument("[range]", "a commit, or two of them: main..HEAD; without it what is not committed, else the last commit")
      .option("-m, --model <provider/model>", "another model than the Inspector's own")
      .option("--profile <name>", "most a step's input may hold", "default")
      .addHelpText(
        "after",
        "\nThe Inspector reads the change and what is around it, the project's own checks run, and nothing is changed. A finding counts when\nsomething shows it: a failing test, the words of a rule, a command that fails. It ends with 0 when there is none, with 3 otherwise.\n\nExamples:\n  $ sylk review\n  $ sylk review main..HEAD\n  $ sylk review HEAD~3 --json",
      )
      .action(async (range: string | undefined, flags: { model?: string; profile: string }) => {
        await needSignIn(cli, flags.model);
        const review = await cli.send({ type: "request.review", range, model: flags.model, profile: flags.profile });
        cli.out.result(review, () => render(review, cli.out));
        cli.setExit(review.passed ? EXIT.success : EXIT.notVerified);
      });
  },
};
