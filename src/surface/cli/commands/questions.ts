import { shortIds } from "../../../kernel/index.ts";
import { optionsOf } from "../../../protocol/index.ts";
import type { CommandModule } from "../command.ts";
import { renderQuestion, renderQuestions } from "../render-question.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("[id]", "one of them, whole; the last characters are enough")
      .option("--all", "also those that were answered, expired or withdrawn")
      .option("--ids", "only the ids, or with an id only what may be answered: for completion")
      .addHelpText(
        "after",
        "\nA task or a skill that needs you rests until its question is answered, from this terminal or any other.\n\nExamples:\n  $ sylk questions\n  $ sylk questions 4m2kq7ds\n  $ sylk questions --json\n  $ sylk answer 4m2kq7ds once",
      )
      .action(async (id: string | undefined, flags: { all?: boolean; ids?: boolean }) => {
        if (id !== undefined) {
          const question = await cli.query({ type: "question.show", id });
          if (flags.ids === true) for (const { value } of optionsOf(question.ask)) out.line(value);
          else out.prose({ ...question, options: optionsOf(question.ask) }, () => renderQuestion(question, out));
          return;
        }
        const list = await cli.query({ type: "question.list", ended: flags.all === true });
        if (flags.ids === true) for (const question of list) out.line(shortIds.shorten(question.id));
        else
          out.prose(
            list.map((question) => ({ ...question, options: optionsOf(question.ask) })),
            () => renderQuestions(list, out),
          );
      });
  },
};
