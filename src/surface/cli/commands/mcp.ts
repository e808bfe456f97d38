import { once } from "node:events";
import type { CommandModule } from "../command.ts";
import { wholeNumber } from "../whole-number.ts";

export const command: CommandModule = {
  build(command, cli) {
    command
      .option("--http", "streamable HTTP on this machine instead of stdin and stdout")
      .option("--port <n>", "port for --http; 0 takes a free one", "0")
      .addHelpText(
        "after",
        '\nTools: search, map, why, history, memory.\n\nExamples:\n  $ sylk mcp                 # for an agent that starts it\n  $ sylk mcp --http --port 4100\n\nIn .mcp.json: {"mcpServers": {"sylk": {"command": "sylk", "args": ["mcp"]}}}',
      )
      .action(async (flags: { http?: boolean; port: string }) => {
        const app = await cli.app();
        const { createMcpServer, serveHttp } = await import("../../mcp/index.ts");
        const create = () => createMcpServer(app, cli.signal);
        if (flags.http === true) {
          await using server = await serveHttp(create, wholeNumber("--port", flags.port));
          cli.out.result({ url: server.url }, () => `serving MCP at ${server.url}; Ctrl+C ends`);
          if (!cli.signal.aborted) await once(cli.signal, "abort");
          return;
        }
        const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
        const handle = serveStdio(create);
        // The client ends it by closing our input.
        await Promise.race([once(process.stdin, "close"), once(process.stdin, "end"), once(cli.signal, "abort")]);
        await handle.close();
      });
  },
};
