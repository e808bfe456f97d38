/**
 * The recorded call that a request comes nearest to. Role, phase and step say where in the work it stands; the lines both
 * share say whose work it is, so that of several that run at once each hears its own answers, in whatever order they ask.
 * A line that stands in every recorded request tells nothing, one that stands in few tells much.
 */
import type { ProviderCall } from "../providers/types.ts";
import type { CassetteEntry } from "./cassette-file.ts";
import type { ComparableRequest } from "./describe-mismatch.ts";

export type FindNearest = (
  facts: ProviderCall["facts"],
  request: ComparableRequest,
  used: ReadonlySet<CassetteEntry>,
) => CassetteEntry | undefined;

/** As much as all facts together. */
const SHARED = 16;

function linesOf({ messages }: ComparableRequest): Set<string> {
  const newest = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return new Set(newest.split("\n").filter((line) => line.trim() !== ""));
}

export function findNearest(entries: readonly CassetteEntry[]): FindNearest {
  const recorded = entries.map((entry) => ({ entry, lines: linesOf(entry.request) }));
  const spread = new Map<string, number>();
  for (const { lines } of recorded) for (const line of lines) spread.set(line, (spread.get(line) ?? 0) + 1);
  const worth = (lines: Iterable<string>): number => {
    let sum = 0;
    for (const line of lines) sum += Math.log((entries.length + 1) / (spread.get(line) ?? 1));
    return sum;
  };
  return ({ role, phase, purpose, step }, request, used) => {
    const now = linesOf(request);
    const all = worth(now);
    let best: { entry: CassetteEntry; score: number } | undefined;
    for (const { entry, lines } of recorded) {
      const score =
        (entry.role === role ? 8 : 0) +
        (entry.phase === phase ? 4 : 0) +
        (entry.purpose === purpose ? 2 : 0) +
        (entry.step === step ? 2 : 0) +
        (used.has(entry) ? 0 : 1) +
        (SHARED * 2 * worth(now.intersection(lines))) / Math.max(1, all + worth(lines));
      if (best === undefined || score > best.score) best = { entry, score };
    }
    return best?.entry;
  };
}
