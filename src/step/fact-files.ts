/** What a fact rests on, whether that still stands, and what of it is worth keeping when the task is over. */
import type { WorkingMemory } from "../memory/index.ts";
import type { TaskState } from "./task-state.ts";

type Fact = WorkingMemory["facts"][number];

/** A file it names, by path or by name, that was changed after it was noted. */
export function changedFileOf(
  { subject, text, step }: Pick<Fact, "subject" | "text" | "step">,
  { changedFiles }: TaskState,
): string | undefined {
  // A subject that is a file says what the fact is about; others are only mentioned.
  const said = /\.\w+$/.test(subject.replace(/[:@][\d-]+$/, "")) ? subject : `${subject} ${text}`;
  return Object.entries(changedFiles).find(([path, changed]) => {
    const name = path.split("/").at(-1) ?? path;
    return changed.step > step && new RegExp(`(?<![\\w.-])${RegExp.escape(name)}(?![\\w-])`).test(said);
  })?.[0];
}

/** How far the work is: true of this task only. */
const PROGRESS = /^\s*(?:plan|progress|status|to-?\s?do|next(?: steps?)?|done|finished|remaining|left to do|in progress|steps? \d)\b/i;

/** Lines move with every edit; what a note says of them is wrong soon. */
function withoutLines(text: string): string {
  return text
    .replaceAll(/(\.\w+)[:@]\d+(?:[-:–]\d+)*/g, "$1")
    .replaceAll(/\s*\(?\b(?:(?:at|on|in|from)\s+)?lines?\s+\d+(?:\s*(?:[-–,]|to|and)\s*\d+)*\)?/gi, "")
    .trim();
}

/** What later tasks may use, without line numbers, and the subjects of what they may not. */
export function lastingFacts(task: TaskState): { facts: Fact[]; local: string[] } {
  const facts: Fact[] = [];
  const local: string[] = [];
  for (const fact of task.memory.facts) {
    const isLocal =
      fact.kind === undefined && (PROGRESS.test(fact.subject) || PROGRESS.test(fact.text) || changedFileOf(fact, task) !== undefined);
    if (isLocal) local.push(fact.subject);
    else
      facts.push({
        ...fact,
        subject: withoutLines(fact.subject),
        text: withoutLines(fact.text),
        ...(fact.fix === undefined ? {} : { fix: withoutLines(fact.fix) }),
      });
  }
  return { facts, local };
}
