/**
 * Runs a task through the real engine in a process of its own, and kills itself with SIGKILL right
 * before or right after a given append to the task's stream.
 *   node task-child.ts <project> <task id> <before|after|never> <n>
 */
import path from "node:path";
import { projectDirs, resolveDirs, systemClock } from "../../src/kernel/index.ts";
import { openConfig } from "../../src/kernel/config/index.ts";
import { openStore, type Store } from "../../src/journal/index.ts";
import { projectModelViews } from "../../src/model/index.ts";
import { runTask, taskView } from "../../src/step/index.ts";
import { configSchema } from "../../src/app/config-schema.ts";
import { createEngine } from "../../src/app/engine.ts";

const [project, id, when, n] = process.argv.slice(2) as [string, string, "before" | "after" | "never", string];
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const dirs = projectDirs(project);
const config = openConfig(configSchema, () => ({ env: {} }), systemClock).loaded.config;

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

const store = killing(await openStore({ path: dirs.database, clock: systemClock, views: [taskView, ...projectModelViews] }));
const engine = createEngine({
  dirs: resolveDirs({ env: { SYLK_HOME: path.join(project, "..", "home") }, platform: process.platform }),
  project: dirs,
  env: process.env,
  modelEnvironment: () => Promise.resolve(process.env),
  clock: systemClock,
  log: silent,
  config: () => config,
  redact: (text) => text,
  store: () => Promise.resolve(store),
});
const end = await runTask({ engine: await engine.open(), id, signal: new AbortController().signal });
process.stdout.write(JSON.stringify({ status: end.status, verified: end.verified, appends }));
await engine.close();
await store.close();
