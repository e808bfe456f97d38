/**
 * The Api over HTTP: `POST /send` and `POST /query` with a command or a query, `GET /events` and `GET /live` as
 * server-sent events; `GET /proof`, the only way without the token, shows a client that this server knows it. An
 * answer that takes long begins with blanks, so that nobody takes the line for dead; it says in its body whether it
 * is a reply or an error. A client that goes away stops what it asked for.
 */
import type { Api, Command, Query, Wire } from "../../protocol/api/index.ts";
import { SylkError, type Clock } from "../../kernel/index.ts";
import { listenOnLoopback } from "../loopback.ts";
import { eventStream, HEARTBEAT_MS } from "./event-stream.ts";
import { answerProof } from "./server-proof.ts";
import { errorToWire, statusOf } from "./wire-error.ts";

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
}

/** An imported conversation is the largest thing that is sent. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** What is answered by then has a status of its own. */
const QUICK_MS = 1_000;

const badInput = (message: string): SylkError =>
  new SylkError({ code: "API_BAD_INPUT", tier: "user_fixable", message, fix: "send one JSON object with a `type`" });

async function readBody(request: Request): Promise<string> {
  const tooLarge = (): SylkError =>
    new SylkError({
      code: "API_TOO_LARGE",
      tier: "user_fixable",
      message: `a request may have ${MAX_BODY_BYTES} bytes at most`,
      fix: "send less at once",
    });
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}

function asJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badInput(`${what} is not JSON`);
  }
}

/** `type` decides everything else; the Api judges the rest. */
function asCall(text: string): { type: string } {
  const value = asJson(text, "the body");
  if (typeof value === "object" && value !== null && "type" in value && typeof value.type === "string")
    return { ...value, type: value.type };
  throw badInput("the body has no `type`");
}

const failed = (error: unknown): Response => Response.json({ error: errorToWire(error) }, { status: statusOf(error) });

type Settled = { reply: unknown } | { error: unknown };

async function answer(work: Promise<unknown>, clock: Clock): Promise<Response> {
  const settled = work.then(
    (reply): Settled => ({ reply }),
    (error: unknown): Settled => ({ error }),
  );
  const within = async (ms: number): Promise<Settled | undefined> => {
    const waited = new AbortController();
    const tick = clock.sleep(ms, waited.signal).then(
      () => undefined,
      () => undefined,
    );
    const first = await Promise.race([settled, tick]);
    waited.abort();
    return first;
  };
  const quick = await within(QUICK_MS);
  if (quick !== undefined) return "error" in quick ? failed(quick.error) : Response.json(quick);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const said = await within(HEARTBEAT_MS);
      const text = said === undefined ? " " : JSON.stringify("error" in said ? { error: errorToWire(said.error) } : said);
      controller.enqueue(encoder.encode(text));
      if (said !== undefined) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function placeOf(url: URL, request: Request): number {
  const text = request.headers.get("last-event-id") ?? url.searchParams.get("after") ?? "0";
  if (!/^\d{1,15}$/.test(text)) throw badInput("`after` is no position");
  return Number(text);
}

export async function serveApi(api: Api, options: { port: number; token: string; clock: Clock }): Promise<ApiServer> {
  const { port, token, clock } = options;
  const closing = new AbortController();
  const route = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const stop = new AbortController();
    const signal = AbortSignal.any([request.signal, closing.signal, stop.signal]);
    const filter = (): unknown => asJson(url.searchParams.get("filter") ?? "{}", "the filter");
    switch (`${request.method} ${url.pathname}`) {
      case "POST /send":
        return answer(api.send(asCall(await readBody(request)) as Command, signal), clock);
      case "POST /query":
        return answer(api.query(asCall(await readBody(request)) as Query, signal), clock);
      case "GET /events": {
        const events = api.events(filter() as Wire<"eventFilter">, placeOf(url, request), signal);
        return eventStream(events, { clock, stop, idOf: (event) => event.position });
      }
      case "GET /live":
        return eventStream(api.live(filter() as Wire<"liveFilter">, signal), { clock, stop });
      default:
        throw new SylkError({
          code: "API_UNKNOWN_TYPE",
          tier: "user_fixable",
          message: `there is no ${request.method} ${url.pathname}`,
          fix: "POST /send, POST /query, GET /events, GET /live",
        });
    }
  };
  const server = await listenOnLoopback({
    port,
    token,
    fetch: (request) => route(request).catch(failed),
    open: (request, port) => answerProof(request, token, port),
    refusal: (status, message) => Response.json({ error: { code: "API_REFUSED", tier: "user_fixable", message } }, { status }),
    tokenHelp: "`sylk serve` prints the file that holds it",
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server[Symbol.asyncDispose]();
    },
  };
}
