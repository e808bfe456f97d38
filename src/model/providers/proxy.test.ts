import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { modelRequest, never, openTestGate } from "../../../test/support/model-gate.ts";

test("calls go through HTTP_PROXY, and NO_PROXY is left out of it", async () => {
  const seen: string[] = [];
  const proxy = http.createServer((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":{"message":"from the proxy"}}');
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const gate = openTestGate({
    config: {
      providers: {
        far: { kind: "compatible", base_url: "http://models.invalid/v1" },
        near: { kind: "compatible", base_url: "http://localhost:9/v1" },
      },
      retry: { external_degrading: { max_attempts: 1 }, transient: { max_attempts: 1 } },
    },
    options: { env: { HTTP_PROXY: address, NO_PROXY: "localhost" } },
  });
  expect(await gate.stream(modelRequest({ model: "far/m" }), never).result()).toMatchObject({
    kind: "failed",
    error: { code: "MODEL_AUTH" },
  });
  await gate.stream(modelRequest({ model: "near/m" }), never).result();
  expect(seen).toEqual(["POST http://models.invalid/v1/chat/completions"]);
  await new Promise((resolve) => proxy.close(resolve));
});
