/**
 * Notices that a task turns in circles (CTX-025). Four kinds, each with its evidence and with
 * advice to change tactics. Pure: looks only at recorded steps.
 */
import type { StepRecord } from "../task-state.ts";

export interface Loop {
  kind: "same_action_fails" | "same_outcome" | "error_cycle" | "no_progress";
  evidence: string[];
  advice: string;
}

const SAME_ACTION = 3;
const SAME_OUTCOME = 4;
const NO_PROGRESS = 3;
const WINDOW = 10;

const failed = (record: StepRecord): boolean => record.invalid !== undefined || record.actions.some((action) => !action.ok);
const failureOf = (record: StepRecord): string => {
  const action = record.actions.find((one) => !one.ok);
  if (action !== undefined) return `${action.outcome}:${action.target}`;
  if (record.invalid !== undefined) return "invalid";
  return record.failing === undefined || record.failing.length === 0 ? "" : `checks:${record.failing.join(",")}`;
};
const actionOf = (record: StepRecord): string => record.actions.map((action) => action.signature).join("|");
const name = (record: StepRecord): string =>
  record.actions.map((action) => `${action.action} ${action.target}`).join(", ") || "no usable action";

function sameAction(steps: readonly StepRecord[]): Loop | undefined {
  const last = steps.at(-1);
  if (last === undefined || !failed(last) || last.actions.length === 0) return undefined;
  const same = steps.slice(-WINDOW).filter((step) => failed(step) && actionOf(step) === actionOf(last));
  if (same.length < SAME_ACTION) return undefined;
  return {
    kind: "same_action_fails",
    evidence: same.map((step) => `step ${step.step}: ${name(step)} failed`),
    advice: "the same action failed again; read the place anew and do something different",
  };
}

function sameOutcome(steps: readonly StepRecord[]): Loop | undefined {
  const recent = steps.slice(-SAME_OUTCOME);
  const outcomes = new Set(recent.map(failureOf));
  if (recent.length < SAME_OUTCOME || outcomes.size !== 1 || outcomes.has("") || recent.some((step) => step.progress)) return undefined;
  return {
    kind: "same_outcome",
    evidence: recent.map((step) => `step ${step.step}: ${name(step)}`),
    advice: "different actions end the same way; the cause is elsewhere. Look at the first error again and question your assumption",
  };
}

function errorCycle(steps: readonly StepRecord[]): Loop | undefined {
  const [a, b, c, d] = steps.slice(-4).map(failureOf);
  if (a === undefined || d === undefined || a === "" || b === "" || a === b || a !== c || b !== d) return undefined;
  return {
    kind: "error_cycle",
    evidence: steps.slice(-4).map((step) => `step ${step.step}: ${failureOf(step)}`),
    advice: "each fix brings the other error back; find a change that satisfies both at once",
  };
}

function noProgressAdvice(steps: readonly StepRecord[]): string {
  const missed = steps
    .slice(-NO_PROGRESS)
    .flatMap((step) => step.actions)
    .findLast((action) => !action.ok && (action.outcome === "no_match" || action.outcome === "ambiguous"));
  if (missed !== undefined) return `${missed.action} on ${missed.target} did not find its text; read that place now and copy it exactly`;
  return "several steps changed nothing; decide with what you know, or ask";
}

function noProgress(steps: readonly StepRecord[]): Loop | undefined {
  const since = steps.length - 1 - steps.findLastIndex((step) => step.progress);
  // Looking around is no standstill as long as it shows something new.
  const looking = steps.slice(-NO_PROGRESS).every((step) => step.news === true);
  if (since < NO_PROGRESS || since % NO_PROGRESS !== 0 || (looking && since < 2 * NO_PROGRESS)) return undefined;
  return {
    kind: "no_progress",
    evidence: steps.slice(-NO_PROGRESS).map((step) => `step ${step.step}: ${name(step)}`),
    advice: noProgressAdvice(steps),
  };
}

export function detectLoop(steps: readonly StepRecord[]): Loop | undefined {
  return sameAction(steps) ?? errorCycle(steps) ?? sameOutcome(steps) ?? noProgress(steps);
}
