/**
 * Keeps contradictions beside the answers that came upon them: no answer waits for it, and what could not
 * be kept in time is come upon again by the next question.
 */
import { withDeadline, type Clock } from "../../kernel/index.ts";
import type { FoundConflict } from "../store/conflict-writer.ts";

const LIMITS = { waiting: 16, waitMs: 2_000 };

export interface ConflictKeeper {
  readonly keep: (found: readonly FoundConflict[]) => void;
  /** When everything is kept, or has had its time. */
  settled(): Promise<void>;
}

export function createConflictKeeper(clock: Clock, write: (found: readonly FoundConflict[]) => Promise<void>): ConflictKeeper {
  const waiting = new Set<Promise<void>>();
  return {
    keep(found) {
      if (waiting.size >= LIMITS.waiting) return;
      const one: Promise<void> = write(found)
        .catch(() => undefined)
        .finally(() => waiting.delete(one));
      waiting.add(one);
    },
    async settled() {
      if (waiting.size === 0) return;
      const all = Promise.all(waiting).then(() => undefined);
      await withDeadline({ clock, timeoutMs: LIMITS.waitMs, what: "keeping contradictions" }, () => all).catch(() => undefined);
    },
  };
}
