import { shortIds } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { openOutput } from "../render-event.ts";

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command
      .argument("[id]", "of the request; the last characters are enough", "last")
      .requiredOption("-o, --output <file>", "the cassette to write")
      .addHelpText(
        "after",
        "\nThe journal holds what each model was shown and what it said; this writes that range of it to one readable file, without secrets\nand without this machine's paths. `sylk replay` plays it.\n\nExamples:\n  $ sylk record -o tape.yaml\n  $ sylk record a1b2c3 -o tape.yaml --json",
      )
      .action(async (wanted: string, { output: file }: { output: string }) => {
        const { id } = await cli.query({ type: "request.resolve", id: wanted });
        const { text, calls, recording } = await cli.query({ type: "request.record", id });
        await using handle = await openOutput(file);
        await handle.write(text);
        out.result({ request: id, calls, ...recording.end, file }, () =>
          [
            `${calls} calls of ${shortIds.shorten(id)} (${recording.end.how}) written to ${file}`,
            out.style("dim", `play it with: sylk replay ${file}`),
          ].join("\n"),
        );
      });
  },
};
