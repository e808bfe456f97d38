/**
 * Structured concurrency: what is started in a scope ends before the scope does. The first failure
 * aborts the rest; nothing runs on after its owner has returned.
 */
import { SylkError, must } from "./errors.ts";
import type { Clock } from "./clock.ts";

export interface Scope {
  readonly signal: AbortSignal;
  /** Starts work that the scope waits for. Its failure aborts the scope. */
  spawn(work: (signal: AbortSignal) => Promise<void>): void;
}

export async function withScope<T>(parent: AbortSignal | undefined, body: (scope: Scope) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const signal = parent === undefined ? controller.signal : AbortSignal.any([parent, controller.signal]);
  const running = new Set<Promise<void>>();
  const failure: { error: unknown; set: boolean } = { error: undefined, set: false };
  const fail = (error: unknown): void => {
    if (!failure.set) {
      failure.error = error;
      failure.set = true;
    }
    controller.abort(error);
  };
  const scope: Scope = {
    signal,
    spawn(work) {
      const promise: Promise<void> = Promise.resolve()
        .then(() => work(signal))
        .catch(fail)
        .finally(() => running.delete(promise));
      running.add(promise);
    },
  };
  let result: T | undefined;
  try {
    result = await body(scope);
  } catch (error) {
    fail(error);
  }
  while (running.size > 0) await Promise.all(running);
  if (failure.set) throw failure.error;
  return result as T;
}

/** Maps with at most `limit` calls in flight, keeping order; the first failure aborts the others. */
export async function mapLimit<In, Out>(
  items: readonly In[],
  limit: number,
  work: (item: In, index: number, signal: AbortSignal) => Promise<Out>,
  parent?: AbortSignal,
): Promise<Out[]> {
  const results: Out[] = Array.from({ length: items.length });
  let next = 0;
  await withScope(parent, (scope) => {
    for (let lane = 0; lane < Math.min(limit, items.length); lane += 1) {
      scope.spawn(async (signal) => {
        while (next < items.length) {
          signal.throwIfAborted();
          const index = next++;
          results[index] = await work(must(items[index]), index, signal);
        }
      });
    }
    return Promise.resolve();
  });
  return results;
}

/** Runs `work` with a signal that aborts after `timeoutMs`; a passed deadline is a transient error. */
export async function withDeadline<T>(
  options: { clock: Clock; timeoutMs: number; what: string; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const done = new AbortController();
  const late = new SylkError({
    code: "DEADLINE_PASSED",
    tier: "transient",
    message: `${options.what} took longer than ${options.timeoutMs} ms`,
  });
  const signal = options.signal === undefined ? timer.signal : AbortSignal.any([options.signal, timer.signal]);
  const watch = options.clock.sleep(options.timeoutMs, done.signal).then(
    () => timer.abort(late),
    () => undefined,
  );
  try {
    return await Promise.race([
      work(signal),
      new Promise<never>((_, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      }),
    ]);
  } finally {
    done.abort();
    await watch;
  }
}
