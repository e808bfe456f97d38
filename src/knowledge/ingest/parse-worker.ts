/** A parsing thread: paths come in, read files go out. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../kernel/index.ts";
import { createFileReader, type ReaderOptions } from "./read-project-file.ts";

const read = createFileReader(workerData as ReaderOptions);
const port = parentPort as NonNullable<typeof parentPort>;

port.on("message", (job: { path: string; hash: string | undefined }) => {
  void read(job.path, job.hash).then(
    (report) => port.postMessage(report),
    (error: unknown) => port.postMessage({ kind: "failed", path: job.path, message: messageOf(error) }),
  );
});
