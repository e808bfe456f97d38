/** Journal events as entries of history: what was asked, decided, tried and found. Everything else is machinery. */
import type { JournalEvent } from "../journal/index.ts";
import type { NewTurn } from "../knowledge/index.ts";
import { taskActed, taskCreated, taskDecided, taskVerified } from "../step/index.ts";

function entryOf(event: JournalEvent): { kind: string; text: string } | undefined {
  if (taskCreated.is(event))
    return {
      kind: "task_completion",
      text: `Goal: ${event.payload.goal}${event.payload.constraints.length === 0 ? "" : `\nConstraints: ${event.payload.constraints.join("; ")}`}`,
    };
  if (taskDecided.is(event)) {
    const { decision, reason, report, question } = event.payload;
    if (decision === "continue" || decision === "paused") return undefined;
    return {
      kind: decision === "complete" ? "task_completion" : "failure",
      text: `${decision === "complete" ? "Done" : decision === "failed" ? "Failed" : "Needs a person"}: ${report ?? question ?? reason}`,
    };
  }
  if (taskVerified.is(event)) {
    const failed = event.payload.checks.filter((check) => !check.passed);
    return failed.length === 0
      ? undefined
      : { kind: "failure", text: failed.map((check) => `Check ${check.name} failed: ${check.summary}`).join("\n") };
  }
  if (taskActed.is(event)) {
    const facts = event.payload.effects.flatMap((effect) => (effect.op === "fact" ? [`${effect.subject}: ${effect.text}`] : []));
    const changed = event.payload.files.map((file) => `${file.operation} ${file.path}`);
    if (facts.length > 0) return { kind: "decision", text: facts.join("\n") };
    return changed.length === 0 ? undefined : { kind: "outcome", text: `${event.payload.summary}\n${changed.join("\n")}` };
  }
  return undefined;
}

export function journalTurns(events: readonly JournalEvent[]): NewTurn[] {
  return events.flatMap((event) => {
    const entry = entryOf(event);
    return entry === undefined
      ? []
      : [
          {
            id: event.id,
            externalId: undefined,
            thread: event.stream,
            author: event.actor,
            at: event.at,
            text: entry.text,
            kind: entry.kind,
          },
        ];
  });
}
