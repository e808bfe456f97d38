/** The writing thread: the only one that changes the knowledge database. Requests come one by one. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf, systemClock, SylkError } from "../../kernel/index.ts";
import { writeMeta } from "../store/meta.ts";
import { openKnowledgeDatabase } from "../store/open-database.ts";
import { createHistoryWriter, type HistoryEntry } from "../store/history-writer.ts";
import { createVectorWriter, type VectorOutcome } from "../store/vector-writer.ts";
import { indexProject, type IndexRequest } from "./index-project.ts";
import { writeEntry, type EntryAct } from "./write-entry.ts";
import type { VectorAct } from "../store/vector-writer.ts";

export type WorkerRequest =
  | { id: number; op: "index"; request: IndexRequest }
  | { id: number; op: "history"; source: string; entries: HistoryEntry[]; journalPosition: number | undefined; whole: boolean }
  | { id: number; op: "vectors"; act: VectorAct }
  | { id: number; op: "entry"; act: EntryAct }
  | { id: number; op: "abort"; of: number };

const port = parentPort as NonNullable<typeof parentPort>;
const { file } = workerData as { file: string };
const { db } = openKnowledgeDatabase(file);
const running = new Map<number, AbortController>();
let line: Promise<void> = Promise.resolve();

function writeVectors(act: VectorAct): VectorOutcome {
  const writer = createVectorWriter(db);
  if (act.kind === "resize") return writer.resize(act.model, act.from, act.to);
  if (act.kind === "put") return writer.put(act.model, act.dimensions, act.vectors);
  if (act.kind === "start") writer.start(act.model);
  else if (act.kind === "note") writer.note(act.model, act.trouble);
  else writer.tidy();
  return { kind: "kept" };
}

async function perform(request: Exclude<WorkerRequest, { op: "abort" }>, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  if (request.op === "history") {
    const writer = createHistoryWriter(db);
    const removed = request.whole ? writer.keepOnly(request.source, new Set(request.entries.map((entry) => entry.id))) : 0;
    const written = removed + writer.write(request.source, request.entries);
    if (request.journalPosition !== undefined) writeMeta(db, "journal_position", String(request.journalPosition));
    return written;
  }
  if (request.op === "entry") return writeEntry(db, request.act);
  if (request.op === "vectors") return writeVectors(request.act);
  let last = 0;
  return indexProject(request.request, {
    db,
    clock: systemClock,
    signal,
    onProgress: (progress) => {
      const now = systemClock.monotonic();
      if (progress.phase === "reading" && now - last < 100 && progress.done < progress.total) return;
      last = now;
      port.postMessage({ id: request.id, progress });
    },
  });
}

port.on("message", (request: WorkerRequest) => {
  if (request.op === "abort") {
    running.get(request.of)?.abort();
    return;
  }
  const controller = new AbortController();
  running.set(request.id, controller);
  line = line.then(() =>
    perform(request, controller.signal)
      .then(
        (result) => port.postMessage({ id: request.id, result }),
        (error: unknown) =>
          port.postMessage({
            id: request.id,
            error: SylkError.is(error) ? error.toJSON() : { code: "INDEX_FAILED", message: messageOf(error) },
          }),
      )
      .finally(() => running.delete(request.id)),
  );
});
