/** The one place where a surface gets its Api: the product in this process, or the server that was named. */
import { openApp, serverToken, type App } from "../app/index.ts";
import { SylkError, type Clock } from "../kernel/index.ts";
import type { Api } from "../protocol/api/index.ts";

export interface Connection {
  readonly api: Api;
  /** The product itself; undefined when it runs elsewhere. */
  readonly app: App | undefined;
  close(): Promise<void>;
}

function urlOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "http:" && ["127.0.0.1", "localhost"].includes(url.hostname)) {
    // By name it could be another program's port of the same number on ::1.
    url.hostname = "127.0.0.1";
    return url.origin;
  }
  throw new SylkError({
    code: "USAGE_CONNECT",
    tier: "user_fixable",
    message: `${text} is no server of this machine`,
    fix: "give the address that `sylk serve` prints, e.g. --connect http://127.0.0.1:4200",
  });
}

export async function connectTo(url: string, env: Record<string, string | undefined>, clock: Clock): Promise<Connection> {
  const { connectApi } = await import("./http/index.ts");
  const token = env["SYLK_TOKEN"] ?? (await serverToken(env, "api")).token;
  return { api: connectApi({ url: urlOf(url), token, clock }), app: undefined, close: () => Promise.resolve() };
}

export async function connectHere(options: Parameters<typeof openApp>[0]): Promise<Connection> {
  const app = await openApp(options);
  return { api: app.api, app, close: () => app.close() };
}
