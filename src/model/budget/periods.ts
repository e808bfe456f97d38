/** Budget periods in UTC; a period is named by its first day. */
export type Period = "day" | "week" | "month" | "ever";

export interface PeriodBounds {
  /** Part of the counter's key. */
  name: string;
  /** Exclusive; Infinity for `ever`. */
  endsAt: number;
}

const DAY_MS = 86_400_000;

export function periodAt(period: Period, now: number): PeriodBounds {
  if (period === "ever") return { name: "ever", endsAt: Number.POSITIVE_INFINITY };
  const date = new Date(now);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  if (period === "day") return { name: nameOf(day), endsAt: day + DAY_MS };
  if (period === "week") {
    const monday = day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
    return { name: `week-${nameOf(monday)}`, endsAt: monday + 7 * DAY_MS };
  }
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return { name: `month-${nameOf(first)}`, endsAt: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) };
}

function nameOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
