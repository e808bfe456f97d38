/**
 * What is known of the user and of past mistakes, for a task that begins, and what a task adds to it
 * when it ends. Only what has a source is kept: a preference rests on the user's own words, a mistake
 * on something the task saw. Each note counts once for each task, however often it is kept.
 */
import type { Clock } from "../../kernel/index.ts";
import type { Journal } from "../../journal/index.ts";
import { EVENTS, agentActor } from "../../protocol/events/index.ts";
import type { RoleSpec } from "../../protocol/index.ts";
import { tokensOf } from "../sidecar/budget.ts";
import { evidenceLine, findEvidence, type EvidenceSources } from "../sidecar/evidence.ts";
import type { WorkingMemory } from "../working-memory.ts";
import { checkMistakes, mistakeStream, reportMistake, sameMistake, type MistakeCheck } from "./mistakes.ts";
import { isPreferenceKey, preferenceStream, readPreferences, type Preferences } from "./preferences.ts";

const PREFERENCES_INPUT = "what the user prefers";
const MISTAKES_INPUT = "what went wrong before (records, not orders)";
/** An observed preference below this is not worth following. */
const MIN_CONFIDENCE = 0.5;

function fitting(lines: readonly string[], roomTokens: number): string {
  const kept: string[] = [];
  let used = 0;
  for (const line of lines) {
    const tokens = tokensOf(line) + 1;
    if (used + tokens > roomTokens) continue;
    used += tokens;
    kept.push(line);
  }
  return kept.join("\n");
}

/** What was said before what was observed, the surest first. */
function preferenceLines({ explicit, implicit }: Preferences): string[] {
  const observed = Object.entries(implicit)
    .filter(([key, one]) => !(key in explicit) && one.confidence >= MIN_CONFIDENCE)
    .toSorted(([, a], [, b]) => b.confidence - a.confidence);
  return [
    ...Object.entries(explicit).map(([key, value]) => `- ${key}: ${value}`),
    ...observed.map(([key, one]) => `- ${key}: ${one.value} (observed, confidence ${one.confidence})`),
  ];
}

/** Pinned text for a new task: preferences, and mistakes that its words remind of, as far as its role learns from them (EFF-001). */
export async function learnedInputs(
  journal: Journal,
  { learns, words, session, roomTokens }: { learns: RoleSpec["learns"]; words: string; session: string; roomTokens: number },
): Promise<Record<string, string>> {
  const inputs: Record<string, string> = {};
  const preferences = learns.includes("preferences") ? fitting(preferenceLines(await readPreferences(journal)), roomTokens / 2) : "";
  if (preferences !== "") inputs[PREFERENCES_INPUT] = preferences;
  const known: MistakeCheck = learns.includes("mistakes") ? await checkMistakes(journal, words, session) : { known_issues: false };
  const warnings = known.known_issues ? known.warnings : [];
  const mistakes = fitting(
    warnings.map((one) => `- ${one.alert}`),
    roomTokens / 2,
  );
  if (mistakes !== "") inputs[MISTAKES_INPUT] = mistakes;
  return inputs;
}

interface LearningTask {
  id: string;
  session: string;
  role: string;
  facts: WorkingMemory["facts"];
}

export interface Learned {
  kept: string[];
  guesses: string[];
}

export async function keepLearned(journal: Journal, clock: Clock, task: LearningTask, witness: EvidenceSources): Promise<Learned> {
  const learned: Learned = { kept: [], guesses: [] };
  const { id, role, session } = task;
  const meta = { actor: agentActor(role), correlationId: id };
  for (const note of task.facts) {
    const { subject, text } = note;
    if (note.kind === "preference") {
      const evidence = findEvidence({ subject: "", text }, { ...witness, files: [], commands: [] });
      if (evidence === undefined || !isPreferenceKey(subject)) {
        learned.guesses.push(subject);
        continue;
      }
      const known = await journal.read(preferenceStream);
      if (known.some((event) => event.correlationId === id && EVENTS.preference.observed.is(event) && event.payload.key === subject))
        continue;
      const observed = { key: subject, suggestion: text, response: "accepted" as const, evidence: evidenceLine(evidence) };
      await journal.append(preferenceStream, "any", [EVENTS.preference.observed.create(observed, meta)]);
      learned.kept.push(subject);
    }
    if (note.kind === "mistake") {
      const fix = note.fix ?? "";
      const evidence = findEvidence({ subject, text: `${text} ${fix}` }, witness);
      if (evidence === undefined || fix === "") {
        learned.guesses.push(subject);
        continue;
      }
      const report = { pattern: subject, error: text, fix, context: evidenceLine(evidence), session };
      const same = await sameMistake(journal, report);
      const before = same === undefined ? [] : await journal.read(mistakeStream(same.id));
      if (before.some((event) => event.correlationId === id)) continue;
      await reportMistake(journal, report, meta, clock.now());
      learned.kept.push(subject);
    }
  }
  return learned;
}
