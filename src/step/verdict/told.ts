/** What a step is told about where the work stands against the start, for as long as it holds. */
import type { TaskState } from "../task-state.ts";
import type { TaskType } from "../task-type.ts";
import { changedFilesOf } from "./changed-files.ts";
import { standingOf } from "./standing.ts";

export function toldOfVerdict(type: TaskType, state: TaskState): string[] {
  const { verification, atStart } = state;
  if (type.verify !== "passing" || verification === undefined || atStart === undefined || state.changes === 0) return [];
  const { old } = standingOf(verification.checks, state);
  const missing = verification.checks.filter((check) => check.could_not_run !== undefined);
  const ran = atStart.checks.filter((check) => check.ran);
  const green = ran.length > 0 && ran.every((check) => check.passed);
  const shows = changedFilesOf(state).judges.length > 0;
  return [
    ...(old.length === 0 ? [] : [`${old.length} of what fails failed before you began: not yours unless the goal says so.`]),
    ...(missing.length === 0 ? [] : [`Could not run, and the person knows: ${missing.map((check) => check.name).join(", ")}.`]),
    ...(verification.ready && green && !shows
      ? [
          "These checks passed before you began, so they do not show the goal. Would a test have failed before your change? If not, add one.",
        ]
      : []),
  ];
}
