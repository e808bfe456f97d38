/** Runs handlers: one run to its end or its next wait, or whatever is due. */
import type { Claim, View, Wake } from "../types.ts";
import { owning, owningNext, type Owned, type OwnOptions } from "./own.ts";
import { OwnedRun, type Run, type RunGround } from "./run.ts";
import { runView } from "./run-state.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";

/** What a run rests for: an instant, the end of another run, or a stream that goes on past what was seen of it; never past `until`. */
export type Wait = Wake | { run: string; until?: number | undefined };

export interface RunHandler<S> {
  kind: string;
  view: View<S>;
  /** The state of a run of which nothing is known yet; absent: such a run is refused. */
  fresh?: S;
  /** False: a user ended the run. Whoever works on it is aborted, also by what another process wrote. */
  mayGoOn?(state: S): boolean;
  /** When this has changed, whoever works on the run stops and it is taken up anew: it was too late, say. */
  turn?(state: S): number;
  /** One piece of the run's way. Called again from wherever the journal stands, by whatever process. */
  advance(run: Run<S>): Promise<"again" | "done" | { wait: Wait }>;
}

/** A run ends between the look and the rest: its stream is measured first, so the end is not slept through. */
async function wakeOf({ journal }: RunGround, wait: Wait): Promise<Wake | "again"> {
  if (!("run" in wait)) return wait;
  const after = await journal.head(wait.run);
  return (await journal.get(runView, wait.run))?.finished === undefined ? { stream: wait.run, after, until: wait.until } : "again";
}

async function advance<S>(ground: RunGround, handler: RunHandler<S>, run: OwnedRun<S>): Promise<Wake | undefined> {
  const watch = handler.mayGoOn === undefined && handler.turn === undefined ? undefined : watching(ground, run);
  try {
    return await notHeldBy(ground, run, advanceAll(ground, handler, run));
  } catch (error) {
    const { stopped } = run;
    if (stopped === undefined) throw error;
    if (stopped === "anew") return { at: 0 };
    await run.refresh();
    return undefined;
  } finally {
    await watch?.[Symbol.asyncDispose]();
  }
}

/** How long whoever is told to stop is waited for. */
const LET_GO_MS = 30_000;

/** Told to stop, a run has a while to do so; then it is let go, whatever it still waits for, and can write no more. */
async function notHeldBy<S, T>({ clock }: RunGround, run: OwnedRun<S>, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const told = Promise.withResolvers<never>();
  const tell = async (): Promise<void> => {
    await clock.sleep(LET_GO_MS, over.signal);
    run.letGo();
    told.reject(run.signal.reason);
  };
  const onAbort = (): void => void tell().catch(() => undefined);
  if (run.signal.aborted) onAbort();
  else run.signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, told.promise]);
  } finally {
    run.signal.removeEventListener("abort", onAbort);
    over.abort();
  }
}

/** Looks whether the run may go on whenever somebody may have written to it. */
function watching<S>(ground: RunGround, run: OwnedRun<S>): AsyncDisposable {
  const subscription = ground.journal.subscribe({ stream: run.id });
  const looking = (async () => {
    while ((await subscription.next(run.signal)) === "maybe")
      // A store that fails is found by whoever writes to it next.
      await run.look().catch(() => undefined);
  })();
  return {
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      await looking;
    },
  };
}

async function advanceAll<S>(ground: RunGround, handler: RunHandler<S>, run: OwnedRun<S>): Promise<Wake | undefined> {
  for (;;) {
    await run.refresh();
    run.signal.throwIfAborted();
    const next = await handler.advance(run);
    if (next === "done") return undefined;
    const wake = next === "again" ? next : await wakeOf(ground, next.wait);
    if (wake !== "again") return wake;
  }
}

export interface DriveOptions<S> extends OwnOptions {
  heard?: (events: JournalEvent[], state: S) => void;
}

/** One run, until it ends or rests. Throws RUN_TAKEN when another process has it. */
export function driveRun<S>(ground: RunGround, handler: RunHandler<S>, id: string, options: DriveOptions<S>): Promise<S> {
  return owning(ground, id, options, async (owned, claim) => {
    const run = await OwnedRun.load({ ground, handler, owned, claim, heard: options.heard });
    const wake = await advance(ground, handler, run);
    if (wake !== undefined) await ground.work.settle({ ...claim, kind: handler.kind }, wake);
    return run.state;
  });
}

/** Everything offered that is due and that nobody alive has; returns the runs that were advanced. */
export async function driveDue(ground: RunGround, handlers: readonly RunHandler<unknown>[], options: OwnOptions): Promise<string[]> {
  const advanced: string[] = [];
  const kinds = handlers.map((handler) => handler.kind);
  const next = (): Promise<boolean> =>
    owningNext(ground, kinds, options, async (owned, claim) => {
      const handler = handlers.find(({ kind }) => kind === claim.kind);
      if (handler === undefined) return;
      const run = await OwnedRun.load({ ground, handler, owned, claim });
      advanced.push(run.id);
      const wake = await advance(ground, handler, run);
      if (wake !== undefined) await ground.work.settle(claim, wake);
    });
  while (await next());
  return advanced;
}

export interface PoolOptions extends OwnOptions {
  /** How many at a time. */
  workers: number;
  /** When one breaks, how long the others may take to come to their rest before they are told to stop. */
  restMs: number;
}

/** How long a pool rests without a hint before it looks again: a lost hint changes nothing. */
const LOOK_AGAIN_MS = 500;

/**
 * Everything offered under a kind, several at a time, until all of it rests. What one run offers while it is advanced
 * is taken up by the others. A run that breaks lets the others come to their rest first, for so long.
 */
export async function drivePool(
  ground: RunGround,
  kind: string,
  handlerOf: (key: string) => RunHandler<unknown> | undefined,
  { workers, restMs, ...given }: PoolOptions,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const broken: unknown[] = [];
  const late = new AbortController();
  const over = new AbortController();
  const options = { ...given, signal: given.signal === undefined ? late.signal : AbortSignal.any([given.signal, late.signal]) };
  const breakWith = (error: unknown): void => {
    broken.push(error);
    if (broken.length > 1) return;
    void ground.clock.sleep(restMs, over.signal).then(
      () => late.abort(error),
      () => undefined,
    );
  };
  const advanceOne = async (owned: Owned, claim: Claim): Promise<void> => {
    const handler = handlerOf(claim.key);
    if (handler === undefined) return;
    const run = await OwnedRun.load({ ground, handler, owned, claim });
    const wake = await advance(ground, handler, run);
    if (wake !== undefined) await ground.work.settle(claim, wake);
  };
  /** False: nothing is due. */
  const takeOne = async (): Promise<boolean> => {
    const taken = Promise.withResolvers<boolean>();
    const work: Promise<void> = owningNext(ground, [kind], options, (owned, claim) => {
      running.add(work);
      taken.resolve(true);
      return advanceOne(owned, claim);
    })
      .catch((error: unknown) => {
        breakWith(error);
        return false;
      })
      .then((found) => {
        running.delete(work);
        taken.resolve(found);
      });
    return taken.promise;
  };
  using hint = ground.journal.subscribe({});
  for (;;) {
    while (running.size < workers && broken.length === 0 && !options.signal.aborted && (await takeOne()));
    if (running.size === 0) break;
    const looked = new AbortController();
    await Promise.race([
      ...running,
      ...(broken.length === 0 ? [hint.next(looked.signal), ground.clock.sleep(LOOK_AGAIN_MS, looked.signal).catch(() => undefined)] : []),
    ]);
    looked.abort();
  }
  over.abort();
  given.signal?.throwIfAborted();
  if (broken.length > 0) throw broken[0];
}
