/** A search while the project is being read in: it answers from what is there, and says how far it is. */
import { existsSync, globSync } from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { openKnowledgeDatabase } from "../../src/knowledge/store/open-database.ts";
import { createMcpServer, serveHttp } from "../../src/surface/mcp/index.ts";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { openApp } from "../support/lab.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

const signal = new AbortController().signal;

interface Told {
  results: { path: string }[];
  indexing?: { phase: string; done: number; total: number; note: string };
}

function shop() {
  const project = knowledgeProject({
    "src/session.ts": "/** Brings a visitor back. */\nexport function resumeSession(id: string): string {\n  return id;\n}\n",
  });
  project.commit("feat: visitors keep their session");
  const home = tempDir("sylk-home");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, SYLK_HOME: home, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, "-C", project.root, ...args], { env, encoding: "utf8" });
  const told = (...args: string[]): Told =>
    JSON.parse(
      run(...args, "--json")
        .stdout.trim()
        .split("\n")
        .at(-1) ?? "",
    ) as Told;
  /** As another process does that writes for long: nothing more is taken into the index meanwhile. */
  const hold = () => {
    const [file = ""] = globSync(path.join(home, "**", "knowledge.db"));
    expect(existsSync(file)).toBe(true);
    const other = openKnowledgeDatabase(file);
    onTestFinished(() => other[Symbol.dispose]());
    other.db.exec("BEGIN IMMEDIATE");
    return () => other.db.exec("ROLLBACK");
  };
  return { ...project, env, run, told, hold };
}

test("the command answers from what is there while new files wait to be read, says so, and finds them afterwards", () => {
  const { write, run, told, hold } = shop();
  expect(told("search", "resumeSession").indexing).toBeUndefined();
  write("src/lately.ts", "export function resumeLately(id: string): string {\n  return id;\n}\n");
  const release = hold();
  const meanwhile = run("search", "resumeSession resumeLately", "--domain", "code", "--json");
  expect(meanwhile.stderr).toContain("`sylk index` reads on");
  expect(JSON.parse(meanwhile.stdout.trim())).toMatchObject({
    results: [{ path: "src/session.ts" }],
    indexing: { phase: expect.any(String), note: expect.stringContaining("indexing goes on") },
  });
  release();
  const afterwards = told("search", "resumeLately");
  expect(afterwards.indexing).toBeUndefined();
  expect(afterwards.results[0]?.path).toBe("src/lately.ts");
});

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
