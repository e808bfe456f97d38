/**
 * Sylk itself, once more and without a terminal: what ran when its terminal was closed goes on there until it asks
 * something or is over. Not a command of a task: nothing of an agent or a project chooses it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** What runs here now, by the words that go on with it. */
export interface Running {
  words: readonly string[];
  /** Aborted when the user stopped it. */
  signal: AbortSignal;
}

/** Keeps what runs, and what of it was running when the terminal went away. */
export class OpenWork {
  #now: Running | undefined;
  #left: readonly string[] | undefined;

  begin(running: Running): Disposable {
    this.#now = running;
    return {
      [Symbol.dispose]: () => {
        if (this.#now === running) this.#now = undefined;
      },
    };
  }

  /** The terminal is gone. What its user stopped before is not wanted any more. */
  leave(): void {
    if (this.#now?.signal.aborted === false) this.#left = this.#now.words;
  }

  get left(): readonly string[] | undefined {
    return this.#left;
  }
}

/** In a session of its own, so that no terminal ends it. One that cannot be started leaves the work where it stands. */
export async function goOnAlone(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [, entry = ""] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, entry, ...args], { detached: true, stdio: "ignore", env });
  // Nobody is there to be told.
  await once(child, "spawn").catch(() => undefined);
  child.unref();
}
