import { cut, DEFAULT_USAGE, json, type Encoder, type Frame } from "./wire-types.ts";

export const googleWire: Encoder = {
  frames(answer, request) {
    const usage = answer.usage === undefined ? DEFAULT_USAGE : answer.usage;
    const chunk = (parts: unknown[], extra: object = {}, more: object = {}): Frame =>
      json(undefined, {
        candidates: [{ content: { role: "model", parts }, index: 0, ...extra }],
        modelVersion: request.model,
        responseId: `r${request.n}`,
        ...more,
      });
    const frames: Frame[] = [];
    const size = answer.pieceChars ?? 8;
    for (const text of cut(answer.reasoning ?? "", size)) frames.push(chunk([{ text, thought: true }]));
    for (const text of cut(answer.text ?? "", size)) frames.push(chunk([{ text }]));
    for (const call of answer.toolCalls ?? []) frames.push(chunk([{ functionCall: { name: call.name, args: call.input } }]));
    const usageMetadata =
      usage === null
        ? {}
        : {
            usageMetadata: {
              promptTokenCount: usage.input,
              candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
              thoughtsTokenCount: usage.reasoning ?? 0,
              cachedContentTokenCount: usage.cacheRead ?? 0,
              totalTokenCount: usage.input + usage.output,
            },
          };
    frames.push(chunk([{ text: "" }], { finishReason: answer.stop === "length" ? "MAX_TOKENS" : "STOP" }, usageMetadata));
    return frames;
  },
  errorBody: (status, message) => ({
    error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : status === 401 ? "UNAUTHENTICATED" : "INTERNAL" },
  }),
  errorFrame: (message) => json(undefined, { error: { code: 503, message, status: "UNAVAILABLE" } }),
};
