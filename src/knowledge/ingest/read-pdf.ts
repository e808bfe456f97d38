/**
 * A PDF as text, by an existing reader in a thread of its own. A few bytes of it can unpack to gigabytes and to hours of
 * work: past its time or its room the thread is ended, and the document cannot be read.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { messageOf, SylkError, systemClock } from "../../kernel/index.ts";
import type { PdfAnswer } from "./pdf-worker.ts";

const PDF_LIMITS = { ms: 20_000, heapMb: 512 };

function unreadable(why: string, cause?: unknown): SylkError {
  return new SylkError({
    code: "DOCUMENT_UNREADABLE",
    tier: "user_fixable",
    message: `the PDF cannot be read: ${why}`,
    fix: "check that it opens in a reader and holds text, not pictures of text",
    cause,
  });
}

export async function pdfToText(bytes: Uint8Array): Promise<string> {
  const worker = new Worker(new URL("./pdf-worker.ts", import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: PDF_LIMITS.heapMb },
  });
  const stop = new AbortController();
  const late = systemClock.sleep(PDF_LIMITS.ms, stop.signal).then((): PdfAnswer => ({ kind: "failed", message: "it takes too long" }));
  try {
    const [answer] = (await Promise.race([once(worker, "message"), late.then((one) => [one])])) as [PdfAnswer];
    if (answer.kind === "read") return answer.text;
    throw unreadable(answer.message);
  } catch (error) {
    throw SylkError.is(error, "DOCUMENT_UNREADABLE") ? error : unreadable(messageOf(error), error);
  } finally {
    stop.abort();
    await worker.terminate();
  }
}
