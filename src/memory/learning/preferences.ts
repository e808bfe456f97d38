/** What the user prefers: said, observed, or for this session only (EFF-060…063). Folded from the journal. */
import { unreachable } from "../../kernel/index.ts";
import type { Journal, View } from "../../journal/index.ts";
import { EVENTS, decode, typesOf, type JournalEvent, type NewEvent } from "../../protocol/events/index.ts";
import { learn, type Implicit } from "./learn-preference.ts";

export const PREFERENCE_CATEGORIES = ["code_style", "ui", "workflow", "tools"] as const;

/** `<category>.<name>`: names are finer than the categories. */
export function isPreferenceKey(key: string): boolean {
  return PREFERENCE_CATEGORIES.some((category) => key.startsWith(`${category}.`)) && /^[a-z_]+\.[a-z0-9_]+$/.test(key);
}

export interface Preferences {
  explicit: Record<string, string>;
  implicit: Record<string, Implicit>;
}

const STREAM = "preferences";

export const preferenceView: View<Preferences> = {
  name: "preference",
  version: 1,
  types: typesOf(EVENTS.preference),
  key: () => STREAM,
  reduce(state, happened) {
    const now: Preferences = state ?? { explicit: {}, implicit: {} };
    const event = decode(EVENTS.preference, happened);
    switch (event?.type) {
      case "preference.set":
        return { ...now, explicit: { ...now.explicit, [event.payload.key]: event.payload.value } };
      case "preference.forgotten": {
        const { [event.payload.key]: _e, ...explicit } = now.explicit;
        const { [event.payload.key]: _i, ...implicit } = now.implicit;
        return { explicit, implicit };
      }
      case "preference.observed": {
        const { key, suggestion, response, evidence } = event.payload;
        const next = learn(now.implicit[key], suggestion, response, evidence, event.at);
        const { [key]: _old, ...rest } = now.implicit;
        return { ...now, implicit: next === undefined ? rest : { ...rest, [key]: next } };
      }
      case undefined:
        return now;
      default:
        return unreachable(event);
    }
  },
};

/** What would be known after these, without keeping them. */
export function foldPreferences(now: Preferences, events: readonly NewEvent[], at: number): Preferences {
  return events.reduce<Preferences>(
    (state, event) => preferenceView.reduce(state, { ...event, at } as unknown as JournalEvent, STREAM) ?? state,
    now,
  );
}

export async function readPreferences(journal: Journal): Promise<Preferences> {
  return (await journal.get(preferenceView, STREAM)) ?? { explicit: {}, implicit: {} };
}

/** Override of this session, else what was said, else what was observed. */
export function resolvePreference(preferences: Preferences, key: string, overrides: Record<string, string> = {}): string | undefined {
  return overrides[key] ?? preferences.explicit[key] ?? preferences.implicit[key]?.value;
}

export const preferenceStream = STREAM;
