/** The searching thread as seen from the one that serves: started when first needed, ended with its owner. */
import { Worker } from "node:worker_threads";
import { SylkError } from "../../kernel/index.ts";
import type { Near } from "../embed/find-near.ts";
import type { SearchHit } from "../types.ts";
import type { IndexQuestion } from "./search-index.ts";
import type { SearchCall } from "./search-worker.ts";

export interface SearchClient extends AsyncDisposable {
  search(request: IndexQuestion, nowMs: number, near?: Near): Promise<SearchHit[]>;
}

type Answer = { id: number; hits: SearchHit[] } | { id: number; error: string };

export function createSearchClient(file: string): SearchClient {
  let worker: Worker | undefined;
  let next = 1;
  const waiting = new Map<number, { resolve: (hits: SearchHit[]) => void; reject: (error: Error) => void }>();
  const failed = (message: string): SylkError => new SylkError({ code: "KNOWLEDGE_SEARCH_FAILED", tier: "permanent", message });
  const start = (): Worker => {
    const made = new Worker(new URL("./search-worker.ts", import.meta.url), { workerData: { file } });
    made.on("message", (answer: Answer) => {
      const job = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) made.unref();
      if ("hits" in answer) job?.resolve(answer.hits);
      else job?.reject(failed(answer.error));
    });
    made.on("error", (error: unknown) => {
      worker = undefined;
      for (const job of waiting.values()) job.reject(failed(String(error)));
      waiting.clear();
    });
    return made;
  };
  return {
    search(request, nowMs, near) {
      worker ??= start();
      worker.ref();
      const target = worker;
      const call: SearchCall = { id: next++, request, nowMs, near };
      return new Promise((resolve, reject) => {
        waiting.set(call.id, { resolve, reject });
        target.postMessage(call);
      });
    },
    async [Symbol.asyncDispose]() {
      await worker?.terminate();
      worker = undefined;
    },
  };
}
