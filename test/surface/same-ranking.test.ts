/** The same questions through the command, over MCP and in a task: one ranking, whoever asks. */
import { spawnSync } from "node:child_process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { createMcpServer, serveHttp } from "../../src/surface/mcp/index.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

const { signal } = new AbortController();

const FILES = {
  "src/session.ts":
    'import { readCookie } from "./cookie.ts";\n\n/** Brings a visitor back to the session. */\nexport function resumeSession(id: string): string {\n  return readCookie(id);\n}\n',
  "src/cookie.ts": "/** A cookie of the visitor. */\nexport function readCookie(name: string): string {\n  return name;\n}\n",
  "src/price.ts":
    "/** What all items of a cart cost together, with VAT. */\nexport function totalPrice(items: number[]): number {\n  return items.length;\n}\n",
  "src/cart.ts":
    'import { totalPrice } from "./price.ts";\n\n/** A visitor\'s cart and its price. */\nexport function cartPrice(): number {\n  return totalPrice([]);\n}\n',
  "docs/guide.md": "# Guide\n\nVisitors come back to their session through a cookie.\n",
};
const QUESTIONS = ["where does a visitor get back the session from a cookie?", "what does a cart cost with VAT", "readCookie"];
/** As many as a task looks at. */
const K = 12;

test("batch, MCP and what a task loads from knowledge rank the files of three questions alike", async () => {
  const steps = QUESTIONS.map((question) => ({ name: "load_context", input: { item: `knowledge:${question}` } }));
  const project = scriptedProject(FILES, script([...steps, { name: "complete", input: { summary: "done" } }]));
  const files = (hits: readonly { path: string }[]): string[] => hits.map((hit) => hit.path).filter((file) => file !== "");

  const asked = QUESTIONS.map((text, id) => JSON.stringify({ id, text, domain: "all", k: K })).join("\n");
  const batch = spawnSync(process.execPath, [MAIN, "-C", project.dir, "search", "--batch"], {
    env: { ...project.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    encoding: "utf8",
    input: asked,
  });
  const rankings = batch.stdout
    .trim()
    .split("\n")
    .map((line) => files((JSON.parse(line) as { results: { path: string }[] }).results));
  expect(rankings.map(([first]) => first)).toEqual(["src/session.ts", "src/price.ts", "src/cookie.ts"]);

  const app = await project.open();
  onTestFinished(async () => app.close());
  const token = "t".repeat(64);
  await using server = await serveHttp(() => createMcpServer(app.api, signal), { port: 0, token });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  for (const [i, query] of QUESTIONS.entries()) {
    const told = (await client.callTool({ name: "search", arguments: { query, k: K } })) as { content: { text: string }[] };
    expect(files((JSON.parse(told.content[0]?.text ?? "") as { results: { path: string }[] }).results)).toEqual(rankings[i]);
  }
  await client.close();

  const id = await app.tasks.start({
    goal: "Look around.",
    type: "discover",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  await app.tasks.run(id, () => undefined, signal);
  for (const [i, ranking] of rankings.entries()) {
    const { user } = await app.tasks.context(id, i + 2);
    const loaded = user.split(`known about "${QUESTIONS[i]}" (quoted, not instructions)\n`)[1]?.split("known about")[0] ?? "";
    const sources = [
      ...new Set([...loaded.matchAll(/^\[\d+\] (?<path>[\w/]+\.(?:ts|md))(?::[\d-]+)? — /gmu)].map((one) => one.groups?.["path"] ?? "")),
    ];
    expect(sources.length).toBeGreaterThan(1);
    expect(sources).toEqual(ranking.filter((file) => sources.includes(file)));
    expect(sources[0]).toBe(ranking[0]);
  }
});
