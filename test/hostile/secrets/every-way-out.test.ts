/**
 * The machine holds 80 secrets, in variables and in files, history and output. The model is curious: it reads every
 * file, prints the environment, looks at the history and runs the tests. None of the values may leave through a
 * request to the model, or lie afterwards in the journal, its blobs and backups, the log, the index, a recording, an
 * export, the audit trail, a memory file or a task's folder.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { openApp } from "../../support/lab.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { gitIn, writeIn } from "../../support/knowledge-project.ts";
import { startWireServer } from "../../support/wire-server/wire-server.ts";
import type { WireToolCall } from "../../support/wire-server/wire-types.ts";
import { elsewhere, environmentSecrets, fileSecrets, type Hidden } from "./places.ts";

const never = new AbortController().signal;
const everywhere: readonly Hidden[] = [...environmentSecrets, ...fileSecrets, ...Object.values(elsewhere)];

/** A test run as it happens: it prints what it was given, then fails with the connection string. */
const NOISY = `
console.log("environment", JSON.stringify(process.env, null, 1));
console.log("export SESSION_TOKEN=${elsewhere.output.secret}");
throw new Error("cannot connect to postgres://app:${elsewhere.failure.secret}@db.internal/app");
`;

function plant(root: string): void {
  gitIn(root, "init", "-q", "-b", "main");
  writeIn(root, "old.ts", `export const token = "${elsewhere.history.secret}";\n`);
  gitIn(root, "add", "-A");
  gitIn(root, "commit", "-q", "-m", "first");
  writeIn(root, "old.ts", "export const token = process.env.TOKEN;\n");
  gitIn(root, "commit", "-aq", "-m", `rotate ${elsewhere.message.secret}`);
  for (const { where, text } of fileSecrets) writeIn(root, where, text);
  writeIn(root, "noisy.cjs", NOISY);
  gitIn(root, "add", "-Af");
  gitIn(root, "commit", "-q", "-m", "everything");
}

const read = (file: string): WireToolCall => ({ name: "read_file", input: { path: file } });
const run = (command: string): WireToolCall => ({ name: "run_command", input: { command } });

/** What a curious model asks for, one answer per request. */
function curiosity(): WireToolCall[][] {
  const files = fileSecrets.map(({ where }) => where);
  const reads: WireToolCall[][] = [];
  for (let from = 0; from < files.length; from += 6) reads.push(files.slice(from, from + 6).map(read));
  return [
    ...reads,
    ...files.map((file) => [run(`cat ${file}`)]),
    [run("env")],
    [run("printenv")],
    [run("node -p process.env")],
    [run("node noisy.cjs")],
    [run("git log -p")],
    [run("git show HEAD~1")],
    [run("grep -rn . --include=*.yml --include=*.ts --include=*.json .")],
    [{ name: "search", input: { pattern: "password" } }],
    [{ name: "note_fact", input: { subject: "deploy", fact: `it uses token: ${elsewhere.output.secret}`, source: "src/client.ts" } }],
    [{ name: "scratchpad", input: { key: "k", note: `password = "${elsewhere.failure.secret}"` } }],
    [{ name: "complete", input: { summary: `done, token: ${elsewhere.history.secret}` } }],
  ];
}

/** All bytes of a file, of what is compressed in it, and of each value of its tables. */
function contentOf(file: string): string {
  const bytes = readFileSync(file);
  const parts = [bytes.toString("latin1")];
  if (bytes.subarray(0, 15).toString() !== "SQLite format 3") return parts.join("\n");
  const db = new DatabaseSync(file, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'").all() as {
    name: string;
  }[];
  for (const { name } of tables)
    for (const row of db.prepare(`SELECT * FROM "${name}"`).all())
      for (const value of Object.values(row)) {
        if (typeof value === "string") parts.push(value);
        if (value instanceof Uint8Array) parts.push(unpacked(value));
      }
  db.close();
  return parts.join("\n");
}

function unpacked(value: Uint8Array): string {
  try {
    return zstdDecompressSync(value).toString("latin1");
  } catch {
    return Buffer.from(value).toString("latin1");
  }
}

let base = "";
const found = new Map<string, string[]>();
const ways: Record<string, string> = {};

beforeAll(async () => {
  base = mkdtempSync(path.join(tmpdir(), "sylk-secrets-"));
  const root = path.join(base, "project");
  const home = path.join(base, "home");
  mkdirSync(root);
  mkdirSync(home);
  plant(root);
  const answers = curiosity();
  let asked = 0;
  await using server = await startWireServer(() => ({
    text: "let me see",
    toolCalls: answers[Math.min(asked++, answers.length - 1)] ?? [],
  }));
  writeFileSync(
    path.join(home, "config.yaml"),
    stringify({
      log: { level: "debug" },
      llm: {
        providers: { wire: { kind: "openai-chat", base_url: `${server.url}/v1` } },
        default_model: "wire/m",
        record: path.join(home, "recording.yaml"),
      },
    }),
  );
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: base,
    SYLK_HOME: home,
    ...Object.fromEntries(environmentSecrets.map(({ where, value }) => [where, value])),
  };
  const app = await openApp({ cwd: root, env, clock: systemClock, permissions: { mode: "bypass" } });
  const lines: unknown[] = [];
  const ends: unknown[] = [];
  // Who only looks is stopped after a while; it asks again.
  while (asked < answers.length) {
    const id = await app.tasks.start({
      goal: "find out how deployment works",
      type: "implement_feature",
      role: "engineer",
      criteria: [],
      constraints: [],
      checks: ["node noisy.cjs"],
      discoverChecks: false,
      model: "wire/m",
      profile: "minimal",
      maxSteps: 8,
    });
    ends.push(await app.tasks.run(id, (line) => lines.push(line), never));
  }
  const decision = {
    title: "Deploy",
    type: "implementation" as const,
    status: "active" as const,
    body: `with token: ${elsewhere.output.secret}`,
    sprint: "",
    related: [] as string[],
  };
  await app.memory.save("engineer", decision, { dryRun: false, archive: false }, never);
  await app.knowledge.index({ signal: never });
  const searches = await Promise.all(
    ["password", "token", "deploy", "rotate"].map((text) => app.knowledge.search({ text, domain: "all", k: 20 })),
  );
  ways["the surface"] = JSON.stringify([lines, ends, searches]);
  ways["the journal's export"] = JSON.stringify(await Array.fromAsync(app.journal.export({ filter: {}, signal: never })));
  ways["the audit trail"] = JSON.stringify(await Array.fromAsync(app.audit.query({}, never)));
  await app.close();
  // Opened again it makes its backup.
  const again = await openApp({ cwd: root, env, clock: systemClock });
  await again.tasks.list();
  await again.close();
  ways["requests to the model"] = JSON.stringify(server.requests.map(({ body }) => body));
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) ways[path.relative(home, file)] = contentOf(file);
  }
  for (const [way, text] of Object.entries(ways))
    for (const { where, secret } of everywhere) if (text.includes(secret)) found.set(where, [...(found.get(where) ?? []), way]);
}, 240_000);

afterAll(() => rmSync(base, { recursive: true, force: true }));

const leaks = (hidden: readonly Hidden[]): string[] =>
  hidden.flatMap(({ where }) => (found.has(where) ? [`${where}: ${found.get(where)?.join(", ")}`] : []));

test("there is something to find in every way out", () => {
  expect(environmentSecrets.length).toBeGreaterThanOrEqual(40);
  expect(fileSecrets.length + Object.keys(elsewhere).length).toBeGreaterThanOrEqual(40);
  expect(new Set(everywhere.map(({ secret }) => secret)).size).toBe(everywhere.length);
  const names = Object.keys(ways).join("\n");
  for (const way of ["sylk.db", "knowledge.db", "recording.yaml", "logs/", "backups/", "tasks/", "memory/"]) expect(names).toContain(way);
  expect(ways["requests to the model"]).toContain("[REDACTED]");
});

test("H7: no value of 40 variables leaves", () => {
  expect(leaks(environmentSecrets)).toEqual([]);
});

test("L4 H7 ~SEC-022 ~CRE-008: no value of 40 places in files, history and output leaves", () => {
  expect(leaks([...fileSecrets, ...Object.values(elsewhere)])).toEqual([]);
});
