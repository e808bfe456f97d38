/** What the goal monitor's record adds up to. */
import { unreachable } from "../../kernel/index.ts";
import type { View } from "../../journal/index.ts";
import { EVENTS, decode, typesOf } from "../../protocol/events/index.ts";
import type { ImpasseType } from "../task-facts.ts";

export interface GoalRow {
  task: string;
  lastStep: number;
  /** The remedy whose outcome is not known yet. */
  open: { type: ImpasseType; step: number } | null;
  /** Types remedied without success since the last progress. */
  tried: string[];
}

export const goalView: View<GoalRow> = {
  name: "goal",
  version: 1,
  types: typesOf(EVENTS.goal),
  key: (event) => event.stream,
  reduce(state, happened) {
    const row = state ?? { task: happened.stream.slice("goal/".length), lastStep: 0, open: null, tried: [] };
    const event = decode(EVENTS.goal, happened);
    switch (event?.type) {
      case "goal.assessed": {
        const { assessment, to_step } = event.payload;
        const { impasse, type } = assessment;
        return { ...row, lastStep: to_step, open: impasse && type !== null ? { type, step: to_step } : row.open };
      }
      case "goal.resolved":
        return { ...row, open: null, tried: event.payload.worked ? [] : [...row.tried, event.payload.type] };
      case undefined:
        return row;
      default:
        return unreachable(event);
    }
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
  types: typesOf(EVENTS.goal),
  key(happened) {
    const event = decode(EVENTS.goal, happened);
    if (event?.type === "goal.resolved") return event.payload.type;
    return event?.payload.assessment.impasse === true ? (event.payload.assessment.type ?? undefined) : undefined;
  },
  reduce(state, happened, key) {
    const row = state ?? { type: key, seen: 0, worked: 0, failed: 0 };
    const event = decode(EVENTS.goal, happened);
    switch (event?.type) {
      case "goal.assessed":
        return { ...row, seen: row.seen + 1 };
      case "goal.resolved":
        return event.payload.worked ? { ...row, worked: row.worked + 1 } : { ...row, failed: row.failed + 1 };
      case undefined:
        return row;
      default:
        return unreachable(event);
    }
  },
};

export const goalViews = [goalView, goalStatsView];
