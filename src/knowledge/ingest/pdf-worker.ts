/** The thread that reads one PDF and ends: one heading per page, so that a hit can name it. */
import { parentPort, workerData } from "node:worker_threads";
import { extractText, getDocumentProxy } from "unpdf";
import { messageOf } from "../../kernel/index.ts";

export type PdfAnswer = { kind: "read"; text: string } | { kind: "failed"; message: string };

async function read(bytes: Uint8Array): Promise<PdfAnswer> {
  try {
    const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: false });
    return { kind: "read", text: text.map((page, i) => `# Page ${i + 1}\n\n${page}`).join("\n\n") };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}

parentPort?.postMessage(await read(new Uint8Array(workerData as Uint8Array)));
