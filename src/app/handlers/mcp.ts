/** The user's MCP servers. */
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { McpApi } from "../../tooling/index.ts";

export function mcpHandlers(desk: () => Promise<McpApi>) {
  return {
    commands: {
      "mcp.add": async ({ name, reach, scope }) => (await desk()).add(name, reach, scope),
      "mcp.begin_login": async ({ server, redirect_url: redirectUrl, client }, signal) =>
        (await desk()).beginLogin(server, { redirectUrl, client }, signal),
      "mcp.end_login": async ({ server, query }) => (await desk()).endLogin(server, query),
      "mcp.logout": async ({ server }) => (await desk()).logout(server),
      "mcp.remove": async ({ name }) => (await desk()).remove(name),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "mcp.list": async (options, signal) => (await desk()).list(options, signal),
      "mcp.prompt": async ({ server, prompt, words }, signal) => (await desk()).prompt(server, prompt, words, signal),
    } satisfies Partial<QueryHandlers>,
  };
}
