/** What a fact rests on, and whether that still stands. */
import type { WorkingMemory } from "../memory/index.ts";
import type { TaskState } from "./task-state.ts";

type Fact = WorkingMemory["facts"][number];

/** A file it names, by path or by name, that was changed after it was noted. */
export function changedFileOf(
  { subject, text, step }: Pick<Fact, "subject" | "text" | "step">,
  { changedFiles }: TaskState,
): string | undefined {
  const said = `${subject} ${text}`;
  return Object.entries(changedFiles).find(([path, changed]) => {
    const name = path.split("/").at(-1) ?? path;
    return changed.step > step && new RegExp(`(?<![\\w.-])${RegExp.escape(name)}(?![\\w-])`).test(said);
  })?.[0];
}
