/** A few parsing threads with one job each in hand and one waiting, so that memory stays bounded. */
import { Worker } from "node:worker_threads";
import { SylkError } from "../../kernel/index.ts";
import type { FileReport } from "../store/file-report.ts";
import type { ReaderOptions } from "./read-project-file.ts";

type Answer = FileReport | { kind: "failed"; path: string; message: string };

export interface ParserPool extends AsyncDisposable {
  read(path: string, hash: string | undefined): Promise<FileReport>;
  readonly lanes: number;
}

export function openParserPool(options: ReaderOptions, threads: number): ParserPool {
  const workers: { worker: Worker; waiting: Map<string, { resolve: (report: FileReport) => void; reject: (error: Error) => void }> }[] = [];
  for (let i = 0; i < threads; i += 1) {
    const worker = new Worker(new URL("./parse-worker.ts", import.meta.url), { workerData: options });
    const waiting: (typeof workers)[number]["waiting"] = new Map();
    worker.on("message", (answer: Answer) => {
      const job = waiting.get(answer.path);
      if (job === undefined) return;
      waiting.delete(answer.path);
      if (answer.kind === "failed")
        job.reject(
          new SylkError({ code: "INDEX_FILE_FAILED", tier: "permanent", message: `${answer.path} cannot be indexed: ${answer.message}` }),
        );
      else job.resolve(answer);
    });
    worker.on("error", (error: unknown) => {
      for (const job of waiting.values()) job.reject(error as Error);
      waiting.clear();
    });
    workers.push({ worker, waiting });
  }
  return {
    lanes: threads * 2,
    read(path, hash) {
      const lane = workers.reduce((best, one) => (one.waiting.size < best.waiting.size ? one : best));
      return new Promise((resolve, reject) => {
        lane.waiting.set(path, { resolve, reject });
        lane.worker.postMessage({ path, hash });
      });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    },
  };
}
