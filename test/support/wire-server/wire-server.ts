/**
 * A loopback model server with the real wire formats of four protocols, streaming only. A test gives
 * one function from request to answer; faults are part of the answer. Everything it saw is kept.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicWire } from "./anthropic-wire.ts";
import { embeddingAnswer } from "./embedding-wire.ts";
import { googleWire } from "./google-wire.ts";
import { openaiChatWire } from "./openai-chat-wire.ts";
import { openaiResponsesWire } from "./openai-responses-wire.ts";
import type { Encoder, Frame, Protocol, WireAnswer, WireRequest } from "./wire-types.ts";

const ENCODERS: Record<Protocol, Encoder> = {
  anthropic: anthropicWire,
  "openai-chat": openaiChatWire,
  "openai-responses": openaiResponsesWire,
  google: googleWire,
};

export type Respond = (request: WireRequest) => WireAnswer | Promise<WireAnswer>;

export interface WireServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; `/v1` and `/v1beta` live below it. */
  readonly url: string;
  readonly requests: WireRequest[];
  /** Answers being written now. */
  readonly open: number;
  /** Highest number of answers written at once. */
  readonly peakOpen: number;
  /** Answers whose client went away before the end. */
  readonly abandoned: number;
  respond: Respond;
}

function protocolOf(path: string): Protocol | undefined {
  if (path.endsWith("/messages")) return "anthropic";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/responses")) return "openai-responses";
  if (path.includes(":streamGenerateContent")) return "google";
  return undefined;
}

async function readBody(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function write(response: http.ServerResponse, frame: Frame): void {
  response.write(`${frame.event === undefined ? "" : `event: ${frame.event}\n`}data: ${frame.data}\n\n`);
}

async function send(response: http.ServerResponse, encoder: Encoder, answer: WireAnswer, request: WireRequest): Promise<void> {
  const { fault } = answer;
  if (answer.delayMs !== undefined) await pause(answer.delayMs);
  const status = answer.status ?? 200;
  if (status !== 200) {
    response.writeHead(status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(encoder.errorBody(status, answer.message ?? `status ${status}`)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...answer.headers });
  if (fault?.kind === "empty_body") {
    response.end();
    return;
  }
  for (const [index, frame] of encoder.frames(answer, request).entries()) {
    if (response.destroyed) return;
    if (fault !== undefined && index === fault.afterFrames) {
      if (fault.kind === "stall") return;
      if (fault.kind === "garbage") response.write('data: {"broken": \n\n');
      if (fault.kind === "error_event") {
        write(response, encoder.errorFrame("Overloaded", fault.rateLimit === true));
        response.end();
        return;
      }
      if (fault.kind === "eof") {
        response.end();
        return;
      }
      if (fault.kind === "cut") {
        // Let what was written leave first, so that the cut comes in the middle.
        await pause(5);
        response.destroy();
        return;
      }
    }
    write(response, frame);
    if (answer.dripMs !== undefined) await pause(answer.dripMs);
  }
  response.end();
}

/** `port`: where one stood before that is gone now. */
export async function startWireServer(respond: Respond, port = 0): Promise<WireServer> {
  const state = { requests: [] as WireRequest[], open: 0, peakOpen: 0, abandoned: 0, respond };
  const handle = async (incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? "/", "http://wire");
    const body = await readBody(incoming);
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([key, value]) => [key, String(value)]));
    const embedding = embeddingAnswer(url.pathname, body);
    if (embedding !== undefined) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(embedding));
      return;
    }
    const protocol = protocolOf(url.pathname);
    if (protocol === undefined) {
      response.writeHead(404).end();
      return;
    }
    const model = typeof body["model"] === "string" ? body["model"] : (/models\/([^:]+):/.exec(url.pathname)?.[1] ?? "");
    const request: WireRequest = { n: state.requests.length + 1, protocol, model, path: url.pathname, headers, body };
    state.requests.push(request);
    state.open += 1;
    state.peakOpen = Math.max(state.peakOpen, state.open);
    // A client may have read the end, and asked again, before the response counts as closed here.
    let counted = true;
    const leave = (): void => {
      if (counted) state.open -= 1;
      counted = false;
    };
    response.on("prefinish", leave);
    response.on("close", () => {
      leave();
      if (!response.writableFinished) state.abandoned += 1;
    });
    const answer = await state.respond(request);
    // A client leaves a broken answer, and asks again, before this side hears of it.
    if (answer.fault !== undefined) leave();
    await send(response, ENCODERS[protocol], answer, request);
  };
  const server = http.createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    get requests() {
      return state.requests;
    },
    get open() {
      return state.open;
    },
    get peakOpen() {
      return state.peakOpen;
    },
    get abandoned() {
      return state.abandoned;
    },
    get respond() {
      return state.respond;
    },
    set respond(next: Respond) {
      state.respond = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
