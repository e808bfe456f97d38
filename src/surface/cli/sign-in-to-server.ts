/** Signing in to an MCP server: the user agrees in a browser, which is sent back to a port of this machine. */
import { createServer } from "node:http";
import { SylkError, systemClock, withDeadline } from "../../kernel/index.ts";
import type { CliContext } from "./command.ts";
import { countFrom1 } from "./whole-number.ts";

const PATH = "/callback";
const WAIT_MS = 10 * 60_000;
const DONE = "You may close this page and go back to Sylk.";

interface Listening extends AsyncDisposable {
  url: string;
  /** What the browser comes back with from this address; whatever else calls here is turned away. */
  from(url: string): Promise<string>;
}

async function listen(wanted: number): Promise<Listening> {
  const came = Promise.withResolvers<string>();
  let state: string | undefined;
  const server = createServer((request, response) => {
    const at = new URL(request.url ?? "/", "http://127.0.0.1");
    const mine = request.method === "GET" && at.pathname === PATH && at.searchParams.get("state") === state;
    response.writeHead(mine ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(mine ? DONE : "not here");
    if (mine) came.resolve(at.searchParams.toString());
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    from(url) {
      state = new URL(url).searchParams.get("state") ?? "";
      return came.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface KnownClient {
  clientId: string | undefined;
  clientSecretEnv: string | undefined;
  callbackPort: string | undefined;
}

/** A secret stands in the environment, never among the words of a command, which others of this machine can read. */
function clientOf({ clientId, clientSecretEnv }: KnownClient) {
  if (clientId === undefined) return undefined;
  const secret = clientSecretEnv === undefined ? undefined : process.env[clientSecretEnv];
  if (clientSecretEnv !== undefined && (secret ?? "") === "")
    throw new SylkError({ code: "USAGE_CHOICE", tier: "user_fixable", message: `${clientSecretEnv} is not set in the environment` });
  return { client_id: clientId, client_secret: secret };
}

export async function signInToServer(cli: CliContext, server: string, known: KnownClient): Promise<void> {
  const { out, signal } = cli;
  const client = clientOf(known);
  await using listening = await listen(known.callbackPort === undefined ? 0 : countFrom1("--callback-port", known.callbackPort));
  const { url } = await cli.send({ type: "mcp.begin_login", server, redirect_url: listening.url, client });
  if (url === null) return out.result({ server, signed_in: true }, () => `${server} lets you in as you are`);
  const came = listening.from(url);
  if (out.json) out.data({ server, url });
  else out.line(`open this address and agree; it waits for ten minutes:\n${url}`);
  const query = await withDeadline({ clock: systemClock, timeoutMs: WAIT_MS, what: "signing in", signal }, (stop) => {
    const stopped = new Promise<never>((_, reject) => stop.addEventListener("abort", () => reject(stop.reason as Error), { once: true }));
    return Promise.race([came, stopped]);
  });
  await cli.send({ type: "mcp.end_login", server, query });
  out.result({ server, signed_in: true }, () => `signed in to ${server}`);
}
