import { once } from "node:events";
import { systemClock } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { portOf } from "../whole-number.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--port <n>", "port; 0 takes a free one", "0")
      .addHelpText(
        "after",
        "\nListens on this machine only, for whoever shows the token; it prints the file that holds it.\nWhat agents ask is asked here, at this terminal.\n\nExamples:\n  $ sylk serve --port 4200\n  $ sylk --connect http://127.0.0.1:4200 task list\n  $ SYLK_CONNECT=http://127.0.0.1:4200 sylk task watch",
      )
      .action(async (flags: { port: string }) => {
        const port = portOf(flags.port);
        const app = await cli.app();
        const { serveApi } = await import("../../http/index.ts");
        const { file, token } = app.serverToken("api");
        await using server = await serveApi(app.api, { port, token, clock: systemClock });
        cli.out.result({ url: server.url, token_file: file }, () =>
          [
            `serving ${cli.cwd} at ${server.url}; use it with \`sylk --connect ${server.url} …\`; Ctrl+C ends`,
            `other programs show the token in ${file}`,
          ].join("\n"),
        );
        if (!cli.signal.aborted) await once(cli.signal, "abort");
      });
  },
};
