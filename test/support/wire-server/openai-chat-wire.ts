import { cut, DEFAULT_USAGE, json, type Encoder, type Frame } from "./wire-types.ts";

export const openaiChatWire: Encoder = {
  frames(answer, request) {
    const chunk = (choices: unknown[], extra: object = {}): Frame =>
      json(undefined, {
        id: `chatcmpl-${request.n}`,
        object: "chat.completion.chunk",
        created: 1,
        model: request.model,
        choices,
        ...extra,
      });
    const delta = (value: object): Frame => chunk([{ index: 0, delta: value, finish_reason: null }]);
    const usage = answer.usage === undefined ? DEFAULT_USAGE : answer.usage;
    const calls = answer.toolCalls ?? [];
    const frames: Frame[] = [delta({ role: "assistant", content: "" })];
    const size = answer.pieceChars ?? 8;
    for (const piece of cut(answer.reasoning ?? "", size)) frames.push(delta({ reasoning_content: piece }));
    for (const content of cut(answer.text ?? "", size)) frames.push(delta({ content }));
    for (const [index, call] of calls.entries()) {
      frames.push(
        delta({
          tool_calls: [{ index, id: `call_${request.n}_${index}`, type: "function", function: { name: call.name, arguments: "" } }],
        }),
      );
      for (const piece of cut(JSON.stringify(call.input), 7))
        frames.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
    frames.push(
      chunk([{ index: 0, delta: {}, finish_reason: answer.stop === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop" }]),
    );
    if (usage !== null) {
      frames.push(
        chunk([], {
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
            completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
          },
        }),
      );
    }
    frames.push({ data: "[DONE]" });
    return frames;
  },
  errorBody: (status, message) => ({
    error: {
      message,
      type: status === 429 ? "rate_limit_error" : status === 401 ? "invalid_request_error" : "server_error",
      code: status === 401 ? "invalid_api_key" : null,
    },
  }),
  errorFrame: (message) => json(undefined, { error: { message, type: "server_error", code: "server_error" } }),
};
