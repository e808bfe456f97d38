import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { sqliteDriver } from "../../journal/index.ts";
import { parseDecisions, renderDecision, type Decision } from "../sidecar/decision-log.ts";
import { readMemoryConfig } from "../sidecar/memory-config.ts";
import { archiveEntry } from "./apply-finding.ts";
import { findDuplicates, OVERLAP } from "./find-duplicates.ts";
import { checkHygiene } from "./hygiene.ts";
import { shippedRoles } from "../../../test/support/shipped-roles.ts";

const never = new AbortController().signal;
const NOW = Date.parse("2026-03-01T00:00:00Z");
const entry = (title: string, more: Partial<Decision> = {}): string =>
  renderDecision({
    date: "2026-02-20",
    title,
    agent: "architect",
    workflow: "",
    sprint: "",
    type: "process",
    status: "active",
    related: [],
    body: "",
    ...more,
  });

function sidecar(text: string): { root: string; memoryDir: string; check: () => ReturnType<typeof checkHygiene> } {
  const root = tempDir();
  const memoryDir = path.join(root, ".sylk/memory");
  mkdirSync(path.join(memoryDir, "architect"), { recursive: true });
  writeFileSync(path.join(memoryDir, "architect/decision-log.md"), text);
  return {
    root,
    memoryDir,
    check: () =>
      checkHygiene(
        {
          memoryDir,
          root,
          config: readMemoryConfig(memoryDir, shippedRoles()),
          nowMs: NOW,
          files: ["lib/moved.ts"],
          agentsDir: path.join(root, ".sylk/agents"),
        },
        never,
      ),
  };
}

test("~HYG-001 HYG-002: what is stale, orphaned, double or unreadable is found with its evidence", async () => {
  const hash = "0".repeat(64);
  const { check, root } = sidecar(
    [
      entry("stale one", { body: `Evidence: file \`a.ts\` sha256:${hash}` }),
      entry("orphan", { related: ["src/gone.ts"] }),
      entry("renamed", { related: ["src/moved.ts"] }),
      entry("port choice", { date: "2026-02-01", body: "the server listens on port eighty" }),
      entry("port choice", { date: "2026-02-10", body: "the server listens on port ninety" }),
      entry("cache size limit", { body: "keep cache small always please" }),
      entry("limit cache size", { body: "keep cache small always please" }),
      entry("colour", { body: "use blue everywhere" }),
      entry("colour", { body: "red only, never anything else here" }),
      entry("parallel 5", { body: "" }),
      entry("parallel 6", { body: "" }),
      entry("filed twice", { body: "word for word" }),
      entry("filed twice", { body: "word for word", related: ["a.ts"] }),
      entry("first plan", { status: "superseded" }),
      entry("detail", { related: ["first plan"] }),
      "### [whenever] odd\n\ntext\n",
    ].join(""),
  );
  writeFileSync(path.join(root, "a.ts"), "changed");
  const report = await check();
  expect(report.findings.map((one) => [one.class, one.entry, one.action, one.actionable, one.likely_rename])).toEqual([
    ["STALE", "stale one", "review", false, undefined],
    ["ORPHANED", "orphan", "archive", true, undefined],
    ["ORPHANED", "renamed", "archive", false, "lib/moved.ts"],
    ["STALE", "detail", "review", false, undefined],
    ["UNVERIFIABLE-FORMAT", "odd", "review", false, undefined],
    ["DUPLICATE", "port choice", "archive", true, undefined],
    ["NEAR-DUPLICATE", "cache size limit", "review", false, undefined],
    ["CONTRADICTED", "colour", "review", false, undefined],
    ["NEAR-DUPLICATE", "filed twice", "review", false, undefined],
  ]);
  expect(report.summary).toEqual({ agents: 1, entries: 16, active: 15, findings: 9 });
});

test("HYG-003 ~HYG-004: superseded and old entries are named for the archive; looking changes nothing", async () => {
  const sprints = ["s1", "s2", "s3", "s4"].map((sprint) => entry(`in ${sprint}`, { sprint })).join("");
  const { check, memoryDir } = sidecar(entry("done", { status: "superseded" }) + entry("ancient", { date: "2025-01-01" }) + sprints);
  const before = readFileSync(path.join(memoryDir, "architect/decision-log.md"), "utf8");
  expect((await check()).archival.map(({ entry: title, actionable }) => [title, actionable])).toEqual([
    ["done", true],
    ["ancient", false],
    ["in s1", false],
  ]);
  expect(readFileSync(path.join(memoryDir, "architect/decision-log.md"), "utf8")).toBe(before);
});

test("HYG-003: an approved finding moves its entry to the archive and leaves the rest to the byte", async () => {
  const rest = entry("stays");
  const { memoryDir, root } = sidecar(`# My title\n\n${entry("goes")}## Refresh — kept\n\n${rest}`);
  const clock = new ManualClock(NOW);
  const store = await sqliteDriver.open({ path: path.join(root, ".sylk/sylk.db"), clock, durability: "process", views: [] });
  onTestFinished(() => store.close());
  await archiveEntry(
    { memoryDir, store, clock },
    { agent: "architect", entry: "goes", date: "2026-02-20", evidence: "newer one", class: "DUPLICATE" },
    new AbortController().signal,
  );
  expect(readFileSync(path.join(memoryDir, "architect/decision-log.md"), "utf8")).toBe(`# My title\n\n## Refresh — kept\n\n${rest}`);
  const kept = readFileSync(path.join(memoryDir, "architect/archive/decision-log-2026-03-01.md"), "utf8");
  expect(kept).toContain("### [2026-02-20] goes\n");
  expect(kept).toContain("- Status: superseded\n");
  expect(kept).toContain("Note: superseded, newer one");
});

test("HYG-002: every pair above the threshold is found, as by comparing all with all", async () => {
  const word = fc.constantFrom("cache", "server", "port", "limit", "index", "token", "queue", "retry");
  const one = fc.record({
    title: fc.array(word, { minLength: 1, maxLength: 2 }).map((list) => list.join(" ")),
    body: fc.array(word, { maxLength: 6 }).map((list) => list.join(" ")),
    related: fc.constantFrom<string[]>([], ["a.ts"], ["b.ts"]),
  });
  const wordsOf = (decision: Pick<Decision, "title" | "body">): Set<string> =>
    new Set(`${decision.title} ${decision.body}`.split(/\s+/).filter(Boolean));
  const alike = (a: Decision, b: Decision): boolean => {
    const [x, y] = [wordsOf(a), wordsOf(b)];
    const same = a.related.join() === b.related.join();
    if (a.title === b.title && a.body === b.body) return true;
    return same && (a.title === b.title || [...x].filter((w) => y.has(w)).length / Math.min(x.size, y.size) > OVERLAP);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 14 }), async (list) => {
      const { entries } = parseDecisions(list.map((more) => entry(more.title, more)).join(""));
      const { pairs, complete } = await findDuplicates(entries, never);
      expect(complete).toBe(true);
      const withPartner = entries.filter((a, i) => entries.slice(i + 1).some((b) => alike(a, b)));
      expect(pairs).toHaveLength(withPartner.length);
      for (const { older, newer } of pairs) expect(alike(older, newer)).toBe(true);
    }),
  );
});

test("~HYG-001 ~HYG-004: a log of 10 MB is looked through; what is not listed is counted", { timeout: 60_000 }, async () => {
  let text = "";
  for (let i = 0; text.length < 10_000_000; i += 1)
    text += entry(`decision ${i}`, { body: `the same words in every body here, ${"again and ".repeat(10)}` });
  const report = await sidecar(text).check();
  expect(report.summary.entries).toBeGreaterThan(30_000);
  expect(report.findings.length).toBeLessThanOrEqual(200);
  expect(report.summary.findings).toBe(report.summary.entries - 1);
  expect(report.next_steps).toContain(`architect: ${report.summary.findings - 200} further findings are not listed`);
});
