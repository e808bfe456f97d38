/**
 * Runs a task or makes a skill with somebody there, and kills itself with SIGKILL at a boundary of the asking:
 * before or after the question is written, while it waits, before or after its answer is used.
 *   node question-child.ts <project> <task id, or a wish> <before_asked|after_asked|waiting|after_answered|never>
 */
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { type Store, sqliteDriver } from "../../src/journal/index.ts";

const [project = "", what = "", point = ""] = process.argv.slice(2);
const never = new AbortController().signal;
const at = (here: string): void => {
  if (here === point) process.kill(process.pid, "SIGKILL");
};

function killing(store: Store): Store {
  return {
    ...store,
    journal: {
      ...store.journal,
      append: async (stream, seq, events, fence) => {
        const isAsked = events.some(({ type }) => type === "question.asked");
        if (isAsked) at("before_asked");
        const written = await store.journal.append(stream, seq, events, fence);
        if (isAsked) at("after_asked");
        if (events.some(({ type }) => type === "question.answered")) at("after_answered");
        return written;
      },
    },
  };
}

const app = await openApp({
  cwd: project,
  env: process.env,
  clock: systemClock,
  attended: true,
  driver: { ...sqliteDriver, open: async (options) => killing(await sqliteDriver.open(options)) },
});
const stop = new AbortController();
const answering = (async () => {
  for await (const [question] of app.questions.awaited(stop.signal)) {
    if (question === undefined) continue;
    at("waiting");
    await app.questions.answer(question.id, { kind: "chosen", value: question.ask.kind === "diff" ? "approve" : "once" }, never);
  }
})();
const options = { targets: ["claude"], template: "base", model: undefined, global: false, dryRun: false };
if (what.startsWith("task_")) await app.tasks.run(what, () => undefined, never);
else await app.skills.create(what, options, {}, never);
stop.abort();
await answering;
await app.close();
