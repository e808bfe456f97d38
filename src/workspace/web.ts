/**
 * The one way an agent's work reads from the network without a program: one address, read up to a limit, within a
 * time, after the guard agreed. Nothing is sent but the address; a redirection is not followed.
 */
import { isAbort, messageOf } from "../kernel/index.ts";
import type { PermissionGate } from "./gate.ts";

export interface WebRequest {
  url: string;
  accept?: string | undefined;
  /** What is longer is cut. */
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export type WebOutcome =
  | { kind: "answered"; status: number; text: string }
  | { kind: "refused"; reason: string }
  | { kind: "unreachable"; reason: string };

export interface Web {
  get(request: WebRequest): Promise<WebOutcome>;
}

async function upTo(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    bytes += next.value.length;
    if (bytes < maxBytes) continue;
    await reader.cancel();
    break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes).toString("utf8");
}

/** For programs that speak HTTP by themselves, to an address the user wrote down: no answer is longer than the limit. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.length;
          if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return Object.defineProperty(new Response(counted, { status, statusText, headers }), "url", { value: response.url });
  };
}

export function createWeb(gate: PermissionGate): Web {
  return {
    async get({ url, accept = "application/json", maxBytes, timeoutMs, signal }) {
      const decision = await gate.decide({ kind: "connect", target: url, method: "read" }, signal);
      if (decision.kind === "deny") return { kind: "refused", reason: decision.reason };
      try {
        const response = await fetch(url, {
          headers: { accept, "user-agent": "sylk" },
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        return { kind: "answered", status: response.status, text: await upTo(response.body, maxBytes) };
      } catch (error) {
        if (signal.aborted && isAbort(error)) throw error;
        const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
        return { kind: "unreachable", reason: `${messageOf(error)}${cause}` };
      }
    },
  };
}
