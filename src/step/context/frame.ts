/**
 * The pinned text: the person's words, criteria, constraints, project rules. Never cut. Whether it
 * has room is decided when the task is created, not later.
 */
import { SylkError } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";
import type { Profile } from "../profiles.ts";
import type { TaskCreated } from "../task-events.ts";

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `- ${line}`).join("\n")}`];

export function renderFrame(task: TaskCreated): string {
  return [
    "# Task",
    `Goal, in the person's words:\n${task.goal}`,
    ...list("It is done when", task.criteria),
    ...list("Constraints", task.constraints),
    ...list(
      "Checks, run for you after every change",
      task.checks.map((check) => `${check.name}: \`${check.command}\``),
    ),
    ...Object.entries(task.inputs).map(([name, text]) => `Given, ${name}:\n${text}`),
    ...(task.overview === "" ? [] : [`Files, when the task began:\n${task.overview}`]),
    ...task.rules.map((rule) => `Project rules (${rule.path}):\n${rule.text}`),
  ].join("\n\n");
}

export function frameRoom(profile: Profile): number {
  return profile.frame + profile.pinnedExtra;
}

/** Refuses a task whose pinned text could not be shown whole at every step. */
export function checkFrame(task: TaskCreated, profile: Profile): void {
  const tokens = countTokens(renderFrame(task));
  const room = frameRoom(profile);
  if (tokens <= room) return;
  const rules = task.rules.reduce((sum, rule) => sum + countTokens(rule.text), 0);
  throw new SylkError({
    code: "TASK_TOO_LARGE",
    tier: "user_fixable",
    message: `goal, criteria, constraints and project rules need ${tokens} tokens; the ${profile.name} profile has room for ${room}${rules > 0 ? ` (project rules alone: ${rules})` : ""}`,
    fix:
      profile.name === "wide"
        ? "shorten the goal, or put the details into a file and name it in the goal"
        : "use --profile standard or wide, shorten the text, or put details into a file and name it in the goal",
  });
}
