import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { sqliteDriver } from "../../journal/index.ts";
import { readMemoryConfig } from "../sidecar/memory-config.ts";
import type { SidecarParts } from "../sidecar/sidecar-store.ts";
import { entryOf, parseTruth, printTruth, renderEntry } from "../sidecar/ground-truth.ts";
import { archivalOrder, mergeTruth } from "./merge-truth.ts";
import { refreshAll, refreshTruth, type ProjectFiles } from "./refresh-truth.ts";
import { shippedRoles } from "../../../test/support/shipped-roles.ts";

const never = new AbortController().signal;

interface Place {
  parts: SidecarParts;
  root: string;
  clock: ManualClock;
  files: ProjectFiles;
  changed: string[];
  put: (name: string, text: string) => void;
  truth: (agent: string) => string;
  refresh: (agent: string, more?: Partial<Parameters<typeof refreshTruth>[3]>) => ReturnType<typeof refreshTruth>;
}

async function place(): Promise<Place> {
  const root = tempDir();
  const clock = new ManualClock(Date.parse("2026-03-01T00:00:00Z"));
  const memoryDir = path.join(root, ".sylk/memory");
  const store = await sqliteDriver.open({ path: path.join(root, ".sylk/sylk.db"), clock, durability: "process", views: [] });
  onTestFinished(() => store.close());
  const names = new Set<string>();
  const changed: string[] = [];
  const parts = { memoryDir, store, clock };
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
    names.add(name);
  };
  const files: ProjectFiles = {
    root,
    list: () => Promise.resolve([...names].filter((name) => readable(path.join(root, name)))),
    changedSince: () => Promise.resolve(changed),
    commit: () => Promise.resolve("abc1234"),
  };
  return {
    parts,
    root,
    clock,
    files,
    changed,
    put,
    truth: (agent) => readFileSync(path.join(memoryDir, agent, "ground-truth.md"), "utf8"),
    refresh: (agent, more = {}) =>
      refreshTruth(
        parts,
        readMemoryConfig(memoryDir, shippedRoles()),
        files,
        { agent, incremental: false, dryRun: false, archive: false, onProgress: () => undefined, lastReference: () => undefined, ...more },
        never,
      ),
  };
}

function readable(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

test("GTR-001: parse and print give the same bytes back, also for what is malformed", () => {
  const line = fc.constantFrom(
    "**[file-inventory]** three files",
    "**[moon]** cheese",
    "Source: `a` | Verified: 2026-01-01 | Count: 2",
    "Source: broken",
    "Updated: x",
    "",
    "text",
    "\r",
    "# Top",
  );
  fc.assert(fc.property(fc.array(line, { maxLength: 30 }), (lines) => printTruth(parseTruth(lines.join("\n"))) === lines.join("\n")));
  const fact = fc.record({
    category: fc.constant("file-inventory" as const),
    statement: fc.stringMatching(/^[a-z0-9:, ]{1,30}[a-z]$/),
    source: fc.stringMatching(/^[a-z/*.]{1,20}$/),
  });
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 8 }), (facts) => {
      const text = facts.map((one) => renderEntry(one, "2026-01-01", 3)).join("");
      return (
        printTruth(parseTruth(text)) === text &&
        parseTruth(text).entries.every((entry) => entry.malformed === undefined && entry.count === 3)
      );
    }),
  );
  expect(parseTruth("**[moon]** cheese\n").entries[0]?.malformed).toBe("unknown category moon");
});

test("~GTR-003 GTR-005 GTR-006: added, renewed, updated with a note, removed with its date", async () => {
  const at = await place();
  at.put("src/a.ts", "a");
  at.put("src/b.ts", "b");
  at.put("src/a.test.ts", "t");
  at.put("package.json", JSON.stringify({ version: "1.0.0", dependencies: { x: "1" }, scripts: { test: "t" } }));
  at.put("node_modules/x/index.js", "no");
  at.put("package-lock.json", "{}");
  at.put("a.yaml", "a: 1\nb: 2\n");
  at.put("b.yaml", "b: 1\n");
  at.put("e.yaml", "");
  const first = await at.refresh("inspector");
  expect(first.delta.added.toSorted()).toEqual(["a.yaml", "b.yaml", "e.yaml", "package.json", "src/*.ts", "src/*.ts (tests)"]);
  for (const said of ["a.yaml: 2 lines", "b.yaml: 1 line,", "e.yaml: 0 lines"]) expect(at.truth("inspector")).toContain(said);
  expect(at.truth("inspector")).toContain(
    "**[variable-inventory]** package.json: version 1.0.0, 1 dependencies, 0 development dependencies, scripts test",
  );
  await at.clock.advance(86_400_000);
  at.put("src/c.ts", "c");
  rmSync(path.join(at.root, "src/a.test.ts"));
  const second = await at.refresh("inspector");
  expect(second.delta).toMatchObject({ added: [], unchanged: 4, removed: ["src/*.ts (tests)"], updated: [{ source: "src/*.ts" }] });
  const text = at.truth("inspector");
  expect(text).toContain("Verified: 2026-03-02 | Count: 2");
  expect(text).toContain(
    "Updated: 2 ts source files in src: a.ts, b.ts → 3 ts source files in src: a.ts, b.ts, c.ts (detected 2026-03-02, previous value set 2026-03-01)",
  );
  expect(text).toContain("Removed: detected 2026-03-02");
  expect((await at.refresh("inspector")).delta.removed).toEqual([]);
  expect(printTruth(parseTruth(text))).toBe(text);
});

test("~GTR-004: incremental looks only at what changed, does not see deletions, and says so", async () => {
  const at = await place();
  at.put("src/a.ts", "a");
  at.put("lib/b.ts", "b");
  expect((await at.refresh("inspector", { incremental: true })).notes).toEqual(["never refreshed before: everything was looked at"]);
  at.put("src/c.ts", "c");
  rmSync(path.join(at.root, "lib/b.ts"));
  at.changed.push("src/c.ts");
  const report = await at.refresh("inspector", { incremental: true });
  expect(report).toMatchObject({
    mode: "incremental",
    delta: { added: [], removed: [], unchanged: 0 },
    notes: ["an incremental refresh does not see deleted files"],
  });
  expect(report.delta.updated).toHaveLength(1);
});

test("~GTR-002 ~GTR-007: missing files are made, the delta goes to the agent's own log, a dry run writes nothing, unknown agents are named", async () => {
  const at = await place();
  at.put("docs/decisions/0001-x.md", "# Use SQLite\n\nStatus: accepted\n\nSee [plan](../plan.md).\n");
  expect((await at.refresh("architect", { dryRun: true })).delta.added).toContain("docs/decisions/0001-x.md");
  expect(() => at.truth("architect")).toThrow("ENOENT");
  await at.refresh("architect");
  expect(at.truth("architect")).toContain("“Use SQLite”, status accepted");
  const log = readFileSync(path.join(at.parts.memoryDir, "architect/decision-log.md"), "utf8");
  expect(log).toContain("## Refresh — 2026-03-01 (full) — Agent: architect");
  await expect(at.refresh("engineer")).rejects.toMatchObject({
    code: "MEMORY_UNKNOWN_AGENT",
    fix: "one of inspector, architect, archivalist, orchestrator, all",
  });
});

test("GTR-006: malformed entries are rebuilt from their source or kept to the byte", () => {
  const known = parseTruth("# T\n\n**[file-inventory]** about `src/a.ts` somehow\nno source\n\n**[moon]** cheese\nmy words\n\n");
  const fact = { category: "file-inventory" as const, statement: "src/a.ts: fine", source: "src/a.ts" };
  const { truth, delta } = mergeTruth(known, [fact], { today: "2026-03-01", full: true });
  expect(delta).toMatchObject({ rebuilt: ["src/a.ts"], kept_malformed: ["cheese"] });
  expect(printTruth(truth)).toContain("**[moon]** cheese\nmy words\n\n");
});

test("GTR-008: over 80 % facts move to the archive and leave a pointer; often verified ones go last", async () => {
  const at = await place();
  at.put(".sylk/memory/config.yaml", "ground_truth_budgets: { inspector: 700 }\n");
  for (let i = 0; i < 20; i += 1) at.put(`d${i}/a.ts`, "a");
  const full = await at.refresh("inspector");
  expect(full).toMatchObject({ light: "red", archived: 0 });
  expect(full.archive_candidates.length).toBeGreaterThan(0);
  const archived = await at.refresh("inspector", { archive: true });
  expect(archived.light).not.toBe("red");
  expect(archived.archived).toBeGreaterThan(0);
  const kept = readFileSync(path.join(at.parts.memoryDir, "inspector/ground-truth-archive.md"), "utf8");
  expect(kept.match(/^Archived: 2026-03-01 \| Reason: .* \| Last reference: /gm)).toHaveLength(archived.archived);
  expect(at.truth("inspector").match(/^<!-- archived /gm)).toHaveLength(archived.archived);
  expect((await at.refresh("inspector")).delta.added).toEqual([]);
  expect(kept).toContain("Last reference: none in the last validation runs");
  const often = entryOf({ category: "file-inventory", statement: "s", source: "a" }, "2026-01-01", 11);
  const seldom = entryOf({ category: "file-inventory", statement: "s", source: "b" }, "2026-02-01", 1);
  expect(archivalOrder([often, seldom], (entry) => entry === often).map(({ source }) => source)).toEqual(["b"]);
});

test("GTR-008: what a recent validation run looked at is archived last, with the day it did", async () => {
  const at = await place();
  for (let i = 0; i < 20; i += 1) at.put(`d${i}/a.ts`, "a");
  const { tokens } = await at.refresh("inspector");
  at.put(".sylk/memory/config.yaml", `ground_truth_budgets: { inspector: ${Math.floor(tokens / 0.81)} }\n`);
  const lastReference = (source: string): string | undefined => (/^d[0-4]\//.test(source) ? "2026-02-27" : undefined);
  const full = await at.refresh("inspector", { lastReference });
  expect(full.archive_candidates.slice(0, 5)).toEqual(["d5/*.ts", "d6/*.ts", "d7/*.ts", "d8/*.ts", "d9/*.ts"]);
  await at.refresh("inspector", { archive: true, lastReference });
  const gone = readFileSync(path.join(at.parts.memoryDir, "inspector/ground-truth-archive.md"), "utf8");
  expect(gone).toContain("Source: `d5/*.ts`");
  expect(gone).not.toContain("Source: `d0/*.ts`");
  at.put(".sylk/memory/config.yaml", "ground_truth_budgets: { inspector: 100 }\n");
  await at.refresh("inspector", { archive: true, lastReference });
  expect(readFileSync(path.join(at.parts.memoryDir, "inspector/ground-truth-archive.md"), "utf8")).toMatch(
    /Source: `d0\/\*\.ts` .*\nArchived: 2026-03-01 \| Reason: .* \| Last reference: 2026-02-27/,
  );
});

test("~GTR-010: progress is told for each target as it is done", async () => {
  const at = await place();
  at.put("src/a.ts", "a");
  at.put("package.json", "{}");
  const told: [string, string, number][] = [];
  await at.refresh("inspector", { onProgress: (agent, target, facts) => told.push([agent, target, facts]) });
  expect(told).toEqual([
    ["inspector", "source", 1],
    ["inspector", "configs", 0],
    ["inspector", "manifests", 1],
    ["inspector", "planning", 0],
    ["inspector", "implementation", 0],
    ["inspector", "tests", 0],
  ]);
});

test("~GTR-009: one agent that fails does not stop the others", async () => {
  const at = await place();
  at.put("src/a.ts", "a");
  mkdirSync(path.join(at.parts.memoryDir, "architect"), { recursive: true });
  writeFileSync(path.join(at.parts.memoryDir, "architect/ground-truth.md"), Buffer.from([0, 1, 2]));
  const results = await refreshAll(
    at.parts,
    readMemoryConfig(at.parts.memoryDir, shippedRoles()),
    at.files,
    { incremental: false, dryRun: false, archive: false, onProgress: () => undefined, lastReference: () => undefined },
    never,
  );
  expect(results.map(({ agent, ok }) => [agent, ok])).toEqual([
    ["inspector", true],
    ["architect", false],
    ["archivalist", true],
    ["orchestrator", true],
  ]);
});
