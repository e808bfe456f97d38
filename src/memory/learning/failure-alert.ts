/** How loudly a known failure is told: by how often it was seen, and whether this very work ran into it twice. */

interface Failure {
  pattern: string;
  error: string;
  fix: string;
  occurrences: number;
  /** How often it was seen in which session. */
  sessions: Readonly<Record<string, number>>;
}

/** From how many times on. */
const SEEN = { similar: 2, recurring: 5, inOneSession: 2 } as const;

type FailureLabel = "note" | "SIMILAR FAILURE DETECTED" | "RECURRING FAILURE" | "REPEATED FAILURE";

export const isRepeated = ({ sessions }: Pick<Failure, "sessions">, session: string): boolean =>
  (sessions[session] ?? 0) >= SEEN.inOneSession;

function labelOf({ occurrences, sessions }: Pick<Failure, "occurrences" | "sessions">, session?: string): FailureLabel {
  if (session !== undefined && isRepeated({ sessions }, session)) return "REPEATED FAILURE";
  if (occurrences >= SEEN.recurring) return "RECURRING FAILURE";
  return occurrences >= SEEN.similar ? "SIMILAR FAILURE DETECTED" : "note";
}

const ADVICE: Readonly<Record<Exclude<FailureLabel, "note">, string>> = {
  "SIMILAR FAILURE DETECTED": "proceed with caution",
  "RECURRING FAILURE": "change the approach",
  "REPEATED FAILURE": "it failed in this very work already: stop and ask for help",
};

/** Approach, error, what helped, how often; from the second time on also how grave that is and what to do. */
export function alertText(one: Failure, session?: string): string {
  const label = labelOf(one, session);
  const told = `${one.pattern}: ${one.error}. What helped: ${one.fix === "" ? "nothing known" : one.fix}`;
  if (label === "note") return `${told} (1×)`;
  const advice = one.fix === "" || label === "REPEATED FAILURE" ? ADVICE[label] : `do what helped instead; else ${ADVICE[label]}`;
  return `${label} (${one.occurrences}×): ${told}. Recommendation: ${advice}`;
}
