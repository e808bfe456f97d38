/** Follows changes on disk: bursts become one update, and what an editor does in several steps becomes one change. */
import path from "node:path";
import { watch } from "chokidar";
import type { Clock } from "../../kernel/index.ts";

const WATCH_LIMITS = { debounceMs: 100, manyPaths: 100 };

/** Yields the paths that may have changed; undefined when so many did that everything should be looked at. */
export async function* watchProject(root: string, clock: Clock, signal: AbortSignal): AsyncGenerator<string[] | undefined> {
  const pending = new Set<string>();
  let wake: () => void = () => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));
  const watcher = watch(root, {
    ignoreInitial: true,
    ignored: (file) => /(?:^|[/\\])(?:\.git|node_modules|\.sylk|__pycache__|\.cache|\.venv)(?:[/\\]|$)/u.test(path.relative(root, file)),
  });
  // The branch may be switched, or history grow, without any file changing.
  const head = watch([path.join(root, ".git", "HEAD"), path.join(root, ".git", "logs", "HEAD")], { ignoreInitial: true });
  watcher.on("all", (_event, file) => {
    pending.add(path.relative(root, file).replaceAll("\\", "/"));
    wake();
  });
  head.on("all", () => wake());
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    while (!signal.aborted) {
      await changed;
      for (let seen = -1; seen !== pending.size && !signal.aborted;) {
        seen = pending.size;
        await clock.sleep(WATCH_LIMITS.debounceMs, signal).catch(() => undefined);
      }
      if (signal.aborted) return;
      changed = new Promise<void>((resolve) => (wake = resolve));
      const paths = [...pending];
      pending.clear();
      yield paths.length === 0 || paths.length > WATCH_LIMITS.manyPaths ? undefined : paths;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    await Promise.all([watcher.close(), head.close()]);
  }
}
