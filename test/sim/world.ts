/** Where effects happen. What was written and not synced is gone when the power goes. */
import type { Life } from "./timeline.ts";

interface Change {
  times: number;
  by: Life;
  isSynced: boolean;
}

export class World {
  readonly #changes = new Map<string, Change>();

  #find(run: string, key: string): Change | undefined {
    return this.#changes.get(`${run} ${key}`);
  }

  applied(run: string, key: string): number {
    return this.#find(run, key)?.times ?? 0;
  }

  isKept(run: string, key: string): boolean {
    return this.#find(run, key)?.isSynced === true;
  }

  apply(by: Life, run: string, key: string, isSynced: boolean): void {
    this.#changes.set(`${run} ${key}`, { times: this.applied(run, key) + 1, by, isSynced });
  }

  sync(run: string, key: string): void {
    const change = this.#find(run, key);
    if (change !== undefined) change.isSynced = true;
  }

  powerLost(lives: readonly Life[]): void {
    for (const [name, change] of this.#changes) if (!change.isSynced && lives.includes(change.by)) this.#changes.delete(name);
  }
}
