/**
 * The pinned text: the user's words, criteria, constraints, project rules. Never cut. Whether it
 * has room is decided when the task is created, not later.
 */
import { SylkError, wording } from "../../kernel/index.ts";
import { countTokens } from "../../model/index.ts";
import type { Profile } from "../profiles.ts";
import { pictureTokens } from "../pictures.ts";
import { quote, withoutHeadings } from "./quote.ts";
import type { Payload } from "../../protocol/events/index.ts";

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `- ${line}`).join("\n")}`];

/** The input that tells what was said before in a session; counted by itself. */
export const SAID_BEFORE = "said before in this session";

const inputText = (name: string, text: string): string => `Given, ${name}:\n${withoutHeadings(text)}`;

export function saidBeforeTokens({ inputs }: Pick<Payload<"task.created">, "inputs">): number {
  const text = inputs[SAID_BEFORE];
  return text === undefined ? 0 : countTokens(inputText(SAID_BEFORE, text));
}

/** The file list helps to find one's way; later it only takes room. */
export function renderFrame(task: Payload<"task.created">, files: "all" | "none" = "all"): string {
  return [
    "# Task",
    `Goal, in the person's words:\n${task.goal}`,
    ...list("It is done when", task.criteria),
    ...list("Constraints", task.constraints),
    ...list(
      "Checks, run for you after every change",
      task.checks.map((check) => `${check.name}: \`${check.command}\``),
    ),
    ...list(
      "Pictures the person gave, shown with this message where you can see pictures",
      (task.pictures ?? []).map(({ name, width, height }) => `${wording.oneLine(name)}, ${width} × ${height}`),
    ),
    ...Object.entries(task.inputs).map(([name, text]) => inputText(name, text)),
    ...(task.overview === "" || files === "none" ? [] : [`Files, when the task began:\n${task.overview}`]),
    ...task.rules.map((rule) => `Project rules, as the file ${wording.oneLine(rule.path)} has them:\n${quote(rule.text)}`),
  ].join("\n\n");
}

export function frameRoom(profile: Profile): number {
  return profile.frame + profile.pinnedExtra;
}

/** Tokens of what is in every step's input, whatever its state. */
export interface FixedParts {
  system: number;
  actions: number;
  frame: number;
}

/** What the fixed parts take beyond their own shares comes out of the state's room. */
export function borrowed(parts: FixedParts, profile: Profile): number {
  return (
    Math.max(0, parts.frame - profile.frame) + Math.max(0, parts.system - profile.system) + Math.max(0, parts.actions - profile.actions)
  );
}

/** More than this would leave the state nothing, or the input its bound. */
export function mostBorrowed(profile: Profile): number {
  return Math.min(frameRoom(profile) + profile.actions, profile.state - LEAST_STATE);
}

const LEAST_STATE = 500;

/** Refuses what would not fit the profile, however little else there is to say. */
export function checkRoom(parts: FixedParts, profile: Profile): void {
  if (borrowed(parts, profile) <= mostBorrowed(profile)) return;
  throw new SylkError({
    code: "TASK_TOO_LARGE",
    tier: "user_fixable",
    message: `instructions need ${parts.system} tokens, actions ${parts.actions}, goal and project rules ${parts.frame}: too much for the ${profile.total} of the ${profile.name} profile`,
    fix: `${profile.name === "wide" ? "" : "use a larger --profile, or "}shorten ${parts.system > profile.system * 2 ? "the project's .sylk/prompts" : "the goal and the rules"}`,
  });
}

/** Refuses a task whose pinned text could not be shown whole at every step. */
export function checkFrame(task: Payload<"task.created">, profile: Profile): void {
  const tokens = countTokens(renderFrame(task)) + pictureTokens(task.pictures);
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
