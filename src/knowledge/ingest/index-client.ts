/** The writing thread as seen from the main one: started when first needed, ended with its owner. */
import { Worker } from "node:worker_threads";
import { SylkError } from "../../kernel/index.ts";
import type { HistoryEntry } from "../store/history-writer.ts";
import type { VectorOutcome } from "../store/vector-writer.ts";
import type { IndexReport, IndexRequest } from "./index-project.ts";
import type { IndexProgress } from "../types.ts";
import type { WorkerRequest } from "./index-worker.ts";
import type { VectorAct } from "../store/vector-writer.ts";
import type { EntryAct, EntryResults } from "./write-entry.ts";

interface Answer {
  id: number;
  result?: unknown;
  error?: { code: string; message: string; tier?: SylkError["tier"]; fix?: string };
  progress?: IndexProgress;
}

export interface IndexClient extends AsyncDisposable {
  index(
    request: IndexRequest,
    options: { onProgress?: ((progress: IndexProgress) => void) | undefined; signal?: AbortSignal | undefined },
  ): Promise<IndexReport>;
  writeHistory(
    source: string,
    entries: HistoryEntry[],
    options: { journalPosition?: number | undefined; whole?: boolean | undefined },
  ): Promise<number>;
  writeVectors(act: VectorAct): Promise<VectorOutcome>;
  writeEntry<K extends EntryAct["kind"]>(act: Extract<EntryAct, { kind: K }>): Promise<EntryResults[K]>;
}

type Job = { resolve: (value: never) => void; reject: (error: Error) => void; onProgress: ((progress: IndexProgress) => void) | undefined };

export function createIndexClient(file: string): IndexClient {
  let worker: Worker | undefined;
  let next = 1;
  const jobs = new Map<number, Job>();
  const fail = (error: Error): void => {
    worker = undefined;
    for (const job of jobs.values()) job.reject(error);
    jobs.clear();
  };
  const start = (): Worker => {
    const made = new Worker(new URL("./index-worker.ts", import.meta.url), { workerData: { file } });
    made.on("message", (answer: Answer) => {
      const job = jobs.get(answer.id);
      if (answer.progress !== undefined) {
        job?.onProgress?.(answer.progress);
        return;
      }
      jobs.delete(answer.id);
      if (jobs.size === 0) made.unref();
      if (answer.error === undefined) job?.resolve(answer.result as never);
      else job?.reject(SylkError.revive({ tier: "permanent", ...answer.error }));
    });
    made.on("error", (error: unknown) => fail(error as Error));
    return made;
  };
  const ask = <T>(
    request: WorkerRequest extends infer R ? (R extends { id: number } ? Omit<R, "id"> : never) : never,
    onProgress?: (progress: IndexProgress) => void,
    signal?: AbortSignal,
  ): Promise<T> => {
    signal?.throwIfAborted();
    worker ??= start();
    worker.ref();
    const id = next++;
    const target = worker;
    const onAbort = (): void => target.postMessage({ id: 0, op: "abort", of: id });
    signal?.addEventListener("abort", onAbort, { once: true });
    return new Promise<T>((resolve, reject) => {
      jobs.set(id, { resolve, reject, onProgress });
      target.postMessage({ ...request, id });
    }).finally(() => signal?.removeEventListener("abort", onAbort));
  };
  return {
    index: (request, { onProgress, signal }) => ask({ op: "index", request }, onProgress, signal),
    writeHistory: (source, entries, { journalPosition, whole = false }) => ask({ op: "history", source, entries, journalPosition, whole }),
    writeVectors: (act) => ask({ op: "vectors", act }),
    writeEntry: (act) => ask({ op: "entry", act }),
    async [Symbol.asyncDispose]() {
      const ending = worker;
      fail(new DOMException("the index was closed", "AbortError"));
      await ending?.terminate();
    },
  };
}
