/** Runs handlers: one run to its end or its next wait, or whatever is due. */
import type { View, Wake } from "../types.ts";
import { owning, owningNext, type OwnOptions } from "./own.ts";
import { OwnedRun, type Run, type RunGround } from "./run.ts";
import { runView } from "./run-state.ts";
import type { JournalEvent } from "../../protocol/events/index.ts";

/** What a run rests for: an instant, the end of another run, or a stream that goes on past what was seen of it. */
export type Wait = Wake | { run: string };

export interface RunHandler<S> {
  kind: string;
  view: View<S>;
  /** The state of a run of which nothing is known yet; absent: such a run is refused. */
  fresh?: S;
  /** False: a user ended the run. Whoever works on it is aborted, also by what another process wrote. */
  mayGoOn?(state: S): boolean;
  /** One piece of the run's way. Called again from wherever the journal stands, by whatever process. */
  advance(run: Run<S>): Promise<"again" | "done" | { wait: Wait }>;
}

/** A run ends between the look and the rest: its stream is measured first, so the end is not slept through. */
async function wakeOf({ journal }: RunGround, wait: Wait): Promise<Wake | "again"> {
  if (!("run" in wait)) return wait;
  const after = await journal.head(wait.run);
  return (await journal.get(runView, wait.run))?.finished === undefined ? { stream: wait.run, after } : "again";
}

async function advance<S>(ground: RunGround, handler: RunHandler<S>, run: OwnedRun<S>): Promise<Wake | undefined> {
  const watch = handler.mayGoOn === undefined ? undefined : watching(ground, run);
  try {
    return await advanceAll(ground, handler, run);
  } catch (error) {
    if (!run.stopped) throw error;
    await run.refresh();
    return undefined;
  } finally {
    await watch?.[Symbol.asyncDispose]();
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
