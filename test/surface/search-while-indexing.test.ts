/** A search while the project is being read in: it answers from what is there, and says how far it is. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { createMcpServer, serveHttp } from "../../src/surface/mcp/index.ts";
import { openApp } from "../support/lab.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type Told, shop } from "./search-while-indexing.ts";

const signal = new AbortController().signal;

test("in a folder never read before MCP answers after the longest wait, with how far it is, and the reading comes to its end beside it", async () => {
  const { root, env, run, hold } = shop();
  // A database without anything in it.
  expect(run("knowledge", "status").status).toBe(0);
  const release = hold();
  const clock = new ManualClock();
  const app = await openApp({ cwd: root, env, clock });
  onTestFinished(async () => app.close());
  const token = "t".repeat(64);
  await using server = await serveHttp(() => createMcpServer(app.api, signal), { port: 0, token });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  onTestFinished(() => client.close());
  const search = async (): Promise<Told> => {
    const answer = (await client.callTool({ name: "search", arguments: { query: "resumeSession" } })) as { content: { text: string }[] };
    return JSON.parse(answer.content[0]?.text ?? "") as Told;
  };
  const patient = async <T>(asked: Promise<T>): Promise<T> => {
    await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
    await clock.advance(10_000);
    return asked;
  };
  expect(await patient(search())).toMatchObject({ results: [], indexing: { note: expect.stringContaining("indexing goes on") } });
  release();
  expect(await app.knowledge.refresh({ signal, whole: true })).toEqual({ indexing: null });
  const found = await search();
  expect(found.indexing).toBeUndefined();
  expect(found.results[0]?.path).toBe("src/session.ts");
});
