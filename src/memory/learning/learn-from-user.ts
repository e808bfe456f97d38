/** What is known of the user and of past mistakes, for surfaces. */
import { SylkError, type Clock } from "../../kernel/index.ts";
import { oneOf } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import { alertText } from "./failure-alert.ts";
import {
  checkMistakes,
  listMistakes,
  reportMistake,
  sameMistake,
  type Mistake,
  type MistakeCheck,
  type MistakeReport,
} from "./mistakes.ts";
import {
  foldPreferences,
  isPreferenceKey,
  preferenceStream,
  PREFERENCE_CATEGORIES,
  readPreferences,
  resolvePreference,
  type Preferences,
} from "./preferences.ts";
import type { createScreenPrompt } from "../../guard/index.ts";
import { EVENTS, type NewEvent, USER } from "../../protocol/events/index.ts";

export interface LearningApi {
  /** All, or those of one category; as they are, or as they would be after this feedback. */
  preferences(category?: string, supposed?: readonly Feedback[]): Promise<Preferences & { resolved: Record<string, string> }>;
  learn(feedback: readonly Feedback[]): Promise<void>;
  mistakes(approach?: string): Promise<KnownMistake[] | MistakeCheck>;
  reportMistake(report: MistakeReport, options: { dryRun: boolean }): Promise<{ recorded: boolean; id: string; merged: boolean }>;
}

/** One as people and programs see it. */
export type KnownMistake = Omit<Mistake, "sessions"> & { session_ids: string[]; alert: string };

export interface Feedback {
  key: string;
  value: string;
  how: "said" | "accepted" | "rejected";
}

export interface LearningParts {
  journal: () => Promise<Journal>;
  clock: Clock;
  screen: ReturnType<typeof createScreenPrompt>;
}

function mustBeKey(key: string): string {
  if (isPreferenceKey(key)) return key;
  throw new SylkError({
    code: "USAGE_PREFERENCE_KEY",
    tier: "user_fixable",
    message: `${key} is no preference`,
    fix: `<category>.<name>, where the category is one of ${PREFERENCE_CATEGORIES.join(", ")}`,
  });
}

export function createLearningApi(parts: LearningParts): LearningApi {
  const { journal, clock } = parts;
  const feedbackEvents = (feedback: readonly Feedback[]): Promise<NewEvent[]> =>
    Promise.all(
      feedback.map(async ({ key, value, how }) => {
        const known = mustBeKey(key);
        const suggestion = await parts.screen(value);
        return how === "said"
          ? EVENTS.preference.set.create({ key: known, value: suggestion }, { actor: USER })
          : EVENTS.preference.observed.create(
              { key: known, suggestion, response: how, evidence: `${how} on the command line` },
              { actor: USER },
            );
      }),
    );

  return {
    async preferences(category = "all", supposed = []) {
      oneOf("category", category, ["all", ...PREFERENCE_CATEGORIES]);
      const now = foldPreferences(await readPreferences(await journal()), await feedbackEvents(supposed), clock.now());
      return withResolved(category === "all" ? now : inCategory(now, category));
    },
    async learn(feedback) {
      const events = await feedbackEvents(feedback);
      if (events.length > 0) await (await journal()).append(preferenceStream, "any", events);
    },
    async mistakes(approach) {
      if (approach !== undefined) return checkMistakes(await journal(), approach);
      return (await listMistakes(await journal())).map(({ sessions, ...one }) => ({
        ...one,
        session_ids: Object.keys(sessions),
        alert: alertText({ ...one, sessions }),
      }));
    },
    async reportMistake(report, { dryRun }) {
      const [pattern = "", error = "", fix = ""] = await Promise.all([report.pattern, report.error, report.fix].map(parts.screen));
      const screened = { ...report, pattern, error, fix };
      if (!dryRun) return reportMistake(await journal(), screened, { actor: USER }, clock.now());
      const same = await sameMistake(await journal(), screened);
      return { recorded: false, id: same?.id ?? "", merged: same !== undefined };
    },
  };
}

function inCategory(now: Preferences, category: string): Preferences {
  const own = <T>(record: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([key]) => key.startsWith(`${category}.`)));
  return { explicit: own(now.explicit), implicit: own(now.implicit) };
}

function withResolved(now: Preferences): Preferences & { resolved: Record<string, string> } {
  const keys = [...new Set([...Object.keys(now.explicit), ...Object.keys(now.implicit)])].toSorted();
  return { ...now, resolved: Object.fromEntries(keys.map((key) => [key, resolvePreference(now, key) ?? ""])) };
}
