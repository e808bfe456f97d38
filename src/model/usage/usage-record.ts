/**
 * One record per provider call, also for failed, preempted and stopped ones (LLM-092). The journal's
 * records are the truth about spending; every report is a sum over them.
 */

export const NANO = 1_000_000_000;

/** All records of a session stand in one stream. */
export function usageStream(session: string): string {
  return `usage/${session}`;
}
