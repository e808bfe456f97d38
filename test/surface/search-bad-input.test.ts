/** What nobody should ask, and a table of word vectors that cannot be used: answered in words, by the command itself. */
import { expect, test } from "vitest";
import { shop } from "./search-bad-input.ts";

test("a megabyte, binary, stop words alone, other scripts and the language of the index itself are each answered", () => {
  const search = shop();
  const asked: Record<string, string> = {
    megabyte: "visitor session cookie\n".repeat(45_000),
    oneWord: "x".repeat(1_000_000),
    binary: Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 7) % 256)).toString("latin1"),
    stopWords: "the of and to",
    scripts: "検索 語 поиск بحث",
    halves: "\0\0\u0007 \uD800",
    operators: '" OR NEAR( * ^ {body}: )',
    empty: "",
    after: "resumeSession",
  };
  const lines = Object.entries(asked).map(([id, text]) => JSON.stringify({ id, text }));
  const done = search(["--batch"], lines.join("\n"));
  expect(done.status).toBe(0);
  const answers = new Map(
    done.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { id: string; results: { path: string }[]; error?: string })
      .map((one) => [one.id, one]),
  );
  expect([...answers.keys()]).toEqual(Object.keys(asked));
  expect([...answers.values()].filter((one) => one.error !== undefined)).toEqual([]);
  expect(answers.get("megabyte")?.results[0]?.path).toBe("src/session.ts");
  expect(answers.get("after")?.results[0]?.path).toBe("src/session.ts");
  for (const id of ["oneWord", "stopWords", "scripts", "halves", "empty"]) expect(answers.get(id)?.results).toEqual([]);
});
