/** What a question is after, and how long an answer of that kind lasts. */
const MINUTE_MS = 60_000;

export const INTENTS = {
  locate: { ttlMs: Infinity, files: "any" },
  explain: { ttlMs: 30 * MINUTE_MS, files: "any" },
  pattern: { ttlMs: 60 * MINUTE_MS, files: "folder" },
  general: { ttlMs: 15 * MINUTE_MS, files: "any" },
  historical: { ttlMs: 30 * MINUTE_MS, files: "none" },
  activity: { ttlMs: 5 * MINUTE_MS, files: "none" },
  outcome: { ttlMs: 2 * MINUTE_MS, files: "none" },
  similar: { ttlMs: 30 * MINUTE_MS, files: "none" },
  resume: { ttlMs: MINUTE_MS, files: "none" },
  research: { ttlMs: 24 * 60 * MINUTE_MS, files: "none" },
} as const;
export type Intent = keyof typeof INTENTS;

/** Longest and most telling phrases first (MEM-063). */
const PHRASES: readonly { intent: Intent; pattern: RegExp }[] = [
  { intent: "resume", pattern: /\bwhere did we|\bresume\b|\bcontinue\b|left off|current state|pick up/iu },
  { intent: "similar", pattern: /\bsimilar\b|like this|seen before|resembles|comparable/iu },
  { intent: "outcome", pattern: /\bdid .* (?:pass|succeed|fail)|\boutcome\b|issues found|status of/iu },
  {
    intent: "historical",
    pattern: /what did we do|\bpreviously\b|last time|how did we handle|\bearlier\b|\bhistory\b|\bwhy did we\b|\bbefore\b/iu,
  },
  { intent: "activity", pattern: /what changed|what did .* do|modifications|files changed|recent activity|what happened/iu },
  { intent: "research", pattern: /best practice|recommended|\bresearch\b|versus|\bvs\b/iu },
  { intent: "pattern", pattern: /\bpatterns?\b|\bconventions?\b|how do we (?:usually|normally)?|\bstyle\b/iu },
  { intent: "locate", pattern: /\bwhere (?:is|are|do|does)\b|\bfind\b|\blocated?\b|which file|defined/iu },
  { intent: "explain", pattern: /\bhow (?:does|do|is|are)\b|\bexplain\b|what (?:is|does)\b/iu },
];

export function intentOf(text: string): Intent {
  return PHRASES.find(({ pattern }) => pattern.test(text))?.intent ?? "general";
}
