import type { Command } from "commander";
import type { CliContext, CommandModule } from "../command.ts";
import { renderRequest, renderRequests } from "../render-request.ts";
import { runRequest } from "../run-request.ts";
import { countFrom1 } from "../whole-number.ts";

async function idOf(cli: CliContext, id: string): Promise<string> {
  return (await cli.query({ type: "request.resolve", id })).id;
}

function addOne(command: Command, name: string, summary: string, action: (id: string) => Promise<void>, cli: CliContext): void {
  command
    .command(name)
    .description(summary)
    .argument("[id]", "of the request; the last characters are enough", "last")
    .action(async (id: string) => action(await idOf(cli, id)));
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText("after", "\nExamples:\n  $ sylk session list\n  $ sylk session show last\n  $ sylk session resume last");
    command
      .command("list")
      .description("requests, newest first")
      .option("--limit <n>", "how many", "20")
      .action(async ({ limit }: { limit: string }) => {
        const list = await cli.query({ type: "request.list", limit: countFrom1("--limit", limit) });
        out.result(list, () => renderRequests(list, out));
      });
    addOne(
      command,
      "show",
      "a request: its plan, its pieces, what it needs, what shows that it is done",
      async (id) => {
        const request = await cli.query({ type: "request.show", id });
        out.result(request, () => renderRequest(request, out));
      },
      cli,
    );
    addOne(
      command,
      "resume",
      "go on with it, from wherever it stands",
      async (id) => {
        const { status } = await cli.query({ type: "request.show", id });
        if (status === "paused" || status === "planned") await cli.send({ type: "request.resume", id });
        await runRequest(cli, id);
      },
      cli,
    );
    addOne(
      command,
      "pause",
      "nothing new begins; what is under way comes to its end",
      async (id) => {
        await cli.send({ type: "request.pause", id });
        out.result({ id }, () => "it pauses; `sylk session resume` goes on");
      },
      cli,
    );
    addOne(
      command,
      "stop",
      "end it and every piece of it; what was merged stays merged",
      async (id) => {
        await cli.send({ type: "request.cancel", id, reason: "stopped by the user" });
        out.result({ id }, () => "stopped; nothing of it reaches your folder any more");
      },
      cli,
    );
  },
};
