/** What happens to a task, as surfaces are told of it. */
import type { JournalEvent } from "../journal/index.ts";
import type { TaskDetail, TaskLine } from "../protocol/index.ts";
import { taskActed, taskDecided, taskStepped, taskVerified } from "../step/index.ts";

export function lineOf(id: string, event: JournalEvent): TaskLine[] {
  if (taskStepped.is(event)) {
    const { step, phase, text, context, usage, invalid } = event.payload;
    const line: TaskLine = { type: "step", id, step, phase, text, tokens: context.tokens, usage };
    return invalid === undefined
      ? [line]
      : [line, { type: "action", id, step, action: "invalid_action", target: "", ok: false, outcome: "invalid_action", summary: invalid }];
  }
  if (taskActed.is(event)) {
    const { step, action, target, ok, outcome, summary } = event.payload;
    return [{ type: "action", id, step, action, target, ok, outcome, summary }];
  }
  if (taskVerified.is(event))
    return [
      {
        type: "verification",
        id,
        step: event.payload.step,
        ready: event.payload.ready,
        checks: event.payload.checks.map(({ name, passed, summary }) => ({ name, passed, summary })),
      },
    ];
  if (taskDecided.is(event) && event.payload.step > 0)
    return [
      {
        type: "decision",
        id,
        step: event.payload.step,
        decision: event.payload.decision,
        phase: event.payload.phase,
        reason: event.payload.reason,
      },
    ];
  return [];
}

export function outcomeLine(task: TaskDetail): TaskLine {
  return {
    type: "outcome",
    id: task.id,
    status: task.status,
    verified: task.verified,
    step: task.step,
    reason: task.reason,
    question: task.question,
    report: task.report,
    usage: task.usage,
  };
}
