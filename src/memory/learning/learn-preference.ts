/** How one piece of feedback moves an observed preference (EFF-061). */
export interface Implicit {
  value: string;
  confidence: number;
  evidence: string[];
  observed_at: number;
}

const LEARNING = { rise: 0.1, fall: 0.2, first: 0.6, evidence: 20 } as const;
const round = (value: number): number => Math.round(value * 1e6) / 1e6;

/** One piece of feedback. A strong opposite preference is weakened first, not overwritten. */
export function learn(
  known: Implicit | undefined,
  suggestion: string,
  response: "accepted" | "rejected",
  evidence: string,
  at: number,
): Implicit | undefined {
  const fresh: Implicit = { value: suggestion, confidence: LEARNING.first, evidence: [evidence], observed_at: at };
  if (known === undefined) return response === "accepted" ? fresh : undefined;
  if (known.value === suggestion) {
    const confidence = round(
      response === "accepted" ? Math.min(known.confidence + LEARNING.rise, 1) : Math.max(known.confidence - LEARNING.fall, 0),
    );
    if (confidence === 0) return undefined;
    return {
      ...known,
      confidence,
      evidence: response === "accepted" ? [...known.evidence, evidence].slice(-LEARNING.evidence) : known.evidence,
      observed_at: at,
    };
  }
  if (response === "rejected") return known;
  return known.confidence <= LEARNING.first ? fresh : { ...known, confidence: round(known.confidence - LEARNING.fall) };
}
