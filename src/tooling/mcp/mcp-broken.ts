import { SylkError } from "../../kernel/index.ts";

/** What went wrong with a server is told to whoever asked it; the next may find it well again. */
export function mcpBroken(name: string, what: string, cause?: unknown): SylkError {
  return new SylkError({ code: "MCP_SERVER_BROKEN", tier: "permanent", message: `the MCP server ${name} ${what}`, cause });
}
