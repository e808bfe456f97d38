import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { isOffline, newestVersion } from "./newest-version.ts";

const never = new AbortController().signal;

async function registry(answer: (url: string) => { status: number; body?: string; location?: string }) {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { status, body = "", location } = answer(request.url ?? "");
    response.writeHead(status, { connection: "close", ...(location === undefined ? {} : { location }) }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

const newest = (current: string, url: string, signal = never) =>
  newestVersion(current, { env: {}, home: tempDir("newest"), registries: () => ({ npm: url }) }, signal);

test.each([
  ["1.0.0-beta.10", "1.0.0-beta.9", true],
  ["1.0.0-beta.9", "1.0.0-beta.10", false],
  ["1.0.0+other", "1.0.0", false],
  ["1.0.1", "1.0.0+build-2", true],
  ["1.0.0", "1.0.0-rc.1", true],
])("%s comes after %s: %s", async (there, here, isNewer) => {
  const { url } = await registry(() => ({ status: 200, body: JSON.stringify({ version: there }) }));
  expect(await newest(here, url)).toEqual({ kind: "known", current: here, newest: there, is_newer: isNewer });
});

test("a registry sends nobody elsewhere, and one that wants credentials is not asked", async () => {
  const other = await registry(() => ({ status: 200, body: '{"version":"9.0.0"}' }));
  const { url } = await registry(() => ({ status: 302, location: `${other.url}/sylk/latest` }));
  expect(await newest("1.0.0", url)).toMatchObject({ kind: "unknown", why: expect.stringContaining("does not answer") as string });
  expect(await newest("1.0.0", other.url.replace("http://", "http://user:pass@"))).toMatchObject({
    kind: "unknown",
    why: "your registry cannot be asked without credentials",
  });
  expect(other.asked).toEqual([]);
});

test("more than a registry has to say is not read, and whoever stops asking hears that it was stopped", async () => {
  const { url } = await registry(() => ({ status: 200, body: `{"version":"9.0.0","x":"${"x".repeat(5 * 1024 * 1024)}"}` }));
  expect(await newest("1.0.0", url)).toMatchObject({ kind: "unknown" });
  await expect(newest("1.0.0", url, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

test.each([
  [undefined, false],
  ["", false],
  ["0", false],
  ["false", false],
  ["1", true],
  ["true", true],
])("SYLK_OFFLINE=%s: %s", (value, offline) => {
  expect(isOffline({ SYLK_OFFLINE: value })).toBe(offline);
});
