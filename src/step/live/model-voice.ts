/**
 * What models say, as live parts: secrets out before anything leaves, the tail of a word held back until it is whole,
 * so that none passes in two halves. Models are watched only while somebody listens.
 */
import type { ModelGate } from "../../model/index.ts";
import type { LivePart } from "../../protocol/api/index.ts";
import type { LiveHub } from "./live-hub.ts";

type Watched = ReturnType<ModelGate["watch"]> extends AsyncIterable<infer T> ? T : never;

/** A word longer than this is let go: a secret is shorter. */
const MAX_HELD_CHARS = 2_000;

interface Cost {
  calls: number;
  input: number;
  output: number;
  cost_usd: number;
}

export function createModelVoice({
  sink,
  redact,
}: {
  sink: LiveHub["sink"];
  redact: (text: string) => string;
}): (watched: Watched) => void {
  const held = new Map<string, string>();
  const providers = new Map<string, string>();
  const costs = new Map<string, Cost>();

  const say = ({ callId, task, role }: Watched, text: string, whole: boolean): void => {
    const all = (held.get(callId) ?? "") + text;
    const end = whole || all.length > MAX_HELD_CHARS ? all.length : all.search(/\S*$/u);
    held.set(callId, all.slice(end));
    if (end > 0) sink({ type: "text", task, role, text: redact(all.slice(0, end)) });
  };

  return (watched) => {
    const { callId, task, role, part } = watched;
    switch (part.type) {
      case "start":
        providers.set(callId, part.provider);
        sink({ type: "asking", task, role, provider: part.provider, model: part.model, attempt: part.attempt });
        return;
      case "text":
        say(watched, part.text, false);
        return;
      case "restart": {
        held.delete(callId);
        const { reason: why, error, waitMs } = part;
        const reason = redact(error?.message ?? (why === "preempted" ? "something more urgent came first" : why));
        const retry: LivePart = { type: "retry", task, provider: providers.get(callId) ?? "", why, reason, wait_ms: Math.ceil(waitMs) };
        sink(error === undefined ? retry : { ...retry, tier: error.tier });
        return;
      }
      case "end":
      case "error": {
        say(watched, "", true);
        held.delete(callId);
        providers.delete(callId);
        const { usage, costUsd, attempts } = part.result;
        const sum = costs.get(task) ?? { calls: 0, input: 0, output: 0, cost_usd: 0 };
        const now = {
          calls: sum.calls + attempts,
          input: sum.input + usage.inputTokens,
          output: sum.output + usage.outputTokens,
          cost_usd: sum.cost_usd + costUsd,
        };
        costs.set(task, now);
        sink({ type: "cost", task, ...now });
        return;
      }
      default:
        return;
    }
  };
}
