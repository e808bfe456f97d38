import type { Command } from "commander";
import { shortIds } from "../../../kernel/index.ts";
import type { CliContext, CommandModule } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { renderReceipt, renderRequest, renderRequests } from "../render-request.ts";
import { attachRequest } from "../attach-request.ts";
import { continueRequest, goOnWith } from "../continue-request.ts";
import { goOnHere } from "../go-on-here.ts";
import { addWords, signalPiece, tellPiece, type PieceSignal } from "../piece-words.ts";
import { exportSession, showLogs } from "../session-record.ts";
import { stopRequest } from "../stop-request.ts";
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

/** The same for one piece of it alone, where one is named. */
function addSignal(
  command: Command,
  [name, signal]: [string, PieceSignal],
  summary: string,
  action: (id: string) => Promise<void>,
  cli: CliContext,
): void {
  command
    .command(name)
    .description(summary)
    .argument("[id]", "of the request; the last characters are enough", "last")
    .option("--piece <id>", "this piece alone, such as n2; the others are not touched")
    .action(async (id: string, { piece }: { piece?: string }) => {
      const request = await idOf(cli, id);
      return piece === undefined ? action(request) : signalPiece(cli, request, piece, signal);
    });
}

export const command: CommandModule = {
  build(command, cli) {
    const { out } = cli;
    command.addHelpText(
      "after",
      "\nExamples:\n  $ sylk session list\n  $ sylk session show last\n  $ sylk session attach last\n  $ sylk session resume last\n  $ sylk session continue --fork\n  $ sylk session pause last --piece n2\n  $ sylk session tell last n2 'use the second format'\n  $ sylk session add last 'and a --json flag'\n  $ sylk session export last -o session.json",
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
        out.result(made, () => `${made.id}\nbegin with: ${out.word(`session resume ${shortIds.shorten(made.id)}`)}`);
      });
    command
      .command("undo")
      .description("take all of it back, merged or not; tells what was taken back and what cannot be")
      .argument("[id]", "of the request; the last characters are enough", "last")
      .option("--force", "also files that were changed since")
      .action(async (id: string, { force }: { force?: boolean }) => {
        const receipt = await cli.send({ type: "request.rollback", id: await idOf(cli, id), force: force === true });
        out.result(receipt, () => renderReceipt(receipt));
        if (receipt.warnings.some((text) => text.startsWith("nothing was taken back"))) cli.setExit(EXIT.failure);
      });
    command
      .command("tell")
      .description("say something to whoever works on one piece: heard in the next step, and by everybody who works on it later")
      .argument("<id>", "of the request; `last` is the newest")
      .argument("<piece>", "such as n2")
      .argument("<words...>")
      .action(async (id: string, piece: string, words: string[]) => tellPiece(cli, await idOf(cli, id), piece, words.join(" ")));
    command
      .command("add")
      .description("want something beside it: its plan is changed, what is merged stays, and you approve it where you approve plans")
      .argument("[id]", "of the request; the newest where only words are given")
      .argument("[words...]", "what you want")
      .action(async (first: string | undefined, words: string[]) => {
        const [id, said] = words.length === 0 ? ["last", first ?? ""] : [first ?? "", words.join(" ")];
        await addWords(cli, await idOf(cli, id), said);
      });
    command
      .command("continue")
      .description("go on with it where it stands, or show how it ended; without an id you choose (also: sylk -c, sylk -r [id])")
      .argument("[id]", "of the request; the last characters are enough")
      .option("--fork", "with a new one from the same state of the project and the same plan")
      .option("--newest", "with what was last worked on here, be it a task (what sylk -c says)")
      .action(async (id: string | undefined, { fork, newest }: { fork?: boolean; newest?: boolean }) =>
        newest === true && id === undefined && fork !== true
          ? goOnHere(cli)
          : continueRequest(cli, id ?? (newest === true ? "last" : undefined), fork === true),
      );
    addSignal(
      command,
      ["resume", "resume"],
      "go on with it, from wherever it stands",
      async (id) => {
        await goOnWith(cli, await cli.query({ type: "request.show", id }));
      },
      cli,
    );
    addSignal(
      command,
      ["pause", "pause"],
      "nothing new begins; an open call to a model is given up, a running command comes to its end",
      async (id) => {
        await cli.send({ type: "request.pause", id });
        out.result({ id }, () => `it pauses; \`${out.word("session resume")}\` goes on`);
      },
      cli,
    );
    addSignal(command, ["stop", "cancel"], "end it and every piece of it; what was merged stays merged", (id) => stopRequest(cli, id), cli);
  },
};
