/** `sylk auth` and `sylk audit` as a person runs them: the real command, a real database, a loopback provider. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { privateOf } from "../support/scripted-project.ts";
import { createRedactor, openAudit, openPermissions } from "../../src/guard/index.ts";
import { agentActor } from "../../src/protocol/events/index.ts";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { shippedRole } from "../support/shipped-roles.ts";
import { MAIN } from "../support/built-command.ts";

const KEY = "good-key-that-must-not-be-seen";
let folder = "";
let server: Server;
let base = "";

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sylk-auth-"));
  mkdirSync(path.join(folder, "project/.sylk"), { recursive: true });
  server = createServer((request, response) =>
    response.writeHead(request.headers.authorization?.includes("good") === true ? 200 : 401).end("{}"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

interface Run {
  code: number | null;
  out: string;
  err: string;
}

async function sylk(args: string[], input = ""): Promise<Run> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: path.join(folder, "project"),
    // Without a session bus there is no keychain, whatever machine this runs on.
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, SYLK_HOME: path.join(folder, "home"), OPENAI_BASE_URL: base, NO_COLOR: "1" },
  });
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { code, out, err };
}

test("CRE-005 ~LLM-013: a key is checked, stored, listed, tested and removed, and never shown", async () => {
  expect(await sylk(["auth", "list"])).toMatchObject({ code: 0, out: expect.stringContaining("no credentials") as string });
  const refused = await sylk(["auth", "set", "openai"], "bad-key\n");
  expect(refused).toMatchObject({ code: 41, err: expect.stringContaining("does not accept this key") as string });
  expect(refused.err).toContain("openai");
  expect((await sylk(["auth", "list"])).out).toContain("no credentials");
  const set = await sylk(["auth", "set", "openai", "--json"], `${KEY}\n`);
  expect(set).toMatchObject({ code: 0 });
  expect(JSON.parse(set.out)).toMatchObject({ provider: "openai", profile: "default", check: "accepted" });
  const listed = await sylk(["auth", "list", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject({ credentials: [{ provider: "openai", profile: "default" }] });
  const tested = await sylk(["auth", "test", "openai"]);
  expect(tested).toMatchObject({ code: 0, out: expect.stringContaining("the provider accepts it") as string });
  for (const run of [refused, set, listed, tested]) expect(run.out + run.err).not.toContain(KEY);
  expect(await sylk(["auth", "remove", "openai"])).toMatchObject({ code: 0 });
  expect(await sylk(["auth", "test", "openai"])).toMatchObject({
    code: 41,
    err: expect.stringContaining("sylk auth set openai") as string,
  });
});

test("CRE-003: nothing on disk holds the key in the clear", async () => {
  await sylk(["auth", "set", "openai"], KEY);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const leaking = files.map((entry) => path.join(entry.parentPath, entry.name)).filter((file) => readFileSync(file).includes(KEY));
  expect(files.length).toBeGreaterThan(1);
  expect(leaking).toEqual([]);
});

test("SEC-021 ~SEC-015 ~AUD-010: a task whose words hold a secret is refused before anything uses them, and the refusal is recorded", async () => {
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  const run = await sylk(["task", "start", `push with ${secret} please`, "-m", "scripted/none.yaml"]);
  expect(run).toMatchObject({ code: 2, err: expect.stringContaining("push with [***] please") as string });
  expect((await sylk(["audit", "query", "--action", "secret_detected", "--json"])).out).toContain('"patterns":"github_pat"');
  const kept = privateOf({ dir: path.join(folder, "project"), env: { SYLK_HOME: path.join(folder, "home") } });
  const database = readdirSync(kept).filter((name) => name.startsWith("sylk.db"));
  expect(database).not.toEqual([]);
  expect(database.filter((name) => readFileSync(path.join(kept, name)).includes(secret))).toEqual([]);
});

test("AUD-006 AUD-007 ~AUD-008: the trail is queried, exported and verified from the command line", async () => {
  const store = await sqliteDriver.open({
    path: path.join(privateOf({ dir: path.join(folder, "project"), env: { SYLK_HOME: path.join(folder, "home") } }), "sylk.db"),
    clock: systemClock,
  });
  const redactor = createRedactor();
  const audit = openAudit({
    journal: store.journal,
    redact: (t) => redactor.redact(t).text,
    actor: agentActor("engineer"),
    sessionId: "s1",
  });
  const gate = openPermissions({
    role: shippedRole("engineer"),
    project: path.join(folder, "project"),
    projectFile: path.join(folder, "home/permissions.yaml"),
    home: folder,
    record: (r) => audit.permission(r),
  });
  for (const line of ["git status", "git push"])
    await gate.decide({ kind: "run", command: { kind: "shell", line }, cwd: path.join(folder, "project"), background: false, network: [] });
  await store.close();

  const denied = await sylk(["audit", "query", "--outcome", "denied", "--action", "run", "--since", "1h", "--json"]);
  expect(
    denied.out
      .trim()
      .split("\n")
      .map((l) => JSON.parse(l) as object),
  ).toMatchObject([{ target: "git push", outcome: "denied", agent_type: "engineer", rule: "git_matrix: git push is left to the user" }]);
  const csv = await sylk(["audit", "query", "--format", "csv", "--action", "run"]);
  expect(csv.out.trim().split("\n")).toHaveLength(3);
  expect((await sylk(["audit", "query"])).out).toContain("safe_list: git status");
  expect(await sylk(["audit", "verify"])).toMatchObject({ code: 0, out: expect.stringContaining("entries verify") as string });
  const file = path.join(folder, "audit.jsonl");
  expect(await sylk(["audit", "export", "--output", file])).toMatchObject({ code: 0 });
  expect(
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((l) => (JSON.parse(l) as { hash: string }).hash.length),
  ).toEqual([64, 64, 64]);
  expect(await sylk(["audit", "query", "--category", "nonsense"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("choose one of") as string,
  });
});
