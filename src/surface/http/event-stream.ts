/**
 * Server-sent events, both ways. A value is written when the reader has room for it and not before, so a slow reader
 * costs no memory; a comment now and then shows that the line still stands. The last event says how it ended: without
 * one it was cut.
 */
import type { Clock } from "../../kernel/index.ts";
import { errorToWire } from "./wire-error.ts";

/** Below what readers and proxies take for a dead line. */
export const HEARTBEAT_MS = 15_000;

export interface StreamOptions<T> {
  clock: Clock;
  /** The place to go on from, for those that have one. */
  idOf?: (value: T) => number;
  /** Ends what feeds the stream. */
  stop: AbortController;
}

const encoder = new TextEncoder();

export function eventStream<T>(values: AsyncIterable<T>, { clock, idOf, stop }: StreamOptions<T>): Response {
  const iterator = values[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<T>> | undefined;
  const take = async (): Promise<string | undefined> => {
    next ??= iterator.next();
    const waited = new AbortController();
    const tick = clock.sleep(HEARTBEAT_MS, waited.signal).then(
      () => undefined,
      () => undefined,
    );
    try {
      const got = await Promise.race([next, tick]);
      if (got === undefined) return ": still here\n\n";
      next = undefined;
      if (got.done === true) return undefined;
      const id = idOf === undefined ? "" : `id: ${idOf(got.value)}\n`;
      return `${id}data: ${JSON.stringify(got.value)}\n\n`;
    } finally {
      waited.abort();
    }
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Whoever connects knows at once that it listens.
      controller.enqueue(encoder.encode(": here\n\n"));
    },
    async pull(controller) {
      try {
        const text = await take();
        controller.enqueue(encoder.encode(text ?? "event: end\ndata: {}\n\n"));
        if (text === undefined) controller.close();
      } catch (error) {
        controller.enqueue(encoder.encode(`event: error\ndata: ${JSON.stringify(errorToWire(error))}\n\n`));
        controller.close();
      }
    },
    async cancel() {
      stop.abort();
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}

export interface ReadEvent {
  event: string;
  data: string;
}

/** The events of a body, without its comments. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) yield { event: field("event") ?? "message", data };
    }
  }
}
