/**
 * How long a command may run (TOO-010, TOO-011): past its base time it lives on only while it says
 * something meaningful, and never past the maximum. Spinners, dots and bare percentages say nothing.
 */
import type { Clock } from "../../kernel/index.ts";

export interface TimeoutRules {
  baseMs: number;
  extendOnOutputMs: number;
  maxMs: number;
}

const NOISE = [/^\.*$/u, /^[|/\-\\⠀-⣿◐◓◑◒▁-█\s]+$/u, /^\d{1,3}(?:\.\d+)?\s*%$/u, /^\[?[=#>.\-\s]*\]?\s*\d{1,3}%?$/u];

function isNoise(line: string): boolean {
  const text = line.trim();
  return NOISE.some((pattern) => pattern.test(text));
}

export interface AdaptiveTimeout {
  heard(line: string): void;
  /** Undefined while the command may go on. */
  verdict(): "idle" | "max" | undefined;
  /** Milliseconds until the verdict can change at the earliest. */
  nextCheckMs(): number;
}

export function createAdaptiveTimeout(rules: TimeoutRules, clock: Clock): AdaptiveTimeout {
  const started = clock.monotonic();
  let lastMeaningful = -Infinity;
  const deadline = (): number => Math.min(rules.maxMs, Math.max(rules.baseMs, lastMeaningful - started + rules.extendOnOutputMs));
  return {
    heard(line) {
      if (!isNoise(line)) lastMeaningful = clock.monotonic();
    },
    verdict() {
      const elapsed = clock.monotonic() - started;
      if (elapsed >= rules.maxMs) return "max";
      return elapsed >= deadline() ? "idle" : undefined;
    },
    nextCheckMs: () => Math.max(1, Math.ceil(deadline() - (clock.monotonic() - started))),
  };
}
