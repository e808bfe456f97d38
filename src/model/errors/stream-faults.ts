/** The ways a stream goes wrong, each with its own code (LLM-061…065). All are worth another try. */
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
