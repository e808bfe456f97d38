/**
 * Runs a task in a process of its own, and kills itself with SIGKILL right before or right after a
 * given append to the task's stream.
 *   node task-child.ts <project> <task id> <before|after|never> <n>
 */
import { openApp } from "../../src/app/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { openStore, type Store } from "../../src/journal/index.ts";

const [project, id, when, n] = process.argv.slice(2) as [string, string, "before" | "after" | "never", string];

let appends = 0;
function killing(store: Store): Store {
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  return {
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        if (!stream.startsWith("task/")) return store.journal.append(stream, seq, events, fence);
        appends += 1;
        if (when === "before" && appends === Number(n)) die();
        const written = await store.journal.append(stream, seq, events, fence);
        if (when === "after" && appends === Number(n)) die();
        return written;
      },
    },
  };
}

const app = await openApp({
  cwd: project,
  env: process.env,
  clock: systemClock,
  openStore: async (options) => killing(await openStore(options)),
});
const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
process.stdout.write(JSON.stringify({ status: end.status, verified: end.verified, appends }));
await app.close();
