/** What agents remember, what the user prefers, and what went wrong before. */
import type { LiveHub } from "../../step/index.ts";
import type { CommandHandlers, QueryHandlers } from "../create-api.ts";
import type { MemoryApi } from "../../memory/index.ts";

export function memoryHandlers({ memory, live }: { memory: MemoryApi; live: LiveHub["sink"] }) {
  return {
    commands: {
      "memory.save": ({ agent, entry, dry_run: dryRun, archive }, signal) => memory.save(agent, entry, { dryRun, archive }, signal),
      "memory.refresh": ({ dry_run: dryRun, ...request }, signal) =>
        memory.refresh({ ...request, dryRun, onProgress: (what) => live({ type: "progress", about: "refresh", what }) }, signal),
      "memory.apply": ({ ids, dry_run: dryRun }, signal) => memory.apply(ids, { dryRun }, signal),
      "memory.restore": ({ agent, which, dry_run: dryRun }, signal) => memory.restore(agent, which, { dryRun }, signal),
      "memory.forget": ({ what, dry_run: dryRun }, signal) => memory.forget(what, { dryRun }, signal),
      "memory.learn": async ({ feedback }) => {
        await memory.learn(feedback);
        return null;
      },
      "memory.report_mistake": ({ dry_run: dryRun, ...report }) => memory.reportMistake(report, { dryRun }),
    } satisfies Partial<CommandHandlers>,
    queries: {
      "memory.agents": async () => memory.agents(),
      "memory.load": async ({ agent, recent }) => memory.load(agent, { recent }),
      "memory.budget": async () => memory.budget(),
      "memory.hygiene": (_, signal) => memory.hygiene(signal),
      "memory.log": ({ agent }) => memory.log(agent),
      "memory.preferences": ({ category, supposed }) => memory.preferences(category, supposed),
      "memory.mistakes": ({ approach }) => memory.mistakes(approach),
    } satisfies Partial<QueryHandlers>,
  };
}
