/** Two rankings of the same cases compared: how good each is, and how far the difference can be trusted. */
import { seeded } from "./repository-cases.ts";

export interface Rates {
  recall: number;
  mrr: number;
}

const K = 10;
const RESAMPLES = 2_000;

export function ratesOf(got: readonly string[], wanted: ReadonlySet<string>): Rates {
  const first = got.slice(0, K).findIndex((one) => wanted.has(one));
  return {
    recall: got.slice(0, K).filter((one) => wanted.has(one)).length / Math.min(K, wanted.size),
    mrr: first === -1 ? 0 : 1 / (first + 1),
  };
}

export function meanRates(rates: readonly Rates[]): Rates {
  const mean = (of: (one: Rates) => number): number => rates.reduce((sum, one) => sum + of(one), 0) / Math.max(1, rates.length);
  return { recall: mean((one) => one.recall), mrr: mean((one) => one.mrr) };
}

export interface Interval {
  mean: number;
  low: number;
  high: number;
}

/** Mean difference with the middle 95 of 100 of what resampling the cases gives. */
export function interval(differences: readonly number[]): Interval {
  const random = seeded(104_729);
  const meanOf = (pick: () => number): number => {
    let sum = 0;
    for (let i = 0; i < differences.length; i += 1) sum += pick();
    return sum / Math.max(1, differences.length);
  };
  let at = 0;
  const mean = meanOf(() => differences[at++] as number);
  const means = Array.from({ length: RESAMPLES }, () =>
    meanOf(() => differences[Math.floor(random() * differences.length)] as number),
  ).sort((a, b) => a - b);
  return { mean, low: means[Math.floor(RESAMPLES * 0.025)] as number, high: means[Math.floor(RESAMPLES * 0.975)] as number };
}
