/** Those who look on while a task works, and step in: first at attempts that fail in a row, then at the goal as a whole. */
import type { StepExtension } from "../extension.ts";
import { createGoalMonitor, type GoalMonitorParts } from "../monitor/create-goal-monitor.ts";
import { createAttempts, type AttemptParts } from "./attempts.ts";

export function createWatchers(parts: GoalMonitorParts & AttemptParts): StepExtension[] {
  return [createAttempts(parts), createGoalMonitor(parts)];
}
