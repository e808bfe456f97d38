/**
 * The attacker is the model's server, or whoever stands in for it: it sends without end, in every place
 * where an answer can grow. It wants the memory and the disk of this machine. Each answer must be cut at its
 * limit, the connection closed by us, and the call ended once, with words, and not made again.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { modelConfigSchema, openModelGate, type ModelResult } from "../../../src/model/index.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { modelRequest, never, openTestGate } from "../../support/model-gate.ts";

const MB = 1024 * 1024;
/** What may be on its way when the limit is reached: socket buffers of both sides. */
const IN_FLIGHT = 16 * MB;

interface Flood {
  url: string;
  requests: number;
  bytes: number;
  /** Resolves when the client closed the connection. */
  closed: Promise<void>;
}

/** Sends `head`, then what `next` gives, as fast as it is read, until the client leaves. Never ends by itself. */
async function flood(head: string, next: (n: number) => string, status = 200, type = "text/event-stream"): Promise<Flood> {
  const closed = Promise.withResolvers<void>();
  const state: Flood = { url: "", requests: 0, bytes: 0, closed: closed.promise };
  const server = http.createServer((request, response) => {
    state.requests += 1;
    request.resume();
    response.on("close", closed.resolve);
    response.on("error", () => undefined);
    response.writeHead(status, { "content-type": type });
    response.write(head);
    let n = 0;
    const go = (): void => {
      while (!response.destroyed) {
        const text = next(n++);
        state.bytes += text.length;
        if (!response.write(text)) break;
      }
    };
    response.on("drain", go);
    go();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function ask(kind: string, base: string, stream: Record<string, number> = {}): Promise<ModelResult> {
  const config = modelConfigSchema.parse({ providers: { x: { kind, base_url: base } }, stream });
  const gate = openModelGate({ config, env: {}, clock: systemClock, cwd: ".", redact: (text) => text });
  onTestFinished(() => gate[Symbol.asyncDispose]());
  return gate.stream(modelRequest({ model: "x/m" }), never).result();
}

const frame = (value: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`;
const PIECE = "x".repeat(4_000);
const chat = (delta: object): string =>
  frame({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] });
const toolDelta = (index: number, name: string | undefined, text: string): string =>
  chat({
    tool_calls: [
      {
        index,
        ...(name === undefined ? {} : { id: `call_${index}`, type: "function" }),
        function: { ...(name === undefined ? {} : { name }), arguments: text },
      },
    ],
  });

const ANTHROPIC_HEAD =
  frame(
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    "message_start",
  ) + frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, "content_block_start");

const ENDLESS_TEXT: [kind: string, base: string, head: string, next: (n: number) => string][] = [
  ["openai-chat", "/v1", "", () => chat({ content: PIECE })],
  ["compatible", "/v1", "", () => chat({ reasoning_content: PIECE })],
  [
    "anthropic",
    "/v1",
    ANTHROPIC_HEAD,
    () => frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: PIECE } }, "content_block_delta"),
  ],
  ["google", "/v1beta", "", () => frame({ candidates: [{ content: { role: "model", parts: [{ text: PIECE }] }, index: 0 }] })],
];

test.each(ENDLESS_TEXT)("M8: a %s answer without end is cut at its limit and the connection closed", async (kind, base, head, next) => {
  const server = await flood(head, next);
  const result = await ask(kind, `${server.url}${base}`);
  await server.closed;
  expect(result).toMatchObject({
    kind: "failed",
    attempts: 1,
    error: { code: "MODEL_ANSWER_TOO_LARGE", tier: "permanent", fix: expect.stringContaining("llm.stream.max_answer_bytes") },
  });
  expect(server.requests).toBe(1);
  expect(server.bytes).toBeLessThan(8 * MB * 1.3 + IN_FLIGHT);
});

test("V15 M8: arguments without end are cut, and the unfinished call is never handed on", async () => {
  const server = await flood(toolDelta(0, "write_file", '{"path":"a","content":"'), () => toolDelta(0, undefined, PIECE));
  const result = await ask("openai-chat", `${server.url}/v1`);
  await server.closed;
  expect(result).toMatchObject({
    kind: "failed",
    attempts: 1,
    error: { code: "MODEL_ANSWER_TOO_LARGE", details: { what: "arguments" } },
    partial: { toolCalls: [] },
  });
  expect(server.bytes).toBeLessThan(2 * MB * 1.3 + IN_FLIGHT);
});

test("M8: calls without end stop at the sixty-fifth", async () => {
  const server = await flood("", (n) => toolDelta(n, "read_file", '{"path":"a"}'));
  const result = await ask("openai-chat", `${server.url}/v1`);
  await server.closed;
  expect(result).toMatchObject({
    kind: "failed",
    attempts: 1,
    error: { code: "MODEL_ANSWER_TOO_LARGE", details: { what: "calls", limit: 64 } },
  });
});

test("M8: one line without end is not gathered in memory", async () => {
  const server = await flood('data: {"choices":[{"delta":{"content":"', () => PIECE);
  const result = await ask("openai-chat", `${server.url}/v1`, { max_answer_bytes: MB });
  await server.closed;
  expect(result).toMatchObject({ kind: "failed", attempts: 1, error: { code: "MODEL_ANSWER_TOO_LARGE" } });
  expect(server.bytes).toBeLessThan(MB + IN_FLIGHT);
});

test.each([
  ["empty events", () => ": still there\n\n".repeat(300), 200, "text/event-stream"],
  ["the body of an error", () => PIECE, 500, "application/json"],
])("M8: %s without end are read up to the limit of a response", async (_, next, status, type) => {
  const server = await flood("", next, status, type);
  const result = await ask("openai-chat", `${server.url}/v1`, { max_response_bytes: 4 * MB });
  await server.closed;
  expect(result).toMatchObject({
    kind: "failed",
    attempts: 1,
    error: { code: "MODEL_ANSWER_TOO_LARGE", fix: expect.stringContaining("max_response_bytes") },
  });
  expect(server.requests).toBe(1);
  expect(server.bytes).toBeLessThan(4 * MB + IN_FLIGHT);
});

test("M8: the limits hold for every provider, and what is allowed passes whole", async () => {
  const calls = (count: number, chars: number) =>
    Array.from({ length: count }, () => ({ name: "write_file", input: { text: "y".repeat(chars) } }));
  const rules = (count: number, chars: number) => [{ when: {}, answer: { text: "here", tool_calls: calls(count, chars) } }];
  const whole = await openTestGate({ rules: rules(64, 1_000) })
    .stream(modelRequest(), never)
    .result();
  expect(whole).toMatchObject({ kind: "ok" });
  expect(whole.kind === "ok" && whole.toolCalls.length).toBe(64);
  const large = await openTestGate({ rules: rules(1, MB) })
    .stream(modelRequest(), never)
    .result();
  expect(large).toMatchObject({ kind: "ok", toolCalls: [{ name: "write_file" }] });
  for (const [count, chars] of [
    [65, 10],
    [1, 3 * MB],
  ] as const)
    expect(
      await openTestGate({ rules: rules(count, chars) })
        .stream(modelRequest(), never)
        .result(),
    ).toMatchObject({ kind: "failed", error: { code: "MODEL_ANSWER_TOO_LARGE" } });
});
