/** What a test tells the wire server to answer, the same for every protocol. */
export type Protocol = "anthropic" | "openai-chat" | "openai-responses" | "google";

export interface WireToolCall {
  name: string;
  input: unknown;
}

export interface WireUsage {
  /** All input, cached parts included. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

export type WireFault =
  /** The socket is destroyed after so many frames. */
  | { kind: "cut"; afterFrames: number }
  /** The body ends politely, without the closing frames. */
  | { kind: "eof"; afterFrames: number }
  /** An unreadable frame stands in the middle. */
  | { kind: "garbage"; afterFrames: number }
  /** The protocol's own error event stands in the middle. */
  | { kind: "error_event"; afterFrames: number; rateLimit?: boolean }
  /** Nothing more comes, the socket stays open. */
  | { kind: "stall"; afterFrames: number }
  /** Status 200 and not one byte. */
  | { kind: "empty_body" };

export interface WireAnswer {
  status?: number;
  /** Message of a refusal. */
  message?: string;
  headers?: Record<string, string>;
  text?: string;
  reasoning?: string;
  toolCalls?: WireToolCall[];
  usage?: WireUsage | null;
  stop?: "stop" | "length";
  fault?: WireFault;
  /** Waited before the status line. */
  delayMs?: number;
  /** Waited between frames. */
  dripMs?: number;
  /** Characters of text per frame. */
  pieceChars?: number;
}

export interface WireRequest {
  /** From 1, in order of arrival. */
  n: number;
  protocol: Protocol;
  model: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** One server-sent event. */
export interface Frame {
  event?: string;
  data: string;
}

export interface Encoder {
  frames(answer: WireAnswer, request: WireRequest): Frame[];
  errorBody(status: number, message: string): unknown;
  errorFrame(message: string, rateLimit: boolean): Frame;
}

export const DEFAULT_USAGE: WireUsage = { input: 21, output: 9 };

export function cut(text: string, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
  return out;
}

export function json(event: string | undefined, data: unknown): Frame {
  return { ...(event === undefined ? {} : { event }), data: JSON.stringify(data) };
}
