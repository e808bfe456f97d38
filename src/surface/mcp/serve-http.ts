/** Streamable HTTP on this machine only: requests for other hosts, or from pages of other origins, are refused. */
import { serve } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type McpServer,
} from "@modelcontextprotocol/server";

import { messageOf, SylkError } from "../../kernel/index.ts";

export interface McpHttp extends AsyncDisposable {
  readonly url: string;
}

export async function serveHttp(create: () => McpServer, port: number): Promise<McpHttp> {
  const handler = createMcpHandler(create);
  const fetch = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    handler.fetch(request);
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const made = serve({ fetch, port, hostname: "127.0.0.1" }, () => resolve(made));
    made.once("error", (cause: Error) =>
      reject(
        new SylkError({
          code: "MCP_PORT_REFUSED",
          tier: "user_fixable",
          message: `port ${port} cannot be served: ${messageOf(cause)}`,
          fix: "choose another --port, or leave it out for a free one",
          cause,
        }),
      ),
    );
  });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${actual}/mcp`,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
    },
  };
}
