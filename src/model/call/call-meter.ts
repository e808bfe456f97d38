/**
 * Estimates before, counts after. What a call may cost is what budgets are asked for; what it did
 * cost is what the journal gets: reported where the provider reports, counted here where it does not.
 */
import { costOf, type ModelInfo } from "../catalogue/catalogue.ts";
import type { Spend } from "../budget/budgets.ts";
import type { Target } from "../catalogue/target.ts";
import { roughTokens, type Calibration } from "../tokens/calibration.ts";
import { conversationOf, countRequestTokens, countTokens } from "../tokens/count-tokens.ts";
import type { AttemptOutcome } from "../stream/run-attempt.ts";
import type { ModelRequest, Usage } from "../types.ts";

const EXACT_CHARS = 1_000_000;

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    estimated: a.estimated || b.estimated,
  };
}

export interface Estimate {
  input: number;
  output: number;
}

export function estimateCall(request: ModelRequest, target: Target, calibration: Calibration): Estimate {
  const rough = (): number =>
    roughTokens([...conversationOf(request).map((message) => message.content), ...request.tools.map((tool) => JSON.stringify(tool))]);
  const input = request.inputTokens === undefined ? rough() : Math.ceil(request.inputTokens * calibration.ratio(target));
  const output =
    request.tokenEstimate === undefined
      ? request.maxOutputTokens
      : Math.min(request.maxOutputTokens, Math.max(0, request.tokenEstimate - input));
  return { input, output };
}

export function spendOf(estimate: Estimate, info: ModelInfo): Spend {
  // Writing the cache costs more than plain input, and nobody knows yet what will be written.
  const inputPrice = Math.max(info.inputPrice, info.cacheWritePrice);
  return { tokens: estimate.input + estimate.output, usd: (estimate.input * inputPrice + estimate.output * info.outputPrice) / 1_000_000 };
}

export function spentBy(usage: Usage, info: ModelInfo): Spend {
  return { tokens: usage.inputTokens + usage.outputTokens, usd: costOf(usage, info) };
}

/** Counting exactly what was cut off for its size would take longer than reading it. */
function countGenerated(text: string): number {
  return text.length > EXACT_CHARS ? roughTokens([text]) : countTokens(text);
}

/** A refused call costs nothing; a broken one costs its input and what it had generated. */
export function usageOf(outcome: AttemptOutcome, request: ModelRequest, target: Target, calibration: Calibration): Usage {
  const reported = outcome.accumulator.finish?.usage;
  if (reported !== undefined) return reported;
  if (outcome.kind !== "complete" && outcome.accumulator.parts === 0) return NO_USAGE;
  const ratio = calibration.ratio(target);
  return {
    ...NO_USAGE,
    inputTokens: Math.ceil((request.inputTokens ?? countRequestTokens(request)) * ratio),
    outputTokens: Math.ceil(countGenerated(outcome.accumulator.generated) * ratio),
    estimated: true,
  };
}
