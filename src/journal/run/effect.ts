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

/** How an effect is written down and found again. */
export interface EffectRecord<P> {
  pending: P | undefined;
  intend(plan: P): Promise<void>;
}

export type Performed<T, P> = { kind: "done"; value: T; plan: P } | { kind: "unknown"; plan: P };

/** Brings an effect about from wherever its record stands; the caller tells the fact. */
export async function perform<T, P>(owned: Owned, record: EffectRecord<P>, effect: Effect<T, P>): Promise<Performed<T, P>> {
  const { pending } = record;
  if (pending !== undefined) {
    await owned.mustOwn();
    const settled = await effect.settle(pending);
    if (settled === "unknown") return { kind: "unknown", plan: pending };
    if (settled !== "act") return { kind: "done", value: settled.value, plan: pending };
    await owned.mustOwn();
    return { kind: "done", value: await effect.act(pending), plan: pending };
  }
  const plan = await effect.plan();
  await record.intend(plan);
  await owned.mustOwn();
  return { kind: "done", value: await effect.act(plan), plan };
}
