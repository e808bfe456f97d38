/**
 * Attempts in a row that did not help: the task wrote lines, wrote the same lines anew, and what fails fails as before.
 * New lines beside the old ones are work that goes on, not an attempt that failed. Pure: looks only at what was recorded.
 */

/** One step that changed files, and what failed after it. */
export interface ChangeStep {
  step: number;
  files: readonly { path: string; before: string; after: string }[];
  /** Signatures of what fails; undefined: nobody looked. */
  failing: readonly string[] | undefined;
}

/** A brace alone says nothing about whose line it is. */
const SAYS_SOMETHING = /\w{2,}/u;

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => SAYS_SOMETHING.test(line));

const without = (lines: readonly string[], others: readonly string[]): string[] => {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
};

const keyOf = (failing: readonly string[]): string => failing.toSorted().join("\n");

/** Steps of the row that goes on now, oldest first; empty when the last change helped or was the first of its kind. */
export function failedAttempts(steps: readonly ChangeStep[], failingAtStart: readonly string[]): ChangeStep[] {
  let known = keyOf(failingAtStart);
  /** By file and line, the step that wrote it. */
  let own = new Map<string, ChangeStep>();
  let row: ChangeStep[] = [];
  for (const change of steps) {
    const written = change.files.flatMap(({ path, before, after }) =>
      without(linesOf(after), linesOf(before)).map((line) => `${path}\n${line}`),
    );
    const gone = change.files.flatMap(({ path, before, after }) =>
      without(linesOf(before), linesOf(after)).map((line) => `${path}\n${line}`),
    );
    if (change.failing !== undefined && keyOf(change.failing) !== known) {
      // Something else fails now, or nothing: whatever was done had an effect.
      known = keyOf(change.failing);
      own = new Map();
      row = [];
    } else if (change.failing !== undefined && change.failing.length > 0) {
      const writer = gone.map((line) => own.get(line)).find((step) => step !== undefined);
      if (writer !== undefined) row = row.length === 0 ? [writer, change] : [...row, change];
    }
    for (const line of written) own.set(line, change);
  }
  return row;
}
