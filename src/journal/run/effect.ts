/**
 * A change of the world that happens once: planned, told to the journal, done, told again. Ownership is asked
 * directly before it is done. Whoever finds an intent without a fact asks the world; what cannot be proved not to
 * have happened is reported and never done again.
 */
import type { Owned } from "./own.ts";

export interface Effect<T, P> {
  /** What it will do, without doing it. */
  plan(): Promise<P>;
  act(plan: P): Promise<T>;
  /** After a crash: what became of it, that it did not happen (`act`), or that nobody can tell. */
  settle(plan: P): Promise<{ value: T } | "act" | "unknown">;
}

/** One whose plan may find that there is nothing to do, or that it may not be done; after a crash it may be planned anew. */
export interface PlannedEffect<T, P, D> {
  plan(): Promise<{ plan: P } | { declined: D }>;
  act(plan: P): Promise<T>;
  settle(plan: P): Promise<{ value: T } | "act" | "plan" | "unknown">;
}

/** How an effect is written down and found again. */
export interface EffectRecord<P> {
  pending: P | undefined;
  intend(plan: P): Promise<void>;
}

export type Performed<T, P, D> = { kind: "done"; value: T; plan: P } | { kind: "declined"; why: D } | { kind: "unknown" };

/** Brings an effect about from wherever its record stands; the caller tells the fact. */
export async function perform<T, P, D>(owned: Owned, record: EffectRecord<P>, effect: PlannedEffect<T, P, D>): Promise<Performed<T, P, D>> {
  const { pending } = record;
  if (pending !== undefined) {
    await owned.mustOwn();
    const settled = await effect.settle(pending);
    if (settled === "unknown") return { kind: "unknown" };
    if (typeof settled === "object") return { kind: "done", value: settled.value, plan: pending };
    if (settled === "act") {
      await owned.mustOwn();
      return { kind: "done", value: await effect.act(pending), plan: pending };
    }
  }
  const planned = await effect.plan();
  if ("declined" in planned) return { kind: "declined", why: planned.declined };
  await record.intend(planned.plan);
  await owned.mustOwn();
  return { kind: "done", value: await effect.act(planned.plan), plan: planned.plan };
}
