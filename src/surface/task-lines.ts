/** What happens to a task, as surfaces are told of it. */
import type { WireEvent } from "../protocol/index.ts";
import { readTaskEvent } from "../protocol/events/index.ts";
import type { Api, Result } from "../protocol/api/index.ts";
import type { TaskLine } from "./task-line.ts";

type TaskDetail = Result<"task.show">;

function lineOf(id: string, happened: WireEvent): TaskLine[] {
  const event = readTaskEvent(happened.type, happened.payload);
  switch (event?.type) {
    case "task.stepped": {
      const { step, phase, text, context, usage, invalid } = event.payload;
      const line: TaskLine = { type: "step", id, step, phase, text, tokens: context.tokens, usage };
      return invalid === undefined
        ? [line]
        : [
            line,
            { type: "action", id, step, action: "invalid_action", target: "", ok: false, outcome: "invalid_action", summary: invalid },
          ];
    }
    case "task.acted": {
      const { step, action, target, ok, outcome, summary } = event.payload;
      return [{ type: "action", id, step, action, target, ok, outcome, summary }];
    }
    case "task.verified": {
      const { step, ready, checks } = event.payload;
      const shown = checks.map(({ name, passed, summary, could_not_run: cannot, tests }) => ({
        name,
        passed,
        ...(cannot === undefined ? {} : { could_not_run: true }),
        ...(tests === undefined ? {} : { tests }),
        summary,
      }));
      return [{ type: "verification", id, step, ready, checks: shown }];
    }
    case "task.decided": {
      const { step, decision, phase, why, reason } = event.payload;
      return step === 0 ? [] : [{ type: "decision", id, step, decision, phase, why, reason }];
    }
    case "task.noticed": {
      const { step, notices } = event.payload;
      return notices.map(({ about: action, target, outcome, summary }): TaskLine => ({
        type: "action",
        id,
        step,
        action,
        target,
        ok: outcome === "kept",
        outcome,
        summary,
      }));
    }
    case "task.grew": {
      const { step, from, to, items } = event.payload;
      const summary = `steps may be larger from here on (${from} → ${to}): ${items.join(", ")} did not fit`;
      return [{ type: "action", id, step, action: "view", target: to, ok: true, outcome: "grew", summary }];
    }
    case "task.waits":
      return [{ type: "question", id, question: event.payload.question, text: event.payload.text }];
    case "tree.created":
      return [{ type: "tree", id, what: "created", summary: `works in its own tree, on branch ${event.payload.branch}` }];
    case "task.merged": {
      const { files } = event.payload;
      const summary = `merged ${files.map((file) => file.path).join(", ")}${bothSidesIn(files) ? "; edits of both sides were combined" : ""}`;
      return [{ type: "tree", id, what: "merged", summary }];
    }
    case "task.taken_back": {
      const { step, files } = event.payload;
      const target = files.map(({ path }) => path).join(", ");
      return files.length === 0
        ? []
        : [
            {
              type: "action",
              id,
              step,
              action: "take_back",
              target,
              ok: true,
              outcome: "taken_back",
              summary: `failed attempts were taken back: ${target}`,
            },
          ];
    }
    case "task.merge_undone":
      return [{ type: "tree", id, what: "undone", summary: `its merge was taken back: ${event.payload.files.join(", ")}` }];
    case "tree.discarded":
      return [{ type: "tree", id, what: "discarded", summary: "its work tree is gone" }];
    default:
      return [];
  }
}

const MAX_DIFF_CHARS = 16_000;

/** The lines of an event, and what it changed. */
export async function linesOf(api: Api, id: string, happened: WireEvent, signal: AbortSignal): Promise<TaskLine[]> {
  const lines = lineOf(id, happened);
  const event = readTaskEvent(happened.type, happened.payload);
  if (event?.type !== "task.acted" || event.payload.files.length === 0) return lines;
  const { step } = event.payload;
  const { text, truncated } = await api.query({ type: "task.diff", id, step }, signal);
  const cut = text.length > MAX_DIFF_CHARS;
  return [...lines, { type: "edit", id, step, diff: cut ? text.slice(0, MAX_DIFF_CHARS) : text, truncated: truncated || cut }];
}

/** Whether a merge put edits of both sides into one file; a file that was chosen whole is one side's. */
export function bothSidesIn(files: readonly { how: string }[]): boolean {
  return files.some(({ how }) => how === "by_lines" || how === "by_structure");
}

export function headLine({ id, goal, model }: TaskDetail): TaskLine {
  return { type: "task", version: 1, id, goal, model };
}

export function outcomeLine(task: TaskDetail): TaskLine {
  return {
    type: "outcome",
    id: task.id,
    status: task.status,
    verified: task.verified,
    evidence: task.evidence,
    step: task.step,
    why: task.why,
    reason: task.reason,
    question: task.question,
    question_id: task.question_id,
    report: task.report,
    usage: task.usage,
  };
}
