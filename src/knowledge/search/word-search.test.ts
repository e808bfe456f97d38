import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { createCommitWriter } from "../store/commit-writer.ts";
import { openKnowledgeDatabase } from "../store/open-database.ts";
import { packWords, readBag, wordNumber } from "../text/word-bag.ts";
import { vocabularyOf } from "./vocabulary.ts";
import { createWordSearch } from "./word-search.ts";

/** Commits whose messages all say "fix", half of them "cache", one "zebra". */
async function messages(count: number) {
  const database = openKnowledgeDatabase(path.join(tempDir(), "knowledge.db"));
  const commits = Array.from({ length: count }, (_, i) => {
    const message = ["fix", ...(i % 2 === 1 ? ["cache"] : []), ...(i === count - 1 ? ["zebra"] : [])].join(" ");
    return { hash: String(i + 1), at: i, author: "", message, files: [] };
  });
  await createCommitWriter(database.db).begin("h", "anew")(commits.toReversed(), "");
  vocabularyOf(database.db).refresh();
  const search = createWordSearch(database.db, "commits");
  const keyOf = (hash: number): number =>
    (database.db.prepare("SELECT key FROM commits WHERE hash = ?").get(String(hash)) as { key: number }).key;
  const find = (words: readonly string[], bounds: { entries: number; weighed: number }) =>
    new Map(search.find(new Map(words.map((word) => [word, 1])), bounds).map(({ key, score }) => [key, score]));
  return { database, find, keyOf };
}

test("SRC-090: a rare word chooses what is found, and common ones add to its score", async () => {
  const { database, find, keyOf } = await messages(100);
  using _ = database;
  const bounds = { entries: 40, weighed: 10 };
  const last = keyOf(100);
  expect([...find(["fix", "zebra"], bounds).keys()]).toEqual([last]);
  const alone = find(["zebra"], bounds).get(last) as number;
  expect(find(["zebra", "cach"], bounds).get(last)).toBeGreaterThan(alone);
  expect(find(["unheard"], bounds).size).toBe(0);
  expect(find([], bounds).size).toBe(0);
});

test("where the allowance is large enough, whatever has any of the words is weighed by all of them, best first", async () => {
  const { database, find, keyOf } = await messages(20);
  using _ = database;
  const found = [...find(["fix", "cach", "zebra"], { entries: 1_000, weighed: 1_000 })];
  expect(found).toHaveLength(20);
  expect(found[0]?.[0]).toBe(keyOf(20));
  expect(found.map(([, score]) => score)).toEqual(found.map(([, score]) => score).toSorted((a, b) => b - a));
});

test("a word that is everywhere looks at no more entries than allowed, and still finds", async () => {
  const { database, find } = await messages(100);
  using _ = database;
  const found = find(["fix"], { entries: 20, weighed: 30 });
  expect(found.size).toBe(20);
  expect([...found.values()].every((score) => score > 0)).toBe(true);
});

test("words are counted again after a change", async () => {
  const { database, keyOf } = await messages(4);
  using _ = database;
  const words = vocabularyOf(database.db);
  expect([words.entriesWith("commits", "zebra"), words.entries("commits")]).toEqual([1, 4]);
  const before = words.refresh();
  const last = keyOf(4);
  database.db.exec(`DELETE FROM commit_fts WHERE rowid = ${last}; DELETE FROM nodes WHERE key = ${last}`);
  expect(words.refresh()).not.toBe(before);
  expect([words.entriesWith("commits", "zebra"), words.entries("commits")]).toEqual([0, 3]);
  expect(words.refresh()).toBe(words.refresh());
});

test("a bag gives back how often each word was put in, with its weight", () => {
  const bag = packWords([["name", "名"], 2], [["name", "text", "text"], 1]);
  const read = readBag(bag.bytes);
  expect([read.size, bag.length]).toEqual([3, 7]);
  expect(["name", "名", "text", "gone"].map((word) => read.of(wordNumber(word)))).toEqual([3, 2, 2, 0]);
  expect(readBag(new Uint8Array()).of(1)).toBe(0);
});
