/** One question, asked wherever it can be asked: the ranking is the same, every hit has text, and bad input is answered in words. */
import { expect, test } from "vitest";
import { shop } from "./search-everywhere.ts";

test("a name finds its definition before uses, tests and documents; a path with an alias and an error message find their file", async () => {
  const { knowledge } = shop();
  await knowledge.index();
  const found = async (text: string): Promise<string[]> =>
    (await knowledge.find({ text, k: 4, domain: "code", once: true })).hits.map((hit) => hit.path);
  expect((await found("resumeSession")).slice(0, 3)).toEqual(["src/session.ts", "test/session.test.ts", "docs/guide.md"]);
  expect((await found("session.resumeSession()"))[0]).toBe("src/session.ts");
  expect((await found("@src/price.ts"))[0]).toBe("src/price.ts");
  expect((await found("a cookie of the visitor"))[0]).toBe("src/cookie.ts");
  const [first] = (await knowledge.find({ text: "resumeSession", k: 1, once: true })).hits;
  expect(first?.text.split("\n")[0]).toBe("export function resumeSession(id: string): string {");
  expect(first?.textLine).toBe(4);
});

test("a megabyte, binary, stop words alone and other scripts are answered, not refused", async () => {
  const { knowledge } = shop();
  await knowledge.index();
  const found = async (text: string): Promise<string[]> => (await knowledge.find({ text, once: true })).hits.map((hit) => hit.path);
  expect(await found(`${"visitor session cookie\n".repeat(45_000)}`)).toContain("src/session.ts");
  expect(await found("x".repeat(1_000_000))).toEqual([]);
  expect(await found(Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256)).toString("latin1"))).toEqual(expect.any(Array));
  expect(await found("the of and to")).toEqual([]);
  expect(await found("検索 語 поиск بحث")).toEqual([]);
  expect(await found("\0\0\u0007 \uD800")).toEqual([]);
  expect(await found('" OR NEAR( * ^ {body}: )')).toEqual(expect.any(Array));
});
