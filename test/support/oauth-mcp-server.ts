/** An MCP server on this machine that lets in only whoever signed in, with the sign-in beside it: discovery, registration, PKCE, renewal. */
import { createHash } from "node:crypto";
import { serve } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

export interface OAuthMcpServer extends AsyncDisposable {
  url: string;
  /** Grants that were asked for, in order. */
  grants: string[];
  /** Knows a client by hand, as a user would register it. */
  knows(client: string, redirect: string): void;
  /** What counted so far counts no more; a renewal is possible, or not. */
  expire(renewal: "possible" | "refused"): void;
}

const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

export async function startOAuthMcpServer(): Promise<OAuthMcpServer> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "guarded", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool("hello", { description: "Greets.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "hello" }],
    }));
    return server;
  });
  const grants: string[] = [];
  const codes = new Map<string, { challenge: string; redirect: string; client: string }>();
  const clients = new Map<string, string[]>();
  let valid = "";
  let renewal = "";
  let counter = 0;
  let origin = "";

  const issue = (): Response => {
    counter += 1;
    valid = `access-token-of-the-user-${counter}`;
    renewal = `renewal-token-of-the-user-${counter}`;
    return Response.json({ access_token: valid, token_type: "Bearer", expires_in: 3600, refresh_token: renewal });
  };
  const token = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const grant = form.get("grant_type") ?? "";
    grants.push(grant);
    if (grant === "refresh_token")
      return form.get("refresh_token") === renewal ? issue() : Response.json({ error: "invalid_grant" }, { status: 400 });
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const fits =
      code?.challenge === challengeOf(form.get("code_verifier") ?? "") &&
      code.redirect === form.get("redirect_uri") &&
      code.client === form.get("client_id");
    return fits ? issue() : Response.json({ error: "invalid_grant" }, { status: 400 });
  };
  const authorize = ({ searchParams: asked }: URL): Response => {
    const [client, redirect] = [asked.get("client_id") ?? "", asked.get("redirect_uri") ?? ""];
    if (clients.get(client)?.includes(redirect) !== true) return new Response("unknown client", { status: 400 });
    counter += 1;
    codes.set(`code-${counter}`, { challenge: asked.get("code_challenge") ?? "", redirect, client });
    const back = new URL(redirect);
    back.searchParams.set("code", `code-${counter}`);
    back.searchParams.set("state", asked.get("state") ?? "");
    return Response.redirect(back.href, 302);
  };
  const register = async (request: Request): Promise<Response> => {
    const asked = z.looseObject({ redirect_uris: z.array(z.string()) }).parse(await request.json());
    const id = `client-${clients.size + 1}`;
    clients.set(id, asked.redirect_uris);
    return Response.json({ ...asked, client_id: id }, { status: 201 });
  };
  const fetch = async (request: Request): Promise<Response> => {
    const at = new URL(request.url);
    if (at.pathname.startsWith("/.well-known/oauth-protected-resource"))
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (at.pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (at.pathname === "/register") return register(request);
    if (at.pathname === "/authorize") return authorize(at);
    if (at.pathname === "/token") return token(request);
    if (at.pathname !== "/mcp") return new Response("not here", { status: 404 });
    if (valid !== "" && request.headers.get("authorization") === `Bearer ${valid}`) return handler.fetch(request);
    const told = { "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` };
    return new Response("sign in", { status: 401, headers: told });
  };
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const made = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
      origin = `http://127.0.0.1:${port}`;
      resolve(made);
    });
  });
  return {
    url: `${origin}/mcp`,
    grants,
    knows: (client, redirect) => void clients.set(client, [redirect]),
    expire(how) {
      valid = "";
      if (how === "refused") renewal = "";
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
