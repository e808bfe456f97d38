/**
 * Does one job in a process of its own, and kills or stops itself right before or right after a given append to the
 * streams that are watched.
 *   node run-child.ts <project> <job as JSON>
 */
import { writeSync } from "node:fs";
import type { SkillConduct } from "../../src/forge/index.ts";
import { openApp } from "../support/lab.ts";
import { systemClock, SylkError } from "../../src/kernel/index.ts";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";
import { elsewhere } from "../support/elsewhere.ts";
import { startInTree, type Job } from "./run-life.ts";

const [project, text] = process.argv.slice(2) as [string, string];
const job = JSON.parse(text) as Job;

let appends = 0;
function die(): void {
  // Whoever waits for it hears of it first.
  writeSync(3, "now");
  process.kill(process.pid, job.signal);
}

function dying(store: Store): Store {
  const at = async <T>(stream: string, append: () => Promise<T>): Promise<T> => {
    if (!job.streams.some((prefix) => stream.startsWith(prefix))) return append();
    appends += 1;
    const hit = appends === job.n;
    if (hit && job.when === "before") die();
    const written = await append();
    if (hit && job.when === "after") die();
    return written;
  };
  const { journal, work } = store;
  const finish: typeof work.finish = (claim, stream, seq, events) => at(stream, () => work.finish(claim, stream, seq, events));
  return {
    ...store,
    journal: { ...journal, append: (stream, seq, events, fence) => at(stream, () => journal.append(stream, seq, events, fence)) },
    work: Object.assign(Object.create(work) as typeof work, { finish }),
  };
}

const app = await openApp({
  cwd: project,
  env: process.env,
  clock: systemClock,
  driver: {
    ...sqliteDriver,
    open: async (options) => {
      const store = dying(await sqliteDriver.open(options));
      return job.leaseMs === undefined ? store : elsewhere(store, job.leaseMs);
    },
  },
});
const signal = new AbortController().signal;
const conduct: SkillConduct = { approve: true, onCollision: "overwrite" };

/** A person who wants more while it is built; whoever was cut off says it again where it was not heard. */
async function added({ id, adds }: Extract<Job, { do: "request" }>): Promise<void> {
  if (adds === undefined) return;
  for await (const { payload } of app.api.events({ types: ["task.created"] }, 0, signal)) {
    const { role, inputs } = payload as { role: string; inputs: Record<string, string> };
    if (role === "engineer" && inputs["your part of it"]?.startsWith(`${adds.during}\n`) === true) break;
  }
  const { intent } = await app.api.query({ type: "request.show", id });
  if (!intent.said.some(({ words }) => words === adds.words)) await app.api.send({ type: "request.add", id, words: adds.words });
}

async function outcome(): Promise<unknown> {
  switch (job.do) {
    case "task": {
      const { status, verified } = await app.tasks.run(job.id, () => undefined, signal);
      return { status, verified };
    }
    case "merge":
      return app.trees.merge(job.id, undefined, signal);
    case "tree":
      return startInTree(app, job.rules);
    case "request": {
      const [{ status, work, end }] = await Promise.all([app.api.send({ type: "request.run", id: job.id }), added(job)]);
      return { status, work: work.map(({ state }) => state), files: end?.files ?? [] };
    }
    case "skill": {
      const options = { targets: ["claude", "gemini"], template: "base", model: undefined, global: false, dryRun: false };
      return app.skills.create(job.wish, options, conduct, signal);
    }
  }
}

try {
  process.stdout.write(JSON.stringify({ outcome: await outcome(), appends }));
} catch (error) {
  if (!SylkError.is(error)) throw error;
  process.stdout.write(JSON.stringify({ refused: error.code, appends }));
}
await app.close();
