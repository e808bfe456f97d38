/**
 * What a server sends is read up to a limit and no further, whatever it is: an answer, one line
 * without end, the body of an error. Beyond it the connection is closed.
 */
import type { ModelConfig } from "../config.ts";
import { oversizedAnswer } from "../errors/stream-faults.ts";

export type ResponseLimits = Pick<ModelConfig["stream"], "maxResponseBytes" | "maxAnswerBytes">;

const NEWLINE = 0x0a;

/** Passes bytes on and counts them. Of a stream of events, one line is kept in memory until it ends: it may not outgrow an answer. */
function counter({ maxResponseBytes, maxAnswerBytes }: ResponseLimits, events: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      // An error here cancels the body, and with it the connection.
      if (bytes > maxResponseBytes) throw oversizedAnswer("response", maxResponseBytes);
      const end = chunk.lastIndexOf(NEWLINE);
      line = end === -1 ? line + chunk.length : chunk.length - end - 1;
      if (events && line > maxAnswerBytes) throw oversizedAnswer("answer", maxAnswerBytes);
      controller.enqueue(chunk);
    },
  });
}

export function boundedFetch(limits: ResponseLimits): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const events = headers.get("content-type")?.includes("event-stream") === true;
    return new Response(response.body.pipeThrough(counter(limits, events)), { status, statusText, headers });
  };
}
