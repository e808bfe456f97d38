/** The monitor's own record, on the stream `goal/<task>`, and what it adds up to. */
import { z } from "zod";
import { defineEvent, type View } from "../../journal/index.ts";
import { assessmentSchema, IMPASSE_TYPES } from "./assessment.ts";

/** What each of the monitor's steps found; loading and writing are the event itself (GOA-002). */
const monitorSteps = z.object({
  learnt: z.array(z.string()),
  loaded: z.object({ said: z.string(), previous: z.string().nullable() }),
  goal: z.object({ request: z.string(), criteria: z.int(), constraints: z.int() }),
  progress: z.array(z.object({ criterion: z.string(), met: z.boolean().nullable(), evidence: z.string() })),
  impasse: z.array(z.object({ type: z.enum(IMPASSE_TYPES), confidence: z.number(), evidence: z.array(z.string()) })),
  remedy: z.string().nullable(),
  file: z.string(),
});
export type MonitorSteps = z.infer<typeof monitorSteps>;

export const goalAssessed = defineEvent(
  "goal.assessed",
  z.object({
    task: z.string(),
    from_step: z.int(),
    to_step: z.int(),
    assessment: assessmentSchema,
    steps: monitorSteps.optional(),
    skip_goal_monitor: z.literal(true),
  }),
);
/** Whether work got on within three steps of a remedy (GOA-009). */
export const goalResolved = defineEvent(
  "goal.resolved",
  z.object({ task: z.string(), step: z.int(), type: z.enum(IMPASSE_TYPES), worked: z.boolean() }),
);

export interface GoalRow {
  task: string;
  lastStep: number;
  /** The remedy whose outcome is not known yet. */
  open: { type: string; step: number } | null;
  /** Types remedied without success since the last progress. */
  tried: string[];
}

export const goalView: View<GoalRow> = {
  name: "goal",
  version: 1,
  types: [goalAssessed.type, goalResolved.type],
  key: (event) => event.stream,
  reduce(state, event) {
    const row = state ?? { task: event.stream.slice("goal/".length), lastStep: 0, open: null, tried: [] };
    if (goalAssessed.is(event)) {
      const { assessment, to_step } = event.payload;
      const acted = assessment.impasse && assessment.type !== null;
      return { ...row, lastStep: to_step, open: acted ? { type: assessment.type as string, step: to_step } : row.open };
    }
    if (goalResolved.is(event)) return { ...row, open: null, tried: event.payload.worked ? [] : [...row.tried, event.payload.type] };
    return row;
  },
};

export interface GoalStats {
  type: string;
  seen: number;
  worked: number;
  failed: number;
}

export const goalStatsView: View<GoalStats> = {
  name: "goal.stats",
  version: 1,
  types: [goalAssessed.type, goalResolved.type],
  key: (event) =>
    goalAssessed.is(event)
      ? event.payload.assessment.impasse
        ? (event.payload.assessment.type ?? undefined)
        : undefined
      : goalResolved.is(event)
        ? event.payload.type
        : undefined,
  reduce(state, event, key) {
    const row = state ?? { type: key, seen: 0, worked: 0, failed: 0 };
    if (goalAssessed.is(event)) return { ...row, seen: row.seen + 1 };
    if (goalResolved.is(event)) return event.payload.worked ? { ...row, worked: row.worked + 1 } : { ...row, failed: row.failed + 1 };
    return row;
  },
};
