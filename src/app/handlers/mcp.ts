/** The user's MCP servers. */
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { McpApi } from "../../tooling/index.ts";

export function mcpHandlers(desk: () => Promise<McpApi>) {
  return {
    commands: {
      "mcp.add": async ({ name, reach, scope }) => (await desk()).add(name, reach, scope),
      "mcp.remove": async ({ name }) => (await desk()).remove(name),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "mcp.list": async (options, signal) => (await desk()).list(options, signal),
      "mcp.prompt": async ({ server, prompt, words }, signal) => (await desk()).prompt(server, prompt, words, signal),
    } satisfies Partial<QueryHandlers>,
  };
}
