import { once } from "node:events";
import { systemClock } from "../../../kernel/index.ts";
import type { CommandModule } from "../command.ts";
import { portOf } from "../whole-number.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--http", "streamable HTTP on this machine instead of stdin and stdout")
      .option("--port <n>", "port for --http; 0 takes a free one", "0")
      .addHelpText(
        "after",
        '\nTools: search, map, why, history, memory.\n\nExamples:\n  $ sylk mcp                 # for an agent that starts it\n  $ sylk mcp --http --port 4100   # prints the file with the token that clients must send\n\nIn .mcp.json: {"mcpServers": {"sylk": {"command": "sylk", "args": ["mcp"]}}}',
      )
      .action(async (flags: { http?: boolean; port: string }) => {
        const port = portOf(flags.port);
        const api = await cli.api();
        const { createMcpServer, serveHttp, servePipe } = await import("../../mcp/index.ts");
        const create = () => createMcpServer(api, cli.signal);
        if (flags.http === true) {
          const { file, token } = (await cli.app()).serverToken("mcp");
          await using server = await serveHttp(create, { port, token });
          cli.out.result(
            { url: server.url, token_file: file },
            () => `serving MCP at ${server.url}; clients send \`Authorization: Bearer\` with the token in ${file}; Ctrl+C ends`,
          );
          if (!cli.signal.aborted) await once(cli.signal, "abort");
          return;
        }
        await servePipe(create, systemClock, cli.signal);
      });
  },
};
