import { cut, DEFAULT_USAGE, json, type Encoder, type Frame } from "./wire-types.ts";

export const openaiResponsesWire: Encoder = {
  frames(answer, request) {
    let sequence_number = 0;
    const frame = (data: { type: string; [key: string]: unknown }): Frame =>
      json(data.type, { ...data, sequence_number: sequence_number++ });
    const usage = answer.usage === undefined ? DEFAULT_USAGE : answer.usage;
    const base = {
      id: `resp_${request.n}`,
      object: "response",
      created_at: 1,
      model: request.model,
      output: [],
      error: null,
      incomplete_details: null,
    };
    const frames: Frame[] = [frame({ type: "response.created", response: { ...base, status: "in_progress" } })];
    let output_index = 0;
    const size = answer.pieceChars ?? 8;
    if (answer.text !== undefined) {
      const id = `msg_${request.n}`;
      frames.push(
        frame({
          type: "response.output_item.added",
          output_index,
          item: { type: "message", id, status: "in_progress", role: "assistant", content: [] },
        }),
      );
      frames.push(
        frame({
          type: "response.content_part.added",
          item_id: id,
          output_index,
          content_index: 0,
          part: { type: "output_text", text: "", annotations: [] },
        }),
      );
      for (const delta of cut(answer.text, size))
        frames.push(frame({ type: "response.output_text.delta", item_id: id, output_index, content_index: 0, delta, logprobs: [] }));
      frames.push(
        frame({ type: "response.output_text.done", item_id: id, output_index, content_index: 0, text: answer.text, logprobs: [] }),
      );
      frames.push(
        frame({
          type: "response.output_item.done",
          output_index,
          item: {
            type: "message",
            id,
            status: "completed",
            role: "assistant",
            content: [{ type: "output_text", text: answer.text, annotations: [] }],
          },
        }),
      );
      output_index += 1;
    }
    for (const [i, call] of (answer.toolCalls ?? []).entries()) {
      const id = `fc_${request.n}_${i}`;
      const args = JSON.stringify(call.input);
      const item = { type: "function_call", id, call_id: `call_${request.n}_${i}`, name: call.name };
      frames.push(frame({ type: "response.output_item.added", output_index, item: { ...item, arguments: "", status: "in_progress" } }));
      for (const delta of cut(args, 7))
        frames.push(frame({ type: "response.function_call_arguments.delta", item_id: id, output_index, delta }));
      frames.push(frame({ type: "response.function_call_arguments.done", item_id: id, output_index, arguments: args }));
      frames.push(frame({ type: "response.output_item.done", output_index, item: { ...item, arguments: args, status: "completed" } }));
      output_index += 1;
    }
    const wireUsage =
      usage === null
        ? null
        : {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            total_tokens: usage.input + usage.output,
          };
    const incomplete = answer.stop === "length";
    frames.push(
      frame({
        type: incomplete ? "response.incomplete" : "response.completed",
        response: {
          ...base,
          status: incomplete ? "incomplete" : "completed",
          incomplete_details: incomplete ? { reason: "max_output_tokens" } : null,
          usage: wireUsage,
        },
      }),
    );
    return frames;
  },
  errorBody: (status, message) => ({
    error: {
      message,
      type: status === 429 ? "rate_limit_error" : "server_error",
      param: null,
      code: status === 401 ? "invalid_api_key" : null,
    },
  }),
  errorFrame: (message) =>
    json("error", { type: "error", sequence_number: 99, error: { type: "server_error", code: "server_error", message, param: null } }),
};
