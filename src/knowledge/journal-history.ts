/** Journal events as entries of history: what was asked, decided, tried and found. Everything else is machinery. */
import { EVENTS, decode, type JournalEvent, type EventIn } from "../protocol/events/index.ts";
import type { HistoryEntry } from "./store/history-writer.ts";

interface Entry {
  kind: string;
  text: string;
}

function decidedEntry({
  decision,
  reason,
  report,
  question,
}: Extract<EventIn<"task">, { type: "task.decided" }>["payload"]): Entry | undefined {
  const told = report ?? question ?? reason;
  switch (decision) {
    case "continue":
    case "paused":
      return undefined;
    case "complete":
      return { kind: "task_completion", text: `Done: ${told}` };
    case "failed":
      return { kind: "failure", text: `Failed: ${told}` };
    case "escalate":
      return { kind: "failure", text: `Needs a person: ${told}` };
  }
}

function entryOf(happened: JournalEvent): Entry | undefined {
  const event = decode(EVENTS.task, happened);
  switch (event?.type) {
    case "task.created": {
      const { goal, constraints } = event.payload;
      const text = `Goal: ${goal}${constraints.length === 0 ? "" : `\nConstraints: ${constraints.join("; ")}`}`;
      return { kind: "task_completion", text };
    }
    case "task.decided":
      return decidedEntry(event.payload);
    case "task.verified": {
      const failed = event.payload.checks.filter((check) => !check.passed);
      const text = failed.map((check) => `Check ${check.name} failed: ${check.summary}`).join("\n");
      return failed.length === 0 ? undefined : { kind: "failure", text };
    }
    case "task.acted": {
      const facts = event.payload.effects.flatMap((effect) => (effect.op === "fact" ? [`${effect.subject}: ${effect.text}`] : []));
      const changed = event.payload.files.map((file) => `${file.operation} ${file.path}`);
      if (facts.length > 0) return { kind: "decision", text: facts.join("\n") };
      return changed.length === 0 ? undefined : { kind: "outcome", text: `${event.payload.summary}\n${changed.join("\n")}` };
    }
    case "task.merged":
      return { kind: "outcome", text: `Merged into the project: ${event.payload.files.map((file) => file.path).join(", ")}` };
    case "task.undone":
    case "task.merge_undone":
      return { kind: "outcome", text: `Taken back by the user, as if it had not been done: ${event.payload.files.join(", ")}` };
    default:
      return undefined;
  }
}

export function journalHistory(events: readonly JournalEvent[]): HistoryEntry[] {
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
