/** MCP as streamable HTTP on this machine only, for whoever shows the token. */
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { listenOnLoopback } from "../loopback.ts";

export interface McpHttp extends AsyncDisposable {
  readonly url: string;
}

export async function serveHttp(create: () => McpServer, options: { port: number; token: string }): Promise<McpHttp> {
  const handler = createMcpHandler(create);
  const server = await listenOnLoopback({
    ...options,
    fetch: (request) => handler.fetch(request),
    refusal: (status, message) => Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status }),
    tokenHelp: "`sylk mcp --http` prints the file that holds it",
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
