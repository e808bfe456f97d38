/**
 * The Api of a server, with the type it has in process. Whatever comes back is checked against its schema. Events go
 * on after the last position seen when the line is cut; a server that is gone is told as such, and nothing hangs.
 * Token and calls go only to a server that proved to know the token, and never where it would send them on to.
 */
import { z } from "zod";
import { isAbort, messageOf, SylkError, withDeadline, type Clock } from "../../kernel/index.ts";
import { type Api, calls, wire } from "../../protocol/api/index.ts";
import { readEventStream } from "./event-stream.ts";
import { isProven } from "./server-proof.ts";
import { errorFromWire, wireError } from "./wire-error.ts";

export interface ConnectOptions {
  url: string;
  token: string;
  clock: Clock;
}

/** How often a cut line of events is tried again without anything new on it. */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 100;
const PROOF_MS = 10_000;

const answered = z.union([z.object({ error: wireError }), z.object({ reply: z.unknown() })]);

const lost = (url: string, cause: unknown): SylkError =>
  new SylkError({
    code: "API_LOST",
    tier: "external_degrading",
    message: `the server at ${url} cannot be reached: ${messageOf(cause)}`,
    fix: "start it with `sylk serve`, or leave out --connect",
    cause,
  });

const unproven = (url: string): SylkError =>
  new SylkError({
    code: "API_REFUSED",
    tier: "user_fixable",
    message: `the server at ${url} does not know the token, so it is not yours; nothing was sent to it`,
    fix: "give the address that your own `sylk serve` printed; with SYLK_TOKEN, the token of that server",
  });

const isOurs = (error: unknown): boolean => error instanceof SylkError && error.code !== "API_LOST";

export function connectApi({ url, token, clock }: ConnectOptions): Api {
  const ask = async (path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> => {
    try {
      // Each time: another program may hold the port by now.
      const proof = { clock, timeoutMs: PROOF_MS, what: `the proof of the server at ${url}`, signal };
      if (!(await withDeadline(proof, (inner) => isProven(url, token, inner)))) throw unproven(url);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return await fetch(new URL(path, url), { ...init, headers, redirect: "error", signal: signal ?? null });
    } catch (error) {
      if (signal?.aborted === true || isAbort(error)) throw signal?.reason ?? error;
      if (isOurs(error)) throw error;
      throw lost(url, error);
    }
  };

  const post = async (
    kind: Parameters<typeof calls.find>[0],
    call: { type: string },
    signal: AbortSignal | undefined,
  ): Promise<unknown> => {
    const response = await ask(kind === "commands" ? "/send" : "/query", { method: "POST", body: JSON.stringify(call) }, signal);
    let said: z.infer<typeof answered>;
    try {
      said = answered.parse(JSON.parse(await response.text()));
    } catch (error) {
      signal?.throwIfAborted();
      throw lost(url, error);
    }
    if ("error" in said) throw errorFromWire(said.error);
    const known = await calls.find(kind, call.type);
    return known === undefined ? said.reply : known.output.parse(said.reply);
  };

  /** Yields what comes; returns true when the server said that it is all. */
  async function* listen<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): AsyncGenerator<T, boolean> {
    const response = await ask(path, {}, signal);
    if (!response.ok || response.body === null) {
      const said = z.object({ error: wireError }).safeParse(await response.json().catch(() => undefined));
      throw said.success ? errorFromWire(said.data.error) : lost(url, `status ${response.status}`);
    }
    try {
      for await (const { event, data } of readEventStream(response.body)) {
        if (event === "end") return true;
        if (event === "error") throw errorFromWire(wireError.parse(JSON.parse(data)));
        yield schema.parse(JSON.parse(data));
      }
    } catch (error) {
      if (!signal.aborted && isOurs(error)) throw error;
    }
    return false;
  }

  return {
    send: (command, signal) => post("commands", command, signal) as Promise<never>,
    query: (query, signal) => post("queries", query, signal) as Promise<never>,
    async *events(filter, after, signal) {
      let position = after;
      for (let tries = 0; !signal.aborted; tries += 1) {
        const query = new URLSearchParams({ filter: JSON.stringify(filter), after: String(position) });
        const stream = listen(`/events?${query.toString()}`, wire.event, signal);
        try {
          for (let next = await stream.next(); ; next = await stream.next()) {
            if (next.done === true) {
              if (next.value) return;
              break;
            }
            position = next.value.position;
            tries = 0;
            yield next.value;
          }
        } catch (error) {
          if (signal.aborted) return;
          if (isOurs(error) || tries >= MAX_TRIES) throw error;
        } finally {
          await stream.return(true);
        }
        if (tries >= MAX_TRIES) throw lost(url, "the line was cut again and again");
        await clock.sleep(FIRST_WAIT_MS * 2 ** tries, signal).catch(() => undefined);
      }
    },
    async *live(filter, signal) {
      const query = new URLSearchParams({ filter: JSON.stringify(filter) });
      try {
        yield* listen(`/live?${query.toString()}`, wire.livePart, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
  };
}
