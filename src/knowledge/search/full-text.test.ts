import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { openKnowledgeDatabase } from "../store/open-database.ts";
import { createFullText } from "./full-text.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Commits whose messages all say "fix", half of them "cache", one "zebra". */
function messages(count: number) {
  const database = openKnowledgeDatabase(path.join(tempDir(), "knowledge.db"));
  const { db } = database;
  const node = db.prepare(
    "INSERT INTO nodes (key, id, domain, node_type, name, created_at, updated_at) VALUES (?, ?, 'history', 'commit', '', '', '')",
  );
  const commit = db.prepare("INSERT INTO commits (key, hash, at, author, files) VALUES (?, ?, 0, '', 0)");
  const text = db.prepare("INSERT INTO commit_fts (rowid, subject, body) VALUES (?, ?, '')");
  for (let i = 1; i <= count; i += 1) {
    node.run(i, `commit:${i}`);
    commit.run(i, String(i));
    text.run(i, ["fix", ...(i % 2 === 0 ? ["cache"] : []), ...(i === count ? ["zebra"] : [])].join(" "));
  }
  vocabularyOf(db).refresh();
  return { database, find: createFullText(db, { table: "commit_fts", vocabulary: "commits", weights: [2, 1] }).find };
}

test("SRC-090: a rare word chooses what is found, and common ones add to its score", () => {
  const { database, find } = messages(100);
  using _ = database;
  const bounds = { limit: 10, entries: 40 };
  expect([...find(["fix", "zebra"], bounds).keys()]).toEqual([100]);
  const alone = find(["zebra"], bounds).get(100) as number;
  expect(find(["zebra", "cache"], bounds).get(100)).toBeGreaterThan(alone);
  expect(find(["unheard"], bounds).size).toBe(0);
  expect(find([], bounds).size).toBe(0);
});

test("a word that is everywhere looks at no more entries than allowed, and still finds", () => {
  const { database, find } = messages(100);
  using _ = database;
  const found = find(["fix"], { limit: 30, entries: 20 });
  expect(found.size).toBe(20);
  expect([...found.values()].every((score) => score > 0)).toBe(true);
});

test("words are counted again after a change", () => {
  const { database } = messages(4);
  using _ = database;
  const words = vocabularyOf(database.db);
  expect([words.entriesWith("commits", "zebra"), words.entries("commits")]).toEqual([1, 4]);
  const before = words.refresh();
  database.db.exec("DELETE FROM commit_fts WHERE rowid = 4; DELETE FROM nodes WHERE key = 4");
  expect(words.refresh()).not.toBe(before);
  expect([words.entriesWith("commits", "zebra"), words.entries("commits")]).toEqual([0, 3]);
  expect(words.refresh()).toBe(words.refresh());
});
