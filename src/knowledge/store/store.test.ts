import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { knowledgeProject } from "../../../test/support/knowledge-project.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { findNear } from "../embed/find-near.ts";
import { readVectorState } from "../embed/vector-state.ts";
import { createEntryWriter } from "../ingest/entry-writer.ts";
import { openKnowledgeDatabase } from "./open-database.ts";
import { createVectorWriter } from "./vector-writer.ts";

function open(file = path.join(tempDir(), "k.db")): DatabaseSync {
  const database = openKnowledgeDatabase(file);
  onTestFinished(() => database[Symbol.dispose]());
  return database.db;
}

const one = <T>(db: DatabaseSync, sql: string, ...values: (string | number)[]): T => db.prepare(sql).get(...values) as T;

test("VGD-001 ~VGD-010: one file holds three domains; a code node knows its place, a past one its session and time, an academic one its address", async () => {
  const project = knowledgeProject({ "src/a.ts": "/** Adds. */\nexport function add(a: number): number {\n  return a;\n}\n" });
  project.commit("feat: adding");
  await project.knowledge.index();
  await project.knowledge
    .entries()
    .document({ slug: "d", title: "Doc", type: "rfc", url: "https://e.org/d", text: "# Doc\n\nAdding.\n" }, 1_000);
  const db = open(path.join(project.root, ".sylk", "knowledge.db"));
  expect(
    one(
      db,
      "SELECT domain, node_type, path, line_start, line_end, signature, language, verified, trust_level, confidence FROM nodes WHERE id = ?",
      "src/a.ts:add",
    ),
  ).toEqual({
    domain: "code",
    node_type: "function",
    path: "src/a.ts",
    line_start: 2,
    line_end: 4,
    signature: expect.stringContaining("function add"),
    language: "typescript",
    verified: 1,
    trust_level: 100,
    confidence: 1,
  });
  expect(one(db, "SELECT domain, category, author, timestamp FROM nodes WHERE node_type = 'commit'")).toEqual({
    domain: "history",
    category: "feature",
    author: "Ann",
    timestamp: "2025-01-01T00:01:00.000Z",
  });
  expect(one(db, "SELECT domain, url, verification_type AS how FROM nodes WHERE id = 'doc:d'")).toEqual({
    domain: "academic",
    url: "https://e.org/d",
    how: "from_source",
  });
  expect(() => db.exec("UPDATE nodes SET domain = 'weather'")).toThrow(/CHECK/u);
});

test("~VGD-018 VGD-020: a node's type is one of its domain's; kinds of proof, of source and of contradiction are closed lists", () => {
  const db = open();
  const add = (domain: string, type: string): unknown =>
    db
      .prepare("INSERT INTO nodes (id, domain, node_type, name, created_at, updated_at) VALUES (?, ?, ?, '', '', '')")
      .run(`${domain}:${type}`, domain, type);
  for (const [domain, types] of Object.entries({
    code: ["file", "function", "method", "struct", "interface", "variable", "constant"],
    history: ["history_entry", "outcome", "decision", "commit"],
    academic: ["paper", "documentation", "best_practice", "rfc", "stack_overflow", "blog_post", "tutorial"],
  }))
    for (const type of types) {
      add(domain, type);
      for (const other of ["code", "history", "academic"].filter((one) => one !== domain)) expect(() => add(other, type)).toThrow(/CHECK/u);
    }
  const key = one<{ key: number }>(db, "SELECT key FROM nodes WHERE id = 'history:decision'").key;
  const lists = {
    "UPDATE nodes SET verification_type = ?": ["none", "against_code", "against_history", "by_user", "from_source"],
    [`INSERT INTO provenance (node, source_type, confidence) VALUES (${key}, ?, 1)`]: ["code", "history", "academic", "inference", "user"],
    [`INSERT INTO conflicts (conflict_type, subject, node_a, node_b, severity, description, suggestion, content_hash, detected_at) VALUES (?, 's', ${key}, ${key}, 'info', '', '', '', '')`]:
      ["temporal", "source_mismatch", "semantic"],
  };
  for (const [sql, allowed] of Object.entries(lists)) {
    for (const value of allowed) db.prepare(sql).run(value);
    expect(() => db.prepare(sql).run("hearsay")).toThrow(/CHECK/u);
  }
});

test("VGD-011 VGD-013 VGD-014 ~VGD-017 ~VGD-041: what hangs on a node goes with it; nothing is there twice; look-ups use an index", () => {
  const db = open();
  const add = (id: string, domain: string): number =>
    Number(
      db
        .prepare("INSERT INTO nodes (id, domain, node_type, name, created_at, updated_at) VALUES (?, ?, ?, ?, '', '')")
        .run(id, domain, domain === "code" ? "file" : "decision", id).lastInsertRowid,
    );
  const [a, b] = [add("a", "code"), add("b", "history")];
  const edge = "INSERT INTO edges (source, target, edge_type) VALUES (?, ?, 'calls')";
  db.prepare(edge).run(a, b);
  expect(() => db.prepare(edge).run(a, b)).toThrow(/UNIQUE/u);
  expect(() => db.prepare(edge).run(a, 999)).toThrow(/FOREIGN KEY/u);
  db.prepare("INSERT INTO provenance (node, source_type, source_node, confidence) VALUES (?, 'code', ?, 1)").run(b, a);
  const conflict =
    "INSERT INTO conflicts (conflict_type, subject, node_a, node_b, severity, description, suggestion, content_hash, detected_at) VALUES ('semantic', 's', ?, ?, 'info', '', '', '', '')";
  db.prepare(conflict).run(a, b);
  expect(() => db.prepare(conflict).run(a, b)).toThrow(/UNIQUE/u);
  db.prepare("UPDATE nodes SET superseded_by = ? WHERE key = ?").run(a, b);
  db.prepare("DELETE FROM nodes WHERE key = ?").run(a);
  expect(one(db, "SELECT (SELECT count(*) FROM edges) AS edges, (SELECT count(*) FROM conflicts) AS conflicts")).toEqual({
    edges: 0,
    conflicts: 0,
  });
  expect(one(db, "SELECT source_node AS source FROM provenance")).toEqual({ source: null });
  expect(one(db, "SELECT superseded_by AS by FROM nodes WHERE id = 'b'")).toEqual({ by: null });
  for (const where of [
    "nodes WHERE domain = 'code' AND node_type = 'x'",
    "nodes WHERE path = 'x'",
    "nodes WHERE name = 'x' COLLATE NOCASE",
    "nodes WHERE session_id = 'x'",
    "edges WHERE target = 1 AND edge_type = 'calls'",
    "provenance WHERE node = 1",
  ])
    expect(one<{ detail: string }>(db, `EXPLAIN QUERY PLAN SELECT * FROM ${where}`).detail).toMatch(/USING (?:COVERING )?INDEX/u);
});

test("~VGD-019 VGD-042 KNO-041: a link has its own weight, is there once, and joins only the domains it is for", async () => {
  const project = knowledgeProject({ "src/a.ts": "export const a = 1;\n" });
  await project.knowledge.index();
  const db = open(path.join(project.root, ".sylk", "knowledge.db"));
  const entries = createEntryWriter(db);
  entries.document({ slug: "d", title: "D", type: "rfc", url: undefined, text: "# D\n" }, 0);
  const weights = () => db.prepare("SELECT edge_type AS type, weight FROM links ORDER BY edge_type").all();
  entries.link([{ source: "src/a.ts", target: "doc:d", type: "implements_pattern" }]);
  entries.link([{ source: "doc:d", target: "summary:later", type: "inspired_by" }]);
  entries.link([{ source: "summary:later", target: "src/a.ts", type: "referenced_in" }]);
  expect(weights()).toEqual([
    { type: "implements_pattern", weight: 0.85 },
    { type: "inspired_by", weight: 0.8 },
    { type: "referenced_in", weight: 0.9 },
  ]);
  entries.link([{ source: "src/a.ts", target: "doc:d", type: "implements_pattern", weight: 0.5 }]);
  expect(weights()).toContainEqual({ type: "implements_pattern", weight: 0.5 });
  expect(weights()).toHaveLength(3);
  expect(() => entries.link([{ source: "doc:d", target: "src/a.ts", type: "modified" }])).toThrow(
    /goes from history to code, but doc:d is academic/u,
  );
});

test("MIT-011 ING-012: what is superseded names what replaced it, to the end of the chain; circles are refused", async () => {
  const project = knowledgeProject({ "a.txt": "x" });
  await project.knowledge.index();
  const entries = project.knowledge.entries();
  const summary = (id: string, content: string) =>
    entries.summary(
      { id, content, summary_type: "decision", session_id: "s", code_references: [], tags: [], agent: "a", task_id: null, resolved: null },
      Date.UTC(2026, 0, 1),
    );
  for (const id of ["one", "two", "three"]) await summary(id, `Version ${id} of the cache rule.`);
  await entries.link({ source: "summary:two", target: "summary:one", type: "supersedes" });
  await entries.link({ source: "summary:three", target: "summary:two", type: "supersedes" });
  const graph = project.knowledge.graph();
  expect(graph.get("summary:one")).toMatchObject({ supersededBy: "summary:two" });
  expect(graph.current("summary:one")).toMatchObject({ id: "summary:three", supersededBy: undefined });
  await expect(entries.link({ source: "summary:one", target: "summary:three", type: "supersedes" })).rejects.toThrow(/cannot replace/u);
  const hits = project.knowledge.search({ text: "version of the cache rule", domain: "history" });
  expect(hits.find((hit) => hit.node === "summary:one")?.warning).toContain("superseded");
  const packed = await project.knowledge.context({
    text: "version of the cache rule",
    domain: "history",
    countTokens: (text) => text.length / 4,
  });
  expect(packed.sources[0]).toBe("summary:three");
});

test("~VGD-012 ~VGD-030 ~VGD-032: the nearest are found within their domain, best first, at most as many as there are; what is gone is found no more", () => {
  const db = open();
  const writer = createVectorWriter(db);
  const vector = (...numbers: number[]): Float32Array => Float32Array.from(numbers);
  const chunk = (file: number, hash: string): void =>
    void db
      .prepare("INSERT INTO chunks (file, line_start, line_end, name, hash, length, words) VALUES (?, 1, 2, '', ?, 0, x'')")
      .run(file, hash);
  for (const [i, hash] of ["east", "northeast", "north", "nowhere"].entries()) {
    db.prepare(
      "INSERT INTO nodes (key, id, domain, node_type, name, created_at, updated_at) VALUES (?, ?, 'code', 'file', '', '', '')",
    ).run(i + 1, hash);
    chunk(i + 1, hash);
  }
  writer.start("m");
  expect(writer.resize("m", 0, 3)).toEqual({ kind: "kept" });
  expect(findNear(db, "m", vector(1, 0, 0))?.files.size).toBe(0);
  writer.put("m", 3, [
    { domain: "code", hash: "east", vector: vector(1, 0, 0) },
    { domain: "code", hash: "northeast", vector: vector(1, 1, 0) },
    { domain: "code", hash: "north", vector: vector(0, 1, 0) },
    { domain: "code", hash: "nowhere", vector: vector(0, 0, 0) },
    { domain: "history", hash: "east", vector: vector(1, 0, 0) },
  ]);
  const near = () =>
    [...(findNear(db, "m", vector(1, 0.1, 0))?.files ?? [])].map(([file, { nearness }]) => [file, Number(nearness.toFixed(2))]);
  expect(near()).toEqual([
    [1, 1],
    [2, 0.77],
    [3, 0.1],
  ]);
  db.exec("DELETE FROM chunks WHERE hash = 'east'");
  writer.tidy();
  expect(near().map(([file]) => file)).not.toContain(1);
  expect(readVectorState(db)).toMatchObject({ model: "m", dimensions: 3, embedded: 3, pending: 0 });
  writer.start("other");
  expect(readVectorState(db)).toMatchObject({ model: "other", embedded: 0, pending: 3 });
  // Whoever still works with what was there before changes nothing, whatever it brings.
  const refused = { kind: "refused", model: "other", dimensions: 0 };
  expect(writer.put("m", 3, [{ domain: "code", hash: "north", vector: vector(0, 1, 0) }])).toEqual(refused);
  expect(writer.resize("m", 3, 4)).toEqual(refused);
  writer.note("m", "1 gone");
  expect(readVectorState(db)).toMatchObject({ model: "other", embedded: 0, trouble: undefined });
  expect(findNear(db, "m", vector(1, 0, 0))).toBeUndefined();
  expect(writer.resize("other", 0, 4)).toEqual({ kind: "kept" });
  expect(writer.put("other", 3, [{ domain: "code", hash: "north", vector: vector(0, 1, 0) }])).toMatchObject({ kind: "refused" });
});
