/** What the last validation runs looked at: tasks in which checks ran, their files read or changed (GTR-008). */
import path from "node:path";
import { isoTime } from "../kernel/index.ts";
import type { Store } from "../journal/index.ts";
import { taskView } from "./task-view.ts";
import { EVENTS, STREAMS } from "../protocol/events/index.ts";

const RUNS = 3;

/** By source of a fact (a path, a folder or a pattern): the day of the newest of these runs that touched it. */
export async function lastReferences(store: Store): Promise<(source: string) => string | undefined> {
  const rows = await store.journal.list(taskView, { prefix: "task/", reverse: true });
  const runs = rows.map((row) => row.state).filter((state) => state.verification !== undefined);
  const touched: { file: string; day: string }[] = [];
  for (const state of runs.slice(0, RUNS)) {
    const day = isoTime(state.updatedAt).slice(0, 10);
    const files = new Set(Object.keys(state.changedFiles));
    for (const event of await store.journal.read(STREAMS.task(state.created.id)))
      if (EVENTS.task.acted.is(event))
        for (const effect of event.payload.effects)
          if (effect.op === "put" && effect.item.source !== undefined) files.add(effect.item.source.path);
    for (const file of files) touched.push({ file, day });
  }
  return (source) => touched.find(({ file }) => covers(source, file))?.day;
}

function covers(source: string, file: string): boolean {
  const pattern = source.replace(/ \(tests\)$/, "");
  return file === pattern || (pattern.endsWith("/") && file.startsWith(pattern)) || path.matchesGlob(file, pattern);
}
