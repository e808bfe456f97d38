import type { Command } from "commander";
import { shortIds } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { renderRequest, renderRequests } from "../render-request.ts";
import { attachRequest } from "../attach-request.ts";
import { runRequest } from "../run-request.ts";
import { exportSession, showLogs } from "../session-record.ts";
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
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk session list\n  $ sylk session show last\n  $ sylk session attach last\n  $ sylk session resume last\n  $ sylk session export last -o session.json",
    );
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
    command
      .command("search")
      .description("requests in whose words, plan or summary all of these words stand")
      .argument("<words...>")
      .action(async (words: string[]) => {
        const list = await cli.query({ type: "request.search", words: words.join(" ") });
        out.result(list, () => (list.length === 0 ? "no request holds all of these words" : renderRequests(list, out)));
      });
    addOne(command, "attach", "look on while another process works on it, and answer what it asks", (id) => attachRequest(cli, id), cli);
    command
      .command("logs")
      .description("everything that happened to it, its pieces and their tasks")
      .argument("[id]", "of the request; the last characters are enough", "last")
      .option("-f, --follow", "go on with what happens")
      .action(async (id: string, { follow }: { follow?: boolean }) => showLogs(cli, await idOf(cli, id), follow === true));
    command
      .command("export")
      .description("the same as one JSON document, hashes included")
      .argument("[id]", "of the request; the last characters are enough", "last")
      .option("-o, --output <file>", "to a file instead of stdout")
      .action(async (id: string, { output }: { output?: string }) => exportSession(cli, await idOf(cli, id), output));
    command
      .command("fork")
      .description("a new request from the same state of the project and, without other words, the same plan")
      .argument("[id]", "of the request; the last characters are enough", "last")
      .option("--request <words>", "what the new one asks for instead")
      .action(async (id: string, { request: words }: { request?: string }) => {
        const made = await cli.send({ type: "request.fork", id: await idOf(cli, id), words });
        out.result(made, () => `${made.id}\nbegin with: sylk session resume ${shortIds.shorten(made.id)}`);
      });
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
