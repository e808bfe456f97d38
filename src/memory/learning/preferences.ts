/** What the user prefers: said, observed, or for this session only (EFF-060…063). Folded from the journal. */
import { z } from "zod";
import { defineEvent, type Journal, type JournalEvent, type NewEvent, type View } from "../../journal/index.ts";
import { learn, type Implicit } from "./learn-preference.ts";

export const PREFERENCE_CATEGORIES = ["code_style", "ui", "workflow", "tools"] as const;

/** `<category>.<name>`: names are finer than the categories. */
export function isPreferenceKey(key: string): boolean {
  return PREFERENCE_CATEGORIES.some((category) => key.startsWith(`${category}.`)) && /^[a-z_]+\.[a-z0-9_]+$/.test(key);
}

export const preferenceSet = defineEvent("preference.set", z.object({ key: z.string(), value: z.string() }));
export const preferenceObserved = defineEvent(
  "preference.observed",
  z.object({ key: z.string(), suggestion: z.string(), response: z.enum(["accepted", "rejected"]), evidence: z.string() }),
);
export const preferenceForgotten = defineEvent("preference.forgotten", z.object({ key: z.string() }));

export interface Preferences {
  explicit: Record<string, string>;
  implicit: Record<string, Implicit>;
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

/** What would be known after these, without keeping them. */
export function foldPreferences(now: Preferences, events: readonly NewEvent[], at: number): Preferences {
  return events.reduce<Preferences>((state, event) => preferenceView.reduce(state, { ...event, at } as JournalEvent, STREAM) ?? state, now);
}

export async function readPreferences(journal: Journal): Promise<Preferences> {
  return (await journal.get(preferenceView, STREAM)) ?? { explicit: {}, implicit: {} };
}

/** Override of this session, else what was said, else what was observed. */
export function resolvePreference(preferences: Preferences, key: string, overrides: Record<string, string> = {}): string | undefined {
  return overrides[key] ?? preferences.explicit[key] ?? preferences.implicit[key]?.value;
}

export const preferenceStream = STREAM;
