/** `search-while-indexing.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { shop } from "./search-while-indexing.ts";

test("the command answers from what is there while new files wait to be read, says so, and finds them afterwards", () => {
  const { write, run, told, hold } = shop();
  expect(told("search", "resumeSession").indexing).toBeUndefined();
  write("src/lately.ts", "export function resumeLately(id: string): string {\n  return id;\n}\n");
  const release = hold();
  const meanwhile = run("search", "resumeSession resumeLately", "--domain", "code", "--json");
  expect(meanwhile.stderr).toContain("`sylk index` reads on");
  expect(JSON.parse(meanwhile.stdout.trim())).toMatchObject({
    results: [{ path: "src/session.ts" }],
    indexing: { phase: expect.any(String), note: expect.stringContaining("indexing goes on") },
  });
  release();
  const afterwards = told("search", "resumeLately");
  expect(afterwards.indexing).toBeUndefined();
  expect(afterwards.results[0]?.path).toBe("src/lately.ts");
});
