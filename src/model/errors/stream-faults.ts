/** The ways a stream goes wrong, each with its own code (LLM-061…065). Those that time may mend are worth another try. */
import { SylkError } from "../../kernel/index.ts";

/** Stopped without its closing event, or sent something unreadable. */
export function brokenStream(message: string, cause?: unknown): SylkError {
  return new SylkError({ code: "MODEL_STREAM_BROKEN", tier: "transient", message, cause });
}

/** Nothing arrived for too long. */
export function stalledStream(idleMs: number): SylkError {
  return new SylkError({
    code: "MODEL_STREAM_STALLED",
    tier: "transient",
    message: `the model sent nothing for ${Math.round(idleMs / 1000)} s`,
    details: { idleMs },
  });
}

/** Ended properly, but with neither text nor a tool call. */
export function emptyAnswer(): SylkError {
  return new SylkError({ code: "MODEL_EMPTY_ANSWER", tier: "transient", message: "the model answered with an empty message" });
}

/** More than an answer may hold. The same question would be answered the same way, so it is not asked again. */
export function oversizedAnswer(what: "answer" | "arguments" | "calls" | "response", limit: number): SylkError {
  const { said, setting } = OVERSIZED[what];
  return new SylkError({
    code: "MODEL_ANSWER_TOO_LARGE",
    tier: "permanent",
    message: `the model's answer was cut off: ${said} more than ${limit}`,
    fix: `try again or use another model; if such answers are wanted, raise llm.stream.${setting}`,
    details: { what, limit },
  });
}

const OVERSIZED = {
  answer: { said: "its bytes are", setting: "max_answer_bytes" },
  arguments: { said: "the bytes of one tool call's arguments are", setting: "max_argument_bytes" },
  calls: { said: "its tool calls are", setting: "max_tool_calls" },
  response: { said: "the bytes of the response are", setting: "max_response_bytes" },
} as const;
