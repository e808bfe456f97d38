/**
 * HTTP on this machine only, for whoever shows the token. Requests under another name than our own host and port, or
 * from a page of any other origin, are refused before anything of them is read.
 */
import { serve } from "@hono/node-server";
import { authorizer } from "../app/index.ts";
import { messageOf, SylkError } from "../kernel/index.ts";

export interface Loopback extends AsyncDisposable {
  readonly port: number;
}

export interface LoopbackOptions {
  port: number;
  token: string;
  fetch: (request: Request) => Promise<Response>;
  /** What is answered without the token; undefined for everything else. */
  open?: (request: Request, port: number) => Response | undefined;
  /** How a refusal is worded for these clients. */
  refusal: (status: 401 | 403, message: string) => Response;
  /** Where a client finds the token. */
  tokenHelp: string;
}

const NAMES = ["127.0.0.1", "localhost"];

type Admits = Awaited<ReturnType<typeof authorizer>>;

/** The answer to whoever has not shown the token; undefined when the request goes on. */
function atTheDoor(request: Request, port: number, options: LoopbackOptions, admits: Admits): Response | undefined {
  const { tokenHelp, refusal } = options;
  const hosts = NAMES.map((name) => `${name}:${port}`);
  const origin = request.headers.get("origin");
  if (!hosts.includes(request.headers.get("host") ?? "")) return refusal(403, "this server answers under its own address only");
  if (origin !== null && !hosts.some((host) => origin === `http://${host}`)) return refusal(403, "this origin may not use this server");
  const open = options.open?.(request, port);
  if (open !== undefined) return open;
  if (admits(request.headers.get("authorization"))) return undefined;
  const response = refusal(401, `send the token as \`Authorization: Bearer …\`; ${tokenHelp}`);
  response.headers.set("www-authenticate", 'Bearer realm="sylk"');
  return response;
}

export async function listenOnLoopback(options: LoopbackOptions): Promise<Loopback> {
  const admits = await authorizer(options.token);
  let actual = options.port;
  const fetch = async (request: Request): Promise<Response> => atTheDoor(request, actual, options, admits) ?? options.fetch(request);
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const made = serve({ fetch, port: options.port, hostname: "127.0.0.1" }, () => resolve(made));
    made.once("error", (cause: Error) =>
      reject(
        new SylkError({
          code: "PORT_REFUSED",
          tier: "user_fixable",
          message: `port ${options.port} cannot be served: ${messageOf(cause)}`,
          fix: "choose another --port, or leave it out for a free one",
          cause,
        }),
      ),
    );
  });
  const address = server.address();
  actual = typeof address === "object" && address !== null ? address.port : options.port;
  return {
    port: actual,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
    },
  };
}
