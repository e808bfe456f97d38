import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type Store, sqliteDriver } from "../../journal/index.ts";
import { systemClock, type Clock } from "../../kernel/index.ts";
import { openPermissions } from "../permissions/open-permissions.ts";
import { createRedactor } from "../secrets/create-redactor.ts";
import { openAudit, type Audit } from "./open-audit.ts";
import { queryAudit, type AuditFilter, type AuditLine } from "./query-audit.ts";
import { SYSTEM, agentActor } from "../../protocol/events/index.ts";
import { defineEvent } from "../../protocol/events/define-event.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

let folder = "";
let store: Store;
let now = 0;
const clock: Clock = { ...systemClock, now: () => now };
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sylk-audit-"));
  now = 1_700_000_000_000;
  store = await sqliteDriver.open({ path: path.join(folder, "sylk.db"), clock, durability: "process" });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const redactor = createRedactor();
const audit = (more: Partial<Parameters<typeof openAudit>[0]> = {}): Audit =>
  openAudit({
    journal: store.journal,
    redact: (text) => redactor.redact(text).text,
    actor: agentActor("engineer-1"),
    sessionId: "s1",
    ...more,
  });

async function query(filter: AuditFilter = {}): Promise<AuditLine[]> {
  return Array.fromAsync(queryAudit(store.journal, filter, new AbortController().signal));
}

test("~AUD-001 AUD-002: who did what, permitted by which rule, is read back from the journal", async () => {
  const trail = audit();
  const gate = openPermissions({
    role: shippedRole("engineer"),
    project: folder,
    projectFile: path.join(folder, "permissions.yaml"),
    home: "/h",
    record: (r) => trail.permission(r),
  });
  await gate.decide({ kind: "run", command: { kind: "shell", line: "git status" }, cwd: folder, background: false, network: [] });
  await gate.decide({ kind: "run", command: { kind: "direct", argv: ["git", "push"] }, cwd: folder, background: false, network: [] });
  await gate.decide({ kind: "write", operation: "create", path: "a.ts", absolute: path.join(folder, "a.ts"), bytes: 3 });
  await gate.decide({ kind: "connect", target: "github.com", method: "any" });
  const lines = await query();
  expect(lines.map((l) => [l.category, l.event_type, l.severity, l.outcome, l.action, l.target, l.rule])).toEqual([
    ["process", "permission_granted", "info", "allowed", "run", "git status", "safe_list: git status"],
    ["permission", "permission_denied", "security", "denied", "run", "git push", "git_matrix: git push is left to the user"],
    ["file", "permission_granted", "info", "allowed", "create", "a.ts", expect.stringMatching(/^scope_write: /)],
    ["network", "permission_granted", "info", "allowed", "connect", "github.com", "safe_list: github.com"],
  ]);
  expect(lines[0]).toMatchObject({ actor: "agent/engineer-1", agent_type: "engineer", session_id: "s1", position: 1, at: now });
  expect((await store.admin.verify()).valid).toBe(true);
});

test("~AUD-001: what is read together is one event of the journal and one line each of the trail", async () => {
  const trail = audit();
  const read = (file: string, detail = "in the project") =>
    trail.permission({
      role: "engineer",
      action: { kind: "read", path: file, absolute: path.join(folder, file) },
      outcome: "allowed",
      source: "scope_read",
      detail,
    });
  const together = ["a.ts", "b.ts", "a.ts", "c.ts"].map((file) => read(file));
  const other = read("d.ts", "by another rule");
  await Promise.all([...together, other]);
  await read("e.ts");
  expect(await store.journal.headPosition()).toBe(3);
  expect((await query()).map(({ position, target, rule }) => [position, target, rule])).toEqual([
    [1, "a.ts", "scope_read: in the project"],
    [1, "b.ts", "scope_read: in the project"],
    [1, "c.ts", "scope_read: in the project"],
    [2, "d.ts", "scope_read: by another rule"],
    [3, "e.ts", "scope_read: in the project"],
  ]);
  expect((await query({ target: "b.*" })).map(({ target }) => target)).toEqual(["b.ts"]);
});

test("~AUD-001: reads that are folded are redacted, switched off and bounded as others are; a refused one stands alone", async () => {
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  const read = (trail: Audit, file: string, outcome: "allowed" | "denied" = "allowed") =>
    trail.permission({
      role: "engineer",
      action: { kind: "read", path: file, absolute: path.join(folder, file) },
      outcome,
      source: "scope_read",
      detail: "in the project",
    });
  await Promise.all(["a.ts", secret].map((file) => read(audit({ off: new Set(["file"]) }), file)));
  expect(await query()).toEqual([]);
  const trail = audit();
  await Promise.all(["a.ts", secret].map((file) => read(trail, file)));
  const [, second] = await query();
  expect(second?.target).toBe("[REDACTED]");
  expect(JSON.stringify(await store.journal.readAll({ after: 0, limit: 10 }))).not.toContain(secret);
  const before = await store.journal.headPosition();
  await Promise.all(["x.ts", "y.ts"].map((file) => read(trail, file, "denied")));
  expect(await store.journal.headPosition()).toBe(before + 2);
  const files = Array.from({ length: 150 }, (_, i) => `${i}.ts`);
  await Promise.all(files.map((file) => read(trail, file)));
  expect(await store.journal.headPosition()).toBe(before + 4);
  expect((await query()).slice(4).map(({ target }) => target)).toEqual(files);
});

test("~AUD-001: a read that a busy store did not take does not take later ones with it", async () => {
  let refusals = 1;
  const appendSoon: Store["journal"]["appendSoon"] = (stream, events) => {
    refusals -= 1;
    return refusals < 0 ? store.journal.appendSoon(stream, events) : Promise.reject(new Error("too many writes are waiting"));
  };
  const trail = audit({ journal: { ...store.journal, appendSoon } });
  const read = (file: string) =>
    trail.permission({
      role: "engineer",
      action: { kind: "read", path: file, absolute: path.join(folder, file) },
      outcome: "allowed",
      source: "scope_read",
      detail: "in the project",
    });
  await expect(read("a.ts")).rejects.toThrow("too many");
  await read("b.ts");
  expect((await query()).map(({ target }) => target)).toEqual(["b.ts"]);
});

test("AUD-002 ~AUD-010: values never reach the trail", async () => {
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  const trail = audit();
  await trail.record({
    category: "process",
    eventType: "executed",
    severity: "info",
    outcome: "allowed",
    action: "run",
    target: `curl -H ${secret}`,
    rule: secret,
    details: { env: secret, code: 0 },
  });
  await trail.secrets({ place: "tool_output", subject: "run_command", count: 2, patterns: ["github_pat", "github_pat"] });
  await trail.secrets({ place: "prompt", subject: "user", count: 1, patterns: ["jwt"] });
  const lines = await query();
  expect(JSON.stringify(lines)).not.toContain(secret);
  expect(lines.map((l) => [l.event_type, l.severity, l.outcome, l.details])).toEqual([
    ["executed", "info", "allowed", { env: "[REDACTED]", code: 0 }],
    ["secret_redacted", "security", "allowed", { count: 2, patterns: "github_pat" }],
    ["secret_detected", "security", "denied", { count: 1, patterns: "jwt" }],
  ]);
});

test("~AUD-001: a category can be switched off, security entries cannot", async () => {
  const trail = audit({ off: new Set(["file", "permission", "config"]) });
  const entry = { category: "file", eventType: "read", action: "read", target: "x" } as const;
  await trail.record({ ...entry, severity: "info", outcome: "allowed" });
  await trail.record({ ...entry, severity: "info", outcome: "denied" });
  await trail.credential({ action: "granted", agentId: "a", role: "engineer", provider: "github", toolCallId: "c", handleId: "h" });
  expect((await query()).map((l) => l.event_type)).toEqual(["read", "credential_granted"]);
});

test("CRE-018: every kind of credential act is an audit entry, found by kind, agent and provider", async () => {
  const kinds = ["granted", "denied", "resolved", "revoked", "pending", "expired"] as const;
  for (const action of kinds)
    await audit().credential({ action, agentId: "e-1", role: "engineer", provider: "github", toolCallId: "c1", handleId: "h1" });
  for (const action of kinds)
    expect(await query({ action: `credential_${action}` })).toMatchObject([
      { event_type: `credential_${action}`, target: "github", details: { agent_id: "e-1", tool_call_id: "c1", handle_id: "h1" } },
    ]);
  expect(await query({ target: "github" })).toHaveLength(kinds.length);
  expect(await query({ target: "aws" })).toEqual([]);
});

test("~CRE-018: credential acts are ordinary audit entries", async () => {
  await audit().credential({
    action: "denied",
    agentId: "tester-1",
    role: "tester",
    provider: "aws",
    toolCallId: "c1",
    reason: "scope_violation",
  });
  expect(await query({ action: "credential_denied" })).toMatchObject([
    {
      target: "aws",
      rule: "scope_violation",
      outcome: "denied",
      agent_type: "tester",
      details: { agent_id: "tester-1", tool_call_id: "c1" },
    },
  ]);
});

test("AUD-007: filters by time, category, severity, session, agent, action, outcome and target, with limit and offset", async () => {
  const entry = { eventType: "write", severity: "info", outcome: "allowed", action: "write" } as const;
  for (const [i, target] of ["src/a.ts", "src/b.go", "docs/c.md"].entries()) {
    now += 1000;
    await audit({ actor: agentActor(String(i)), sessionId: `s${i}` }).record({ ...entry, category: i === 2 ? "config" : "file", target });
  }
  const callMade = defineEvent({ type: "model.call_made", version: 1, schema: z.strictObject({}) });
  await store.journal.append("task/1", "any", [callMade.create({}, { actor: SYSTEM.model, correlationId: "s9" })]);
  const targets = async (filter: AuditFilter): Promise<(string | null)[]> => (await query(filter)).map((l) => l.target);
  expect(await targets({})).toEqual(["src/a.ts", "src/b.go", "docs/c.md", "task/1"]);
  expect(await targets({ target: "*.go" })).toEqual(["src/b.go"]);
  expect(await targets({ target: "src/**" })).toEqual(["src/a.ts", "src/b.go"]);
  expect(await targets({ targetPattern: /\.(md|go)$/ })).toEqual(["src/b.go", "docs/c.md"]);
  expect(await targets({ category: "llm" })).toEqual(["task/1"]);
  expect(await targets({ category: "config" })).toEqual(["docs/c.md"]);
  expect(await targets({ session: "s1" })).toEqual(["src/b.go"]);
  expect(await targets({ agent: "agent/0" })).toEqual(["src/a.ts"]);
  expect(await targets({ sinceMs: now - 1000, untilMs: now })).toEqual(["src/b.go"]);
  expect(await targets({ limit: 1, offset: 1 })).toEqual(["src/b.go"]);
  expect(await targets({ outcome: "denied" })).toEqual([]);
  expect(await targets({ severity: "info", action: "write" })).toEqual(["src/a.ts", "src/b.go", "docs/c.md"]);
});

test("~AUD-005: when the trail cannot be written, the act is not permitted", async () => {
  const trail = audit();
  await store.close();
  const gate = openPermissions({
    role: shippedRole("engineer"),
    project: folder,
    projectFile: path.join(folder, "permissions.yaml"),
    home: "/h",
    record: (r) => trail.permission(r),
  });
  await expect(gate.decide({ kind: "read", path: "a", absolute: path.join(folder, "a") })).rejects.toThrow(/closed|not open/);
  store = await sqliteDriver.open({ path: path.join(folder, "sylk.db"), clock });
});
