import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { sqliteDriver } from "../../journal/index.ts";
import { budgetStatus, tokensOf } from "./budget.ts";
import { parseDecisions, printDecisions, renderDecision, type Decision } from "./decision-log.ts";
import { findEvidence, staleBecause, evidenceLine } from "./evidence.ts";
import { loadSidecar, staleReferences } from "./load-sidecar.ts";
import { readMemoryConfig, type MemoryConfig } from "./memory-config.ts";
import { saveSession } from "./save-session.ts";
import { renderSummary } from "./session-summary.ts";
import { memoryHistory, restoreSidecar, writeSidecar, type SidecarParts } from "./sidecar-store.ts";
import { USER, agentActor, type Actor } from "../../protocol/events/index.ts";
import { shippedRoles } from "../../../test/support/shipped-roles.ts";

const never = new AbortController().signal;
const decision = (more: Partial<Decision> = {}): Decision => ({
  date: "2026-01-02",
  title: "Use SQLite",
  agent: "architect",
  workflow: "",
  sprint: "",
  type: "architectural",
  status: "active",
  related: [],
  body: "One file.",
  ...more,
});

async function memory(): Promise<
  SidecarParts & { config: () => MemoryConfig; put: (name: string, text: string | Buffer) => void; read: (name: string) => string }
> {
  const memoryDir = path.join(tempDir(), "memory");
  const clock = new ManualClock(Date.parse("2026-03-01T00:00:00Z"));
  const store = await sqliteDriver.open({ path: path.join(memoryDir, "../sylk.db"), clock, durability: "process", views: [] });
  onTestFinished(() => store.close());
  const file = (name: string): string => path.join(memoryDir, name);
  return {
    memoryDir,
    clock,
    store,
    config: () => readMemoryConfig(memoryDir, shippedRoles()),
    put: (name, text) => {
      mkdirSync(path.dirname(file(name)), { recursive: true });
      writeFileSync(file(name), text);
    },
    read: (name) => readFileSync(file(name), "utf8"),
  };
}

const save = (
  parts: SidecarParts & { config: () => MemoryConfig },
  decisions: Decision[],
  more: { actor?: Actor; agent?: string; mayArchive?: boolean } = {},
) =>
  saveSession(
    parts,
    parts.config(),
    {
      actor: more.actor ?? agentActor("architect"),
      agent: more.agent ?? "architect",
      decisions,
      mayArchive: more.mayArchive ?? false,
      note: "t",
    },
    never,
  );

test("SID-003: parse and print give the same bytes back for any text at all", () => {
  const line = fc.constantFrom(
    "### [2026-01-02] A title",
    "### [soon] B",
    "### []",
    "- Agent: x",
    "- Status: active",
    "- Related: a, b",
    "## Refresh — x",
    "# Top",
    "```",
    "text",
    "",
    "\r",
    "### no brackets",
    "**Agent**: y",
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const text = lines.join(end);
      expect(printDecisions(parseDecisions(text))).toBe(text);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => printDecisions(parseDecisions(text)) === text));
});

test("SID-003: whatever was decided is read back as it was written", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9 ]{1,20}$/).map((text) => text.replaceAll(/ +/g, " ").trim() || "x");
  const entry = fc.record({
    date: fc.constant("2026-01-02"),
    title: word,
    agent: word,
    workflow: word,
    sprint: word,
    type: word,
    status: fc.constantFrom("active", "superseded"),
    related: fc.array(word, { maxLength: 3 }),
    body: word,
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      const back = parseDecisions(entries.map(renderDecision).join("")).entries.map(
        ({ raw: _raw, tail: _tail, warnings: _w, ...rest }) => rest,
      );
      expect(back).toEqual(entries);
    }),
  );
  const tricky = decision({ body: "### [2020-01-01] not an entry\n```\nopen" });
  expect(parseDecisions(renderDecision(tricky) + renderDecision(decision())).entries).toHaveLength(2);
});

test("SID-003: dates are repaired when they can be, and no entry is dropped", () => {
  const log = parseDecisions("### [2026/1/5] One\n\n- Agent: a\n- Status: active\n\n### [05.01.2026] Two\n### [soon] Three\n");
  expect(log.entries.map(({ date, title }) => [date, title])).toEqual([
    ["2026-01-05", "One"],
    ["2026-01-05", "Two"],
    ["YYYY-MM-DD-UNKNOWN", "Three"],
  ]);
  expect(log.entries[2]?.warnings).toEqual(['the date "soon" cannot be read', "Agent is missing", "Status is missing"]);
});

test("SID-001 SID-002: tiers decide which files count and how much room they have; the defaults are configuration", async () => {
  const parts = await memory();
  for (const agent of ["inspector", "tester", "engineer", "stranger"])
    for (const file of ["ground-truth.md", "decision-log.md", "conversation-context.md"])
      parts.put(`${agent}/${file}`, file === "decision-log.md" ? renderDecision(decision({ agent })) : `${file} of ${agent}\n`);
  const load = (agent: string) => {
    const { tier, decisions, context, ground_truth, tokens } = loadSidecar({
      memoryDir: parts.memoryDir,
      config: parts.config(),
      agent,
      nowMs: parts.clock.now(),
    });
    return [tier, decisions.length, context !== "", ground_truth !== "", tokens.budget];
  };
  expect(load("inspector")).toEqual([1, 1, true, true, 300_000]);
  expect(load("tester")).toEqual([2, 1, true, false, 100_000]);
  expect(load("engineer")).toEqual([3, 1, false, false, null]);
  expect(load("stranger")).toEqual([3, 1, false, false, null]);
  const { tiers, ground_truth_budgets: truth } = parts.config();
  const of = (tier: number): string[] => Object.keys(tiers).filter((agent) => tiers[agent] === tier);
  expect([of(1), of(2), of(3)]).toEqual([
    ["architect", "archivalist", "inspector", "orchestrator"],
    ["academic", "guide", "librarian", "tester"],
    ["critic", "designer", "engineer", "reconciler", "scribe", "specialist"],
  ]);
  expect(truth).toEqual({ inspector: 200_000, architect: 150_000, archivalist: 100_000, orchestrator: 100_000 });
  parts.put("config.yaml", "tiers: { stranger: 2, inspector: 3 }\nsession_budgets: { tier_2: 500 }\n");
  expect(load("stranger")).toEqual([2, 1, true, false, 500]);
  expect(load("inspector")).toEqual([3, 1, false, false, null]);
});

test("SID-004: nothing there is an empty memory, and looking creates nothing", async () => {
  const parts = await memory();
  const loaded = loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "architect", nowMs: 0 });
  expect(loaded).toMatchObject({ decisions: [], context: "", ground_truth: "", references: [], warnings: [] });
  expect(existsSync(parts.memoryDir)).toBe(false);
});

test("SID-004 SID-005: saved entries come back newest first, as many as fit", async () => {
  const parts = await memory();
  await save(parts, [decision({ title: "old", date: "2026-01-01" }), decision({ title: "new", date: "2026-02-01" })]);
  await save(parts, [decision({ title: "newest", date: "2026-02-01" })]);
  const load = (limitTokens?: number) =>
    loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "architect", nowMs: 0, limitTokens });
  expect(load().decisions.map(({ title }) => title)).toEqual(["newest", "new", "old"]);
  expect(load(40)).toMatchObject({ left_out: 2 });
  expect(load(40).decisions.map(({ title }) => title)).toEqual(["newest"]);
});

test("SID-006: a write to another's memory is refused and touches nothing", async () => {
  const parts = await memory();
  await expect(save(parts, [decision()], { actor: agentActor("engineer") })).rejects.toMatchObject({ code: "MEMORY_NOT_OWNER" });
  await expect(save(parts, [decision()], { actor: agentActor("../x"), agent: "../x" })).rejects.toMatchObject({
    code: "MEMORY_UNKNOWN_AGENT",
  });
  expect(existsSync(parts.memoryDir)).toBe(false);
});

test("SID-005: garbage in a sidecar keeps every byte and never stops a load or a save", async () => {
  const parts = await memory();
  const garbage = Buffer.from([0, 255, 254, 10, 13, 0, 200, 65]);
  parts.put("architect/decision-log.md", garbage);
  const load = () => loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "architect", nowMs: 0 });
  expect(load().warnings).toEqual(["architect/decision-log.md is partly not text; 0 of its entries can be read"]);
  await save(parts, [decision()]);
  const now = readFileSync(path.join(parts.memoryDir, "architect/decision-log.md"));
  expect(now.subarray(0, garbage.length)).toEqual(garbage);
  expect(now.toString("utf8")).toContain("Use SQLite");
  expect(load().decisions.map(({ title }) => title)).toEqual(["Use SQLite"]);
  // Nothing is rewritten around bytes that cannot be put back as they were.
  parts.put("config.yaml", "session_budgets: { tier_1: 10 }\n");
  await save(parts, [decision({ title: "Second" })], { mayArchive: true });
  expect(readFileSync(path.join(parts.memoryDir, "architect/decision-log.md")).subarray(0, now.length)).toEqual(now);
});

test("SID-004: a sidecar of 10 MB is read within its budget", async () => {
  const parts = await memory();
  const one = renderDecision(decision({ body: "word ".repeat(200) }));
  parts.put("architect/decision-log.md", one.repeat(Math.ceil(10_000_000 / one.length)));
  const loaded = loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "architect", nowMs: 0 });
  expect(loaded.decisions).toHaveLength(20);
  expect(loaded.tokens.own).toBeLessThanOrEqual(300_000);
});

test("SID-009: every save is in the history with its checksums, a hand edit too, and an older version can be brought back", async () => {
  const parts = await memory();
  await save(parts, [decision()]);
  const first = parts.read("architect/decision-log.md");
  parts.put("architect/decision-log.md", `${first}\nmy own note\n`);
  await save(parts, [decision({ title: "second" })]);
  const history = await memoryHistory(parts.store, "architect");
  expect(history.map(({ reason }) => reason)).toEqual(["saved", "edited_by_hand", "saved"]);
  expect(history[2]?.before).toBe(history[1]?.after);
  expect(parts.read("architect/decision-log.md")).toContain("my own note");
  await restoreSidecar(parts, "architect", history[0]?.event ?? "", never);
  expect(parts.read("architect/decision-log.md")).toBe(first);
  await expect(restoreSidecar(parts, "architect", "evt_nothing", never)).rejects.toMatchObject({ code: "MEMORY_NO_SUCH_EVENT" });
});

test("SID-005: two writers in one process wait for each other", async () => {
  const parts = await memory();
  const real = {
    ...parts,
    clock: { ...parts.clock, now: () => 0, monotonic: () => 0, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) },
  };
  const write = (i: number) =>
    writeSidecar(
      real,
      { actor: USER, agent: "guide", reason: "saved", note: "" },
      [{ file: "decision-log.md", next: (now) => `${now.toString()}${i}\n`, entries: 1 }],
      never,
    );
  await Promise.all(Array.from({ length: 20 }, (_v, i) => write(i)));
  expect(
    parts
      .read("guide/decision-log.md")
      .trim()
      .split("\n")
      .map(Number)
      .toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: 20 }, (_v, i) => i));
});

test("BUD-001: the status follows the thresholds; no budget never errors", () => {
  const config = { budget_warn_at: 0.8, budget_alert_at: 0.9, budget_archive_at: 1 };
  expect([0, 79, 80, 90, 100, 200].map((used) => budgetStatus(100, used, 0, config).status)).toEqual([
    "ok",
    "ok",
    "warn",
    "alert",
    "archive_needed",
    "archive_needed",
  ]);
  expect(budgetStatus(100, 50, 45, config)).toMatchObject({ status: "alert", tokens_projected: 95, usage_ratio: 0.95 });
  expect(budgetStatus(undefined, 5, 5, config)).toMatchObject({
    status: "no_budget",
    usage_ratio: null,
    tokens_used: null,
    tokens_budget: null,
    tokens_projected: null,
  });
});

test("BUD-002: over budget the oldest are archived when agreed to; otherwise it is saved and says so", async () => {
  const parts = await memory();
  parts.put("config.yaml", "session_budgets: { tier_1: 150, tier_2: 100 }\n");
  const many = Array.from({ length: 6 }, (_v, i) => decision({ title: `d${i}`, date: `2026-01-0${i + 1}`, body: "some words about this" }));
  const over = await save(parts, many);
  expect(over).toMatchObject({ archived: 0, entries: 6, budget: { status: "archive_needed" } });
  const next = await save(parts, [decision({ title: "last", date: "2026-02-01" })], { mayArchive: true });
  expect(next.budget.status).not.toBe("archive_needed");
  expect(next.archived).toBeGreaterThan(0);
  const archived = readdirSync(path.join(parts.memoryDir, "architect/archive")).toSorted();
  expect(archived).toEqual([".gitignore", "decision-log-2026-03-01.md"]);
  const both = parts.read("architect/decision-log.md") + parts.read("architect/archive/decision-log-2026-03-01.md");
  for (const { title } of many) expect(both).toContain(`] ${title}\n`);
});

test("BUD-003: a session's running total is what it loaded, own files and references, and what it adds", async () => {
  const parts = await memory();
  parts.put("config.yaml", "session_budgets: { tier_1: 1000 }\n");
  const entry = decision({ body: "word ".repeat(100) });
  const added = tokensOf(renderDecision(entry));
  const request = { actor: agentActor("architect"), agent: "architect", decisions: [entry], mayArchive: false, note: "t" };
  const first = await saveSession(parts, parts.config(), { ...request, loaded: { own: 200, references: 300 } }, never);
  expect(first.session).toMatchObject({ status: "ok", tokens_used: 500, tokens_projected: 500 + added, tokens_budget: 1_000 });
  const second = await saveSession(parts, parts.config(), { ...request, loaded: { own: 400, references: 400 } }, never);
  expect(second.session).toMatchObject({ status: "alert", tokens_projected: 800 + added });
});

test("SID-007: decisions and pending work survive when the summary is short of room; empty sections are left out", () => {
  const text = renderSummary({ discussed: ["x ".repeat(500)], decisions: ["keep me"], artifacts: [], pending: ["and me"] }, 80, 0);
  expect(text).toContain("keep me");
  expect(text).toContain("and me");
  expect(text).not.toContain("## Changed");
  expect(text).not.toContain("## Discussed");
});

test("XRF-003 XRF-005 XRF-006: a reference that does not fit is made smaller step by step, and that is recorded", async () => {
  const parts = await memory();
  const entries = Array.from({ length: 30 }, (_v, i) =>
    renderDecision(decision({ title: `t${i}`, date: i < 28 ? "2025-01-01" : "2026-02-20", body: "word ".repeat(30) })),
  );
  parts.put("architect/decision-log.md", entries.join(""));
  const load = (tokens: number, mode: string, cap = 1) => {
    parts.put(
      "config.yaml",
      `session_budgets: { tier_1: ${tokens}, tier_2: ${tokens} }\ncross_references: { guide: { cross_ref_budget_cap: ${cap}, reads_from: [{ agent: architect, mode: ${mode} }] } }\n`,
    );
    const loaded = loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "guide", nowMs: parts.clock.now() });
    return { modes: loaded.references.map(({ mode: got }) => got), downgrades: loaded.downgrades };
  };
  expect(load(100_000, "full")).toEqual({ modes: ["full"], downgrades: [] });
  expect(load(600, "full")).toEqual({
    modes: ["recent"],
    downgrades: ["Cross-ref downgraded: architect/decision-log.md from full to recent — budget 0/600"],
  });
  expect(load(1_000, "full", 0.05).modes).toEqual([]);
  expect(load(100, "recent").downgrades).toEqual([
    "Cross-ref downgraded: architect/decision-log.md from recent to summary — budget 0/100",
    "Cross-ref downgraded: architect/decision-log.md from summary to skip — budget 0/100",
  ]);
});

test("XRF-001 XRF-002 ~XRF-007 XRF-008: self-reference is an error, a missing one is not; a changed one is stale", async () => {
  const parts = await memory();
  parts.put("config.yaml", "cross_references: { guide: { reads_from: [{ agent: guide }] } }\n");
  expect(() => parts.config()).toThrow("guide refers to itself");
  parts.put("config.yaml", "tiers: [1, 2");
  expect(() => parts.config()).toThrow("config.yaml");
  parts.put(
    "config.yaml",
    "cross_references: { guide: { reads_from: [{ agent: nobody }, { agent: missing, required: true }, { agent: architect, mode: full }] } }\n",
  );
  parts.put("architect/decision-log.md", renderDecision(decision()));
  const loaded = loadSidecar({ memoryDir: parts.memoryDir, config: parts.config(), agent: "guide", nowMs: 0 });
  expect(loaded.warnings).toEqual(["missing/decision-log.md is wanted and not there"]);
  expect(staleReferences(parts.memoryDir, loaded.references)).toEqual([]);
  parts.put("architect/decision-log.md", "changed");
  expect(staleReferences(parts.memoryDir, loaded.references)).toEqual(["architect/decision-log.md"]);
  expect(readdirSync(parts.memoryDir).toSorted()).toEqual(["architect", "config.yaml"]);
});

test("admission needs a source: a file that was seen, a command that ran, or the person's words", () => {
  const root = tempDir();
  writeFileSync(path.join(root, "a.ts"), "one");
  const witness = {
    root,
    files: ["a.ts", "gone.ts"],
    commands: [{ command: "npm test", result: "12 passed" }],
    words: ["Please keep answers short."],
  };
  const found = (subject: string, text: string) => findEvidence({ subject, text }, witness)?.kind;
  expect(found("port", "a.ts sets it")).toBe("file");
  expect(found("port", "data.ts sets it")).toBeUndefined();
  expect(found("gone.ts", "was there")).toBeUndefined();
  expect(found("tests", "npm test passes")).toBe("command");
  expect(found("style", "keep answers short")).toBe("user");
  expect(found("style", "users like blue")).toBeUndefined();
  const evidence = findEvidence({ subject: "a.ts", text: "x" }, witness);
  const body = evidence === undefined ? "" : evidenceLine(evidence);
  expect(staleBecause({ body }, root)).toBeUndefined();
  writeFileSync(path.join(root, "a.ts"), "two");
  expect(staleBecause({ body }, root)).toBe("a.ts changed");
  rmSync(path.join(root, "a.ts"));
  expect(staleBecause({ body }, root)).toBe("a.ts is gone");
});
