/** What feeds knowledge beside files and git: agents' memory, and contradictions someone settled. */
import path from "node:path";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openApp, type App } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { gitIn, writeIn } from "../support/knowledge-project.ts";
import { tempDir } from "../support/temp.ts";
import { agentActor } from "../../src/protocol/events/index.ts";

const signal = new AbortController().signal;

async function project(files: Readonly<Record<string, string>>): Promise<{ app: App; root: string; home: string }> {
  const root = tempDir("sylk-sources");
  const home = tempDir("sylk-home");
  gitIn(root, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(files)) writeIn(root, file, text);
  const app = await openApp({
    cwd: root,
    env: { PATH: process.env["PATH"], HOME: home, SYLK_HOME: home, SYLK_MEMORY_PLACE: "project" },
    clock: systemClock,
  });
  onTestFinished(async () => app.close());
  await app.trust.decide("yes");
  await app.knowledge.index({ signal });
  return { app, root, home };
}

const decision = (title: string, status = "active"): string =>
  `### [2026-01-05] ${title}\n- Agent: architect\n- Type: architectural\n- Status: ${status}\n\nBecause it was measured.\n\n`;
const MEMORY = {
  "src/store.ts": "export const store = 1;\n",
  ".sylk/memory/architect/decision-log.md": `# Decisions\n\n${decision("Journals are written ahead")}${decision("Snapshots every hour", "superseded")}`,
  ".sylk/memory/librarian/ground-truth.md":
    "# Ground truth of librarian\n\nLast refresh: never\n\n**[file-inventory]** Forty migrations live under db\nSource: `db/*.sql` | Verified: 2026-02-03 | Count: 40\n\n**[file-inventory]** Removed thing zebra\nSource: `zebra/*` | Verified: 2026-02-03 | Count: 1\nRemoved: detected 2026-02-04\n\n",
};

test("GTR-011 ~MIT-020 MIT-021: verified facts and active decisions of agents are found, with their source and date", async () => {
  const { app, root } = await project(MEMORY);
  const find = async (text: string) => (await app.knowledge.search({ text, domain: "history", k: 3 })).hits;
  expect((await find("where do migrations live"))[0]).toMatchObject({
    node: expect.stringMatching(/^memory:librarian\//u),
    time: "2026-02-03T00:00:00.000Z",
    title: expect.stringContaining("Forty migrations"),
  });
  expect((await find("journals written ahead"))[0]).toMatchObject({ title: expect.stringContaining("Journals are written ahead") });
  expect(await find("zebra")).toEqual([]);
  expect(await find("snapshots hour")).toEqual([]);
  const answer = await app.knowledge.ask({ text: "where are the migrations", domain: "history", signal });
  expect(answer.sources[0]?.shown).toMatch(/^\[1\] 2026-02-03 Forty migrations .*via code analysis$/u);

  writeIn(root, ".sylk/memory/architect/decision-log.md", `# Decisions\n\n${decision("Journals are kept in memory")}`);
  await app.knowledge.refresh({ signal });
  expect((await find("journals")).map((hit) => hit.title)).toEqual([expect.stringContaining("kept in memory")]);
  rmSync(path.join(root, ".sylk", "memory"), { recursive: true });
  await app.knowledge.refresh({ signal });
  expect(await find("journals migrations")).toEqual([]);
});

test("GTR-011: what is known of one file is no hit for another; what was decided stands before it", async () => {
  const fact = (file: string): string =>
    `**[file-inventory]** ${file}: 8 lines, sha256 0123456789ab\nSource: \`${file}\` | Verified: 2026-02-03 | Count: 1\n\n`;
  const { app } = await project({
    ".sylk/memory/architect/decision-log.md": `# Decisions\n\n${decision("A session is kept for an hour")}`,
    ".sylk/memory/inspector/ground-truth.md": `# Ground truth of inspector\n\nLast refresh: never\n\n${["ask", "session", "zoo"].map((name) => fact(`${name}.yaml`)).join("")}`,
  });
  const { hits } = await app.knowledge.search({ text: "session", domain: "history", k: 10 });
  expect(hits.map((hit) => hit.title)).toEqual([
    expect.stringContaining("A session is kept"),
    expect.stringContaining("session.yaml: 8 lines"),
  ]);
});

test("MIT-044: a settled contradiction stays settled when the index is built again", async () => {
  const { app } = await project({ "src/billing.ts": "export const billing = 1;\n" });
  const say = (id: string, content: string) =>
    app.knowledge.storeSummary(
      {
        id,
        content,
        summary_type: "decision",
        session_id: "s",
        code_references: [],
        tags: [],
        agent: "architect",
        task_id: null,
        resolved: null,
      },
      agentActor("architect"),
    );
  await say("k1", "The billing worker uses Kafka for the invoice events.");
  await say("k2", "The billing worker uses RabbitMQ for the invoice events.");
  const look = async () => (await app.knowledge.context({ text: "billing worker invoice events", domain: "history" })).conflicts;
  expect((await look()).filter((one) => one.type === "semantic")).toHaveLength(1);
  const open = (await app.knowledge.conflicts()).filter((one) => one.type === "semantic");
  expect(open).toHaveLength(1);
  expect(await app.knowledge.resolveConflict(open[0]?.id ?? 0, "RabbitMQ since May")).toBe(true);
  expect(await app.knowledge.resolveConflict(open[0]?.id ?? 0, "again")).toBe(false);
  await app.knowledge.rebuild({ signal });
  expect((await look()).filter((one) => one.type === "semantic")).toEqual([]);
  expect((await app.knowledge.conflicts()).filter((one) => one.type === "semantic")).toEqual([]);
  await say("k2", "The billing worker uses Pulsar for the invoice events.");
  expect((await look()).filter((one) => one.type === "semantic")).toHaveLength(1);
});

test("MIT-011 KNO-041: a link that cannot be is refused, and keeps out nothing that comes after it", async () => {
  const { app } = await project({ "src/billing.ts": "export const billing = 1;\n" });
  await app.knowledge.index({ signal });
  const refused = app.knowledge.link({ source: "src/billing.ts", target: "src/billing.ts", type: "modified" }, agentActor("architect"));
  await expect(refused).rejects.toThrow(/modified goes from history to code, but src\/billing.ts is code/u);
  await app.knowledge.importHistory("talk", JSON.stringify({ id: "1", author: "Ann", text: "The invoice is late." }));
  await app.knowledge.rebuild({ signal });
  const { hits } = await app.knowledge.search({ text: "late invoice", domain: "history", k: 1 });
  expect(hits[0]).toMatchObject({ externalId: "1" });
});

test("~SEC-019: an imported history is kept without its secrets, and nobody in it is taken for the person", async () => {
  const token = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"}`;
  const { app, home } = await project({ "a.txt": "x\n" });
  const line = (id: string, author: string, text: string): string =>
    JSON.stringify({ id, time: "2026-01-01T10:00:00Z", author, text, thread: "t" });
  await app.knowledge.importHistory(
    "talk.jsonl",
    [
      line("1", "ann", `the deploy pipeline rotation uses ${token} and "pwd: hunter2hunter\\" until friday`),
      line("2", "user", "the deploy pipeline rotation is done by hand"),
    ].join("\n"),
  );
  const found = await app.knowledge.search({ text: "deploy pipeline rotation", domain: "history" });
  expect(found.hits).toHaveLength(2);
  const { text } = await app.knowledge.context({ text: "deploy pipeline rotation", domain: "history" });
  expect(text).toContain("imported, told by ann");
  expect(text).not.toContain("said by the user");
  const shown = JSON.stringify([found, text, app.knowledge.graph().get(found.hits[0]?.node ?? "")]);
  expect(shown).toContain("[REDACTED]");
  expect(shown).not.toContain(token);
  await app.close();
  const files = readdirSync(path.join(home, "data"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) expect(readFileSync(path.join(entry.parentPath, entry.name), "latin1")).not.toContain(token);
});
