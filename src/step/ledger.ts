/**
 * Every step of a task in one line, written by the engine. Of a very long task the oldest lines are counted only, so
 * the ledger never grows without end.
 */
/** A step as far as its line tells of it. */
interface StepRecord {
  step: number;
  actions: readonly { action: string; target: string; ok: boolean; outcome: string }[];
  invalid: string | undefined;
  progress: boolean;
  failing: readonly string[] | undefined;
}

interface Entry {
  step: number;
  text: string;
  changed: boolean;
  failed: boolean;
}

export interface Ledger {
  entries: Entry[];
  /** Steps that have no line any more. */
  folded: { steps: number; changed: number; failed: number };
}

export const emptyLedger: Ledger = { entries: [], folded: { steps: 0, changed: 0, failed: 0 } };

const MAX_ENTRIES = 200;
const LINE_CHARS = 90;
const TARGET_CHARS = 44;
/** The line at which the shown part begins moves in jumps, so that what stands there stays the same for a while. */
const JUMP = 10;

const clip = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** Paths lose their beginning, not their end. */
const shortTarget = (text: string): string =>
  text.length <= TARGET_CHARS ? text : text.includes(" ") ? clip(text, TARGET_CHARS) : `…${text.slice(1 - TARGET_CHARS)}`;

function entryOf({ step, actions, invalid, failing, progress }: StepRecord): Entry {
  if (invalid !== undefined) return { step, text: `${step} answer could not be used`, changed: false, failed: true };
  const byName = Map.groupBy(actions, ({ action }) => action);
  const parts = [...byName].map(([name, list]) => {
    const bad = list.find(({ ok }) => !ok);
    const rest = list.length > 2 ? ` +${list.length - 2}` : "";
    const targets = list
      .slice(0, 2)
      .map(({ target }) => shortTarget(target.replaceAll(/\s+/g, " ")))
      .join(", ");
    return `${`${name} ${targets}`.trim()}${rest}${bad === undefined ? "" : ` FAILED ${bad.outcome}`}`;
  });
  const checks = failing === undefined ? "" : failing.length === 0 ? "; checks pass" : `; ${failing.length} failing`;
  const changed = progress && actions.some(({ outcome }) => outcome === "changed");
  return { step, text: `${clip(`${step} ${parts.join("; ")}`, LINE_CHARS)}${checks}`, changed, failed: actions.some(({ ok }) => !ok) };
}

function fold({ entries, folded }: Ledger, count: number): Ledger {
  const gone = entries.slice(0, count);
  return {
    entries: entries.slice(count),
    folded: {
      steps: folded.steps + gone.length,
      changed: folded.changed + gone.filter((one) => one.changed).length,
      failed: folded.failed + gone.filter((one) => one.failed).length,
    },
  };
}

export function addToLedger(ledger: Ledger, record: StepRecord): Ledger {
  const entries = [...ledger.entries, entryOf(record)];
  return fold({ ...ledger, entries }, Math.max(0, entries.length - MAX_ENTRIES));
}

/** The newest lines, and one for all before them. */
export function ledgerText(ledger: Ledger, maxLines: number): string {
  const over = ledger.entries.length - maxLines;
  const { entries, folded } = over <= 0 ? ledger : fold(ledger, Math.ceil(over / JUMP) * JUMP);
  const before = folded.steps === 0 ? [] : [`${folded.steps} steps before: ${folded.changed} changed something, ${folded.failed} failed`];
  return [...before, ...entries.map(({ text }) => text)].join("\n");
}
