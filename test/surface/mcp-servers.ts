/** What `mcp-servers.test.ts` and its long form share. */
import path from "node:path";

export const FAKE = path.resolve("test/support/fake-mcp-server.mjs");
