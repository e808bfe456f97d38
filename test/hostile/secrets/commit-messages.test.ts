/**
 * Somebody once committed a key in a commit's subject, its body or the author's name. Whoever can ask the
 * index (a search, the history, another agent over MCP) or read its file must not get it from there.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../../support/lab.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { createMcpServer } from "../../../src/surface/mcp/index.ts";
import { gitIn, knowledgeProject, writeIn } from "../../support/knowledge-project.ts";
import { tempDir } from "../../support/temp.ts";

const never = new AbortController().signal;
const SUBJECT_KEY = "AKIA4XQZ7PLM2NVB6TRW";
const BODY_TOKEN = "ghp_9fKq2LmZ8xWvT4bN7rYc3HsD6jPa1GeU0oIk";
const AUTHOR_TOKEN = "glpat-x7Kq2LmZ8xWvT4bN7rYc";
const LATE_PASSWORD = "Tr0ub4dor-and-3-more";
const SECRETS = [SUBJECT_KEY, BODY_TOKEN, AUTHOR_TOKEN, LATE_PASSWORD];

function leakyProject(): string {
  const { root } = knowledgeProject({ "src/pay.ts": "export const pay = (): number => 1;\n" });
  gitIn(root, "add", "-A");
  gitIn(
    root,
    "commit",
    "-q",
    `--author=bot ${AUTHOR_TOKEN} <bot@example.org>`,
    "-m",
    `feat: payments with ${SUBJECT_KEY}`,
    "-m",
    `Deployed with ${BODY_TOKEN}.\n${"filler words\n".repeat(305)}password = "${LATE_PASSWORD}"`,
  );
  return root;
}

async function open(root: string, home: string, more: Record<string, string> = {}): Promise<App> {
  const env = { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home, ...more };
  const app = await openApp({ cwd: root, env, clock: systemClock });
  onTestFinished(() => app.close());
  return app;
}

/** Every file named like the index below a folder, with what its log holds. */
function indexFiles(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.startsWith("knowledge.db"))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
}

const leaked = (text: string): string[] => SECRETS.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()));

test("L4: a key in a subject, a body or an author's name is in no answer and not in the index", async () => {
  const root = leakyProject();
  const home = tempDir("sylk-home");
  const app = await open(root, home);
  await app.knowledge.index({ signal: never });
  const found = await app.knowledge.search({ text: "payments deployed", domain: "history", k: 10 });
  expect(found.hits.map((hit) => hit.title)).toEqual(["feat: payments with [REDACTED]"]);
  const answers = [
    found,
    await app.knowledge.search({ text: SUBJECT_KEY, domain: "all", k: 10 }),
    await app.knowledge.why({ path: "src/pay.ts", line: 1 }, never),
    await app.knowledge.context({ text: "payments deployed", domain: "all", k: 5, maxTokens: 2_000 }),
  ];
  expect(leaked(JSON.stringify(answers))).toEqual([]);
  await app.close();
  const files = indexFiles(root, home);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(leaked(readFileSync(file, "latin1"))).toEqual([]);
});

test("L4: other agents get none of it over MCP", async () => {
  const root = leakyProject();
  const app = await open(root, tempDir("sylk-home"));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createMcpServer(app.api, never).connect(theirs);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(ours);
  onTestFinished(() => client.close());
  const probe = JSON.stringify(await client.callTool({ name: "search", arguments: { query: SUBJECT_KEY, domain: "history" } }));
  expect(probe).not.toContain("payments");
  const calls: [string, Record<string, unknown>][] = [
    ["search", { query: "payments deployed" }],
    ["history", { query: "payments deployed" }],
    ["why", { path: "src/pay.ts", line: 1 }],
  ];
  for (const [name, args] of calls) {
    const text = JSON.stringify(await client.callTool({ name, arguments: args }));
    expect(text).toContain("payments");
    expect(leaked(text)).toEqual([]);
  }
});

test("L4: an index of before, which holds such a message, is made anew", async () => {
  const root = leakyProject();
  const home = tempDir("sylk-home");
  const first = await open(root, home);
  await first.knowledge.index({ signal: never });
  await first.close();
  const [file] = indexFiles(root, home).filter((name) => name.endsWith("knowledge.db"));
  const db = new DatabaseSync(file as string);
  db.prepare("UPDATE nodes SET content = ?, name = ? WHERE node_type = 'commit'").run(`with ${BODY_TOKEN}`, `with ${SUBJECT_KEY}`);
  db.exec("PRAGMA user_version = 11");
  db.close();
  const again = await open(root, home);
  await again.knowledge.index({ signal: never });
  await again.close();
  for (const name of indexFiles(root, home)) expect(leaked(readFileSync(name, "latin1"))).toEqual([]);
});

test("L4: a message that arrives later is redacted as well", async () => {
  const { root } = knowledgeProject({ "a.ts": "export const a = 1;\n" });
  gitIn(root, "add", "-A");
  gitIn(root, "commit", "-q", "-m", "first");
  const app = await open(root, tempDir("sylk-home"));
  await app.knowledge.index({ signal: never });
  writeIn(root, "a.ts", "export const a = 2;\n");
  gitIn(root, "commit", "-aq", "-m", `rotate ${SUBJECT_KEY}`);
  await app.knowledge.index({ signal: never });
  const { hits } = await app.knowledge.search({ text: "rotate", domain: "history", k: 5 });
  expect(hits.map((hit) => hit.title)).toEqual(["rotate [REDACTED]"]);
});

test("L4: a key at the place where a long message is cut is not kept by half", async () => {
  const { root } = knowledgeProject({ "a.ts": "export const a = 1;\n" });
  gitIn(root, "add", "-A");
  const head = "feat: cut\n\n";
  gitIn(root, "commit", "-q", "-m", `${head}${"word ".repeat(1_000).slice(0, 3_975 - head.length)} ${BODY_TOKEN}`);
  const home = tempDir("sylk-home");
  const app = await open(root, home);
  await app.knowledge.index({ signal: never });
  expect((await app.knowledge.search({ text: "cut", domain: "history", k: 5 })).hits).toHaveLength(1);
  await app.close();
  for (const file of indexFiles(root, home)) expect(readFileSync(file, "latin1")).not.toContain(BODY_TOKEN.slice(0, 12));
});

test("L4: a value that only the person's environment tells is neither in a message nor in a text of the index", async () => {
  const value = "correct horse battery";
  const many = Object.fromEntries(
    [...Array(60).keys()].map((i) => [`src/f${i}.ts`, `export const f${i} = "${i === 7 ? value : "plain"}";\n`]),
  );
  const { root } = knowledgeProject(many);
  gitIn(root, "add", "-A");
  gitIn(root, "commit", "-q", "-m", `feat: deploy with ${value} today`);
  const home = tempDir("sylk-home");
  const app = await open(root, home, { DB_PASSWORD: value });
  await app.knowledge.index({ signal: never });
  const { hits } = await app.knowledge.search({ text: "deploy today", domain: "history", k: 5 });
  expect(hits.map((hit) => hit.title)).toEqual(["feat: deploy with [REDACTED] today"]);
  await app.close();
  for (const file of indexFiles(root, home)) expect(readFileSync(file, "latin1")).not.toContain(value);
});
