import { spawnSync } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import type { Result } from "../../src/protocol/api/index.ts";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { createMcpServer, serveHttp } from "../../src/surface/mcp/index.ts";
import { knowledgeProject } from "../support/knowledge-project.ts";
import { runSylk } from "../support/run-sylk.ts";
import { tempDir } from "../support/temp.ts";
import { MAIN } from "../support/built-command.ts";

function project() {
  const made = knowledgeProject({
    "src/wallet.ts": "/** Adds money. */\nexport function topUpWallet(amount: number): number {\n  return amount;\n}\n",
  });
  made.commit("feat: wallets can be topped up");
  made.write(
    ".sylk/memory/architect/decision-log.md",
    "# Decisions\n\n### [2026-01-05] Wallets hold whole cents\n- Agent: architect\n- Type: architectural\n- Status: active\n\nBecause fractions drift.\n",
  );
  return made;
}

/** The environment of a user who trusts what the project brings. */
async function trusting(root: string): Promise<Record<string, string>> {
  const env = { ...(process.env as Record<string, string>), SYLK_HOME: tempDir("sylk-home"), SYLK_MEMORY_PLACE: "project" };
  expect(await runSylk(root, env, ["trust", "--yes"])).toMatchObject({ code: 0 });
  return env;
}

async function expectEveryTool(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name).sort()).toEqual(["history", "map", "memory", "search", "why"]);
  const call = async (name: string, args: Record<string, unknown>): Promise<{ text: string; isError: boolean }> => {
    const result = (await client.callTool({ name, arguments: args })) as { content: { text: string }[]; isError?: boolean };
    return { text: result.content[0]?.text ?? "", isError: result.isError === true };
  };
  expect(JSON.parse((await call("search", { query: "topUpWallet", domain: "code" })).text)).toMatchObject({
    results: [{ path: "src/wallet.ts" }],
  });
  expect((await call("map", { budget_tokens: 200 })).text).toContain("src/wallet.ts");
  expect((await call("why", { path: "src/wallet.ts", line: 2 })).text).toContain("wallets can be topped up");
  const past = JSON.parse((await call("history", { query: "wallets topped up" })).text) as { results: { title: string }[] };
  expect(past.results.map((hit) => hit.title)).toEqual([
    "feat: wallets can be topped up",
    expect.stringContaining("Wallets hold whole cents"),
  ]);
  expect(JSON.parse((await call("memory", {})).text)).toEqual({ agents: ["architect"] });
  expect(JSON.parse((await call("memory", { agent: "architect" })).text)).toMatchObject({
    agent: "architect",
    decisions: [{ date: "2026-01-05", title: "Wallets hold whole cents", body: expect.stringContaining("fractions drift") }],
  });
  expect(await call("memory", { agent: "nobody" })).toMatchObject({ isError: true, text: expect.stringContaining("no agent nobody") });
  expect(await call("why", { path: "no/such/file.ts" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("not in the index"),
  });
}

test("sylk mcp answers the official client over stdin and stdout", async () => {
  const { root } = project();
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "-C", root, "mcp"],
    env: await trusting(root),
  });
  await client.connect(transport);
  onTestFinished(async () => client.close());
  expect(client.getServerVersion()).toMatchObject({ name: "sylk" });
  await expectEveryTool(client);
});

test("requests written at once before the pipe closes are all answered", () => {
  const { root } = project();
  const requests = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "search", arguments: { query: "topUpWallet" } } },
  ];
  const done = spawnSync(process.execPath, [MAIN, "-C", root, "mcp"], {
    env: { ...process.env, SYLK_HOME: tempDir("sylk-home"), SYLK_MEMORY_PLACE: "project" },
    encoding: "utf8",
    input: requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join(""),
  });
  const answers = done.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: number; result: unknown });
  expect(answers.map((answer) => answer.id)).toEqual([1, 2]);
  expect(JSON.stringify(answers[1]?.result)).toContain("src/wallet.ts");
});

test("the same over streamable HTTP, with the token", async () => {
  const { root } = project();
  const app = await openApp({
    cwd: root,
    env: await trusting(root),
    clock: systemClock,
  });
  onTestFinished(async () => app.close());
  const stop = new AbortController();
  const { token } = app.serverToken("mcp");
  await using server = await serveHttp(() => createMcpServer(app.api, stop.signal), { port: 0, token });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  expect(client.getServerVersion()).toMatchObject({ name: "sylk" });
  await expectEveryTool(client);
  await client.close();
});

test("a hit reads the same for an agent and for --json", async () => {
  const hit: Result<"knowledge.search">["hits"][number] = {
    domain: "code",
    path: "a.ts",
    node: "a.ts:twice",
    external_id: "x-1",
    score: 0.123_456,
    lines: { from: 1, to: 3 },
    title: "twice",
    text: "function twice() {}",
    text_line: 2,
    why: ["name"],
    author: undefined,
    time: undefined,
    trust: 1,
    warning: undefined,
  };
  const parts = { send: async () => ({ indexing: null }), query: async () => ({ hits: [hit], warnings: [] }) } as unknown as Parameters<
    typeof createMcpServer
  >[0];
  await using server = await serveHttp(() => createMcpServer(parts, new AbortController().signal), { port: 0, token: "t".repeat(64) });
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${"t".repeat(64)}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  const told = (await client.callTool({ name: "search", arguments: { query: "twice" } })) as { content: { text: string }[] };
  await client.close();
  expect(JSON.parse(told.content[0]?.text ?? "")).toEqual({
    results: [
      {
        domain: "code",
        path: "a.ts",
        node: "a.ts:twice",
        external_id: "x-1",
        score: 0.1235,
        lines: [1, 3],
        title: "twice",
        text: "function twice() {}",
        text_line: 2,
        trust: 1,
      },
    ],
  });
});
