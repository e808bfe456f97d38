/** The searching thread: answers one question after the other on its own reading connection. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../kernel/index.ts";
import type { Near } from "../embed/find-near.ts";
import { openKnowledgeReader } from "../store/open-database.ts";
import { createSearchIndex, type IndexQuestion } from "./search-index.ts";

export interface SearchCall {
  id: number;
  request: IndexQuestion;
  nowMs: number;
  near: Near | undefined;
}

const port = parentPort as NonNullable<typeof parentPort>;
const search = createSearchIndex(openKnowledgeReader((workerData as { file: string }).file).db);

port.on("message", ({ id, request, nowMs, near }: SearchCall) => {
  try {
    port.postMessage({ id, hits: search(request, nowMs, near) });
  } catch (error) {
    port.postMessage({ id, error: messageOf(error) });
  }
});
