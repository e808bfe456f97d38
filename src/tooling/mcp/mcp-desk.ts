/** MCP servers for surfaces: what is written down, how it stands, what it offers a person. */
import { messageOf, wording } from "../../kernel/index.ts";
import { addServer, removeServer, serverStanding, type ServerScope } from "./edit-servers.ts";
import type { LoginWish, McpServers } from "./mcp-servers.ts";
import type { ListParts, Reach } from "./server-list.ts";

export interface McpDeskParts extends Pick<ListParts, "configDir" | "projectDir"> {
  mcp: McpServers;
  redact: (text: string) => string;
}

/** What it said of itself, or why it could not be reached. */
type Found = { ok: true; server: string; protocol: string; tools: number } | { ok: false; why: string };

export interface ServerLine {
  name: string;
  from: "user" | "project";
  file: string;
  kind: "stdio" | "http" | null;
  /** Its command line, or its address. */
  target: string;
  counts: boolean;
  why?: string | undefined;
  found?: Found | undefined;
}

export interface McpApi {
  /** Nothing is started unless it is to be checked. */
  list(options: { check: boolean }, signal: AbortSignal): Promise<ServerLine[]>;
  add(name: string, reach: Reach, scope: ServerScope): { file: string };
  /** Whether the list it would be written to has one of this name, and the very same. */
  standing(name: string, reach: Reach, scope: ServerScope): { file: string; standing: "none" | "same" | "other" };
  remove(name: string): { file: string };
  /** Null: there is nothing to agree to. */
  beginLogin(server: string, login: LoginWish, signal: AbortSignal): Promise<{ url: string | null }>;
  endLogin(server: string, query: string): Promise<null>;
  logout(server: string): { was_signed_in: boolean };
  /** Words a server has for a person to say. */
  prompt(server: string, prompt: string, words: readonly string[], signal: AbortSignal): Promise<{ text: string }>;
}

const targetOf = (reach: Reach | undefined): string =>
  reach === undefined ? "" : reach.kind === "http" ? reach.url : [reach.command, ...reach.args].join(" ");

export function createMcpApi({ mcp, redact, ...places }: McpDeskParts): McpApi {
  const look = async (name: string, signal: AbortSignal): Promise<Found> => {
    try {
      return { ok: true, ...(await mcp.about(places.projectDir, name, signal)) };
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, why: redact(wording.oneLine(messageOf(error), 700)) };
    }
  };
  return {
    list: ({ check }, signal) =>
      Promise.all(
        mcp.listed().map(async ({ name, from, file, reach, idle }) => ({
          name,
          from,
          file,
          kind: reach?.kind ?? null,
          target: redact(targetOf(reach)),
          counts: idle === undefined,
          ...(idle === undefined ? {} : { why: idle }),
          ...(check && idle === undefined ? { found: await look(name, signal) } : {}),
        })),
      ),
    add: (name, reach, scope) => ({ file: addServer(places, scope, name, reach) }),
    standing: (name, reach, scope) => serverStanding(places, scope, name, reach),
    remove: (name) => ({ file: removeServer(places, name) }),
    beginLogin: async (server, login, signal) => ({ url: await mcp.beginLogin(server, login, signal) }),
    endLogin: async (server, query) => {
      await mcp.endLogin(server, new URLSearchParams(query));
      return null;
    },
    logout: (server) => ({ was_signed_in: mcp.logout(server) }),
    prompt: async (server, prompt, words, signal) => ({ text: await mcp.prompt(places.projectDir, { server, prompt, words }, signal) }),
  };
}
