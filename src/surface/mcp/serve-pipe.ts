/** MCP over stdin and stdout. Whoever writes all requests and then closes the pipe still gets every answer. */
import { PassThrough } from "node:stream";
import { isJSONRPCNotification, isJSONRPCRequest, type McpServer, type Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { yieldToLoop, type Clock } from "../../kernel/index.ts";

/** An answer that takes longer is given up once nobody can ask any more. */
const LAST_ANSWERS_MS = 120_000;

export async function servePipe(create: () => McpServer, clock: Clock, signal: AbortSignal): Promise<void> {
  const input = new PassThrough();
  const wire = new StdioServerTransport(input, process.stdout);
  const open = new Set<string | number>();
  let asked = false;
  const closed = Promise.withResolvers<void>();
  const done = new AbortController();
  const endWhenAnswered = (): void => {
    if (asked && open.size === 0) input.end();
  };
  const transport: Transport = {
    async start() {
      wire.onmessage = (message) => {
        if (isJSONRPCRequest(message)) open.add(message.id);
        if (isJSONRPCNotification(message) && message.method === "notifications/cancelled")
          open.delete((message.params as { requestId: string | number }).requestId);
        transport.onmessage?.(message);
      };
      wire.onerror = (error) => transport.onerror?.(error);
      wire.onclose = () => {
        transport.onclose?.();
        closed.resolve();
      };
      await wire.start();
    },
    async send(message) {
      await wire.send(message);
      if ("method" in message || message.id === undefined) return;
      open.delete(message.id);
      endWhenAnswered();
    },
    close: () => wire.close(),
  };
  const handle = serveStdio(create, { transport });
  process.stdin.on("data", (chunk) => input.write(chunk));
  process.stdin.once("end", () => {
    void yieldToLoop().then(() => {
      asked = true;
      endWhenAnswered();
    });
    clock.sleep(LAST_ANSWERS_MS, done.signal).then(
      () => input.end(),
      () => undefined,
    );
  });
  const stop = (): void => closed.resolve();
  signal.addEventListener("abort", stop, { once: true });
  await closed.promise;
  done.abort();
  signal.removeEventListener("abort", stop);
  process.stdin.pause();
  await handle.close();
}
