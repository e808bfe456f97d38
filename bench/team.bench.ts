/** Many requests at once in one process: all end, each with its share, and what memory that takes. */
import { runSessions, spread } from "../test/support/many-sessions.ts";
import { inTempDir } from "./measure.ts";
import type { BenchRow } from "./run.ts";

const SESSIONS = 20;
const PIECES = 10;

export async function run(): Promise<BenchRow[]> {
  return inTempDir(async (dir) => {
    const { endedMs, merged, files, peakBytes } = await runSessions(dir, SESSIONS, PIECES);
    const ratio = spread(endedMs);
    const all = SESSIONS * PIECES;
    const whole = Math.max(...endedMs) / 1_000;
    return [
      { name: "pieces merged, 20 requests at once", value: merged, unit: "pieces", target: `${all}`, met: merged === all && files === all },
      { name: "last against first of equal requests", value: ratio, unit: "x", target: "<= 1.5x", met: ratio <= 1.5 },
      { name: "pieces merged per minute", value: (merged / whole) * 60, unit: "/min", note: `${whole.toFixed(0)} s in all` },
      { name: "peak memory of the process", value: peakBytes / 1_048_576, unit: "MB" },
    ];
  });
}
