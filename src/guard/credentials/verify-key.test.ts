import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyKey, type KeyCheck } from "./verify-key.ts";

let server: Server;
let base = "";
const seen: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    const key = String(request.headers["x-api-key"] ?? request.headers["x-goog-api-key"] ?? request.headers.authorization);
    seen.push(`${request.method} ${request.url}`);
    const status = key.includes("good") ? 200 : key.includes("busy") ? 529 : 401;
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const check = (provider: string, key: string): Promise<KeyCheck> =>
  verifyKey({
    provider,
    key,
    env: {
      ANTHROPIC_BASE_URL: base,
      OPENAI_BASE_URL: `${base}/v1/`,
      GOOGLE_GEMINI_BASE_URL: base,
      GITHUB_API_URL: base,
      OPENROUTER_BASE_URL: "http://127.0.0.1:1",
    },
    signal: new AbortController().signal,
  });

test.each(["anthropic", "openai", "google", "github"])("CRE-005: %s is asked whether it accepts the key", async (provider) => {
  expect(await check(provider, "good-key")).toEqual({ kind: "accepted" });
  expect(await check(provider, "bad-key")).toEqual({ kind: "rejected", status: 401 });
  expect(await check(provider, "busy-key")).toMatchObject({ kind: "unreachable" });
});

test("CRE-005: a network failure is not a bad key, and an unknown provider is not refused", async () => {
  expect(await check("openrouter", "good")).toMatchObject({ kind: "unreachable" });
  expect(await check("figma", "good")).toEqual({ kind: "unverifiable" });
  expect(seen).toContain("GET /v1/models");
  expect(seen.join()).not.toContain("good");
});
