import { cut, DEFAULT_USAGE, json, type Encoder, type Frame } from "./wire-types.ts";

const typed = (data: { type: string; [key: string]: unknown }): Frame => json(data.type, data);

export const anthropicWire: Encoder = {
  frames(answer, request) {
    const usage = answer.usage === undefined ? DEFAULT_USAGE : answer.usage;
    const cached = { cache_creation_input_tokens: usage?.cacheWrite ?? 0, cache_read_input_tokens: usage?.cacheRead ?? 0 };
    const input = usage === null ? 0 : usage.input - cached.cache_creation_input_tokens - cached.cache_read_input_tokens;
    const calls = answer.toolCalls ?? [];
    const frames: Frame[] = [
      typed({
        type: "message_start",
        message: {
          id: `msg_${request.n}`,
          type: "message",
          role: "assistant",
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: input, output_tokens: 0, ...cached },
        },
      }),
    ];
    let index = 0;
    const block = (content_block: unknown, deltas: unknown[]): void => {
      frames.push(typed({ type: "content_block_start", index, content_block }));
      for (const delta of deltas) frames.push(typed({ type: "content_block_delta", index, delta }));
      frames.push(typed({ type: "content_block_stop", index }));
      index += 1;
    };
    const size = answer.pieceChars ?? 8;
    if (answer.reasoning !== undefined) {
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...cut(answer.reasoning, size).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: "sig" },
      ]);
    }
    if (answer.text !== undefined)
      block(
        { type: "text", text: "" },
        cut(answer.text, size).map((text) => ({ type: "text_delta", text })),
      );
    for (const [i, call] of calls.entries()) {
      block(
        { type: "tool_use", id: `toolu_${request.n}_${i}`, name: call.name, input: {} },
        cut(JSON.stringify(call.input), 7).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    }
    const stop_reason = answer.stop === "length" ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn";
    frames.push(
      typed({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage?.output ?? 0 } }),
    );
    frames.push(typed({ type: "message_stop" }));
    return frames;
  },
  errorBody: (status, message) => ({
    type: "error",
    error: {
      type:
        status === 529 ? "overloaded_error" : status === 429 ? "rate_limit_error" : status === 401 ? "authentication_error" : "api_error",
      message,
    },
  }),
  errorFrame: (message, rateLimit) =>
    typed({ type: "error", error: { type: rateLimit ? "rate_limit_error" : "overloaded_error", message } }),
};
