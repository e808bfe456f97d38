/**
 * Streamable HTTP on this machine only, for whoever shows the token. Requests under another name than our
 * own host and port, or from a page of any other origin, are refused before anything of them is read.
 */
import { serve } from "@hono/node-server";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { isAuthorized } from "../../app/index.ts";
import { messageOf, SylkError } from "../../kernel/index.ts";

export interface McpHttp extends AsyncDisposable {
  readonly url: string;
}

const NAMES = ["127.0.0.1", "localhost"];

function refusal(status: 401 | 403, message: string): Response {
  const body = { jsonrpc: "2.0", error: { code: -32_000, message }, id: null };
  return Response.json(body, { status, headers: status === 401 ? { "www-authenticate": 'Bearer realm="sylk"' } : {} });
}

/** Undefined when the request may be answered. */
function refused(request: Request, port: number, token: string): Response | undefined {
  const hosts = NAMES.map((name) => `${name}:${port}`);
  const origin = request.headers.get("origin");
  if (!hosts.includes(request.headers.get("host") ?? "")) return refusal(403, "this server answers under its own address only");
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) return refusal(403, "this origin may not use this server");
  if (!isAuthorized(request.headers.get("authorization"), token))
    return refusal(401, "send the token as `Authorization: Bearer …`; `sylk mcp --http` prints the file that holds it");
  return undefined;
}

export async function serveHttp(create: () => McpServer, options: { port: number; token: string }): Promise<McpHttp> {
  const { port, token } = options;
  const handler = createMcpHandler(create);
  let actual = port;
  const fetch = async (request: Request): Promise<Response> => refused(request, actual, token) ?? handler.fetch(request);
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
  actual = typeof address === "object" && address !== null ? address.port : port;
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
