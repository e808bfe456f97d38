/** The end of the message: what the engine has to say about the last step, and one line that fits where the work stands. */
import { PLAN } from "../../memory/index.ts";
import type { ToolSpec } from "../../model/index.ts";
import type { TaskState } from "../task-state.ts";
import type { FittedWindows } from "./windows.ts";

const MAX_NAMED = 6;

export function planOf(state: TaskState): string {
  return state.memory.notes.find((note) => note.key === PLAN.key)?.text ?? "";
}

/** Parts of the goal that the plan lists as open. */
function openParts(state: TaskState): string[] {
  return [...planOf(state).matchAll(/^\s*(?:[-*]|\d+[.)])?\s*\[ \]\s*(.+)$/gm)].map((match) => (match[1] ?? "").slice(0, 80));
}

/** The checks pass after the last change and the plan has nothing open. */
export function isClosing(state: TaskState): boolean {
  const { verification, changes } = state;
  return changes > 0 && verification?.ready === true && verification.changes === changes && openParts(state).length === 0;
}

function named(keys: readonly string[]): string {
  return `${keys.slice(0, MAX_NAMED).join(", ")}${keys.length > MAX_NAMED ? ` and ${keys.length - MAX_NAMED} more` : ""}`;
}

function closing(state: TaskState, tools: readonly ToolSpec[]): string {
  const { verification, changes, created } = state;
  const open = openParts(state);
  const rest = open.length === 0 ? "" : `Open in your plan: ${named(open)}.`;
  if (created.checks.length === 0) {
    // A plan or a review is handed in otherwise, and nobody expects checks of it.
    const told = tools.some(({ name }) => name === "complete") ? "This task has no checks: say so when you complete." : "";
    return [rest, told].filter((part) => part !== "").join(" ");
  }
  const failing = (verification?.checks ?? []).filter((check) => !check.passed).length;
  if (changes === 0) return rest === "" ? "Nothing is changed yet." : rest;
  if (failing > 0) return `${failing} of ${verification?.checks.length ?? 0} checks fail after your change. ${rest}`.trim();
  if (verification?.ready === true && verification.changes === changes)
    return isClosing(state)
      ? "The checks pass after your last change. If the diff does all the goal asks, call complete; else go on."
      : `The checks pass, but the goal is not reached. ${rest} Go on with them, or mark them done.`;
  return rest;
}

export function nowText(
  { state, step, notices, tools }: { state: TaskState; step: number; notices: readonly string[]; tools: readonly ToolSpec[] },
  { left, aside, cutAsked }: Pick<FittedWindows, "left" | "aside" | "cutAsked">,
): string {
  const gone = state.dropped.filter((key) => !state.memory.items.some((item) => item.key === key));
  return [
    `Step ${step} of at most ${state.limit}.`,
    ...notices,
    ...(cutAsked.length === 0 ? [] : [`Not whole, for lack of room: ${named(cutAsked)}; ask for fewer lines at once.`]),
    ...(left.length === 0 ? [] : [`Left out for lack of room: ${named(left)}.`]),
    ...(aside.length === 0 ? [] : [`Set aside for now: ${named(aside)}; read_file shows it again.`]),
    ...(gone.length === 0 ? [] : [`No longer in view: ${named(gone)}.`]),
    closing(state, tools),
  ]
    .filter((text) => text !== "")
    .join("\n");
}
