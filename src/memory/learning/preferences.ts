/** What the user prefers: said, observed, or for this session only (EFF-060…063). Folded from the journal. */
import { z } from "zod";
import { defineEvent, type Journal, type View } from "../../journal/index.ts";

export const PREFERENCE_CATEGORIES = ["code_style", "ui", "workflow", "tools"] as const;

export const preferenceSet = defineEvent("preference.set", z.object({ key: z.string(), value: z.string() }));
export const preferenceObserved = defineEvent(
  "preference.observed",
  z.object({ key: z.string(), suggestion: z.string(), response: z.enum(["accepted", "rejected"]), evidence: z.string() }),
);
export const preferenceForgotten = defineEvent("preference.forgotten", z.object({ key: z.string() }));

export interface Implicit {
  value: string;
  confidence: number;
  evidence: string[];
  observed_at: number;
}

export interface Preferences {
  explicit: Record<string, string>;
  implicit: Record<string, Implicit>;
}

export const LEARNING = { rise: 0.1, fall: 0.2, first: 0.6, evidence: 20 } as const;
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

const STREAM = "preferences";

export const preferenceView: View<Preferences> = {
  name: "preference",
  version: 1,
  types: [preferenceSet.type, preferenceObserved.type, preferenceForgotten.type],
  key: () => STREAM,
  reduce(state, event) {
    const now: Preferences = state ?? { explicit: {}, implicit: {} };
    if (preferenceSet.is(event)) return { ...now, explicit: { ...now.explicit, [event.payload.key]: event.payload.value } };
    if (preferenceForgotten.is(event)) {
      const { [event.payload.key]: _e, ...explicit } = now.explicit;
      const { [event.payload.key]: _i, ...implicit } = now.implicit;
      return { explicit, implicit };
    }
    if (!preferenceObserved.is(event)) return now;
    const { key, suggestion, response, evidence } = event.payload;
    const next = learn(now.implicit[key], suggestion, response, evidence, event.at);
    const { [key]: _old, ...rest } = now.implicit;
    return { ...now, implicit: next === undefined ? rest : { ...rest, [key]: next } };
  },
};

export async function readPreferences(journal: Journal): Promise<Preferences> {
  return (await journal.get(preferenceView, STREAM)) ?? { explicit: {}, implicit: {} };
}

/** Override of this session, else what was said, else what was observed. */
export function resolvePreference(preferences: Preferences, key: string, overrides: Record<string, string> = {}): string | undefined {
  return overrides[key] ?? preferences.explicit[key] ?? preferences.implicit[key]?.value;
}

export const preferenceStream = STREAM;
