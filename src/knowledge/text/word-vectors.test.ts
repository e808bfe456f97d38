import { cpSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { systemPaths } from "../../kernel/index.ts";
import { tokenize } from "./tokenize.ts";
import { nearnessOf, wordVectors, wordVectorsState } from "./word-vectors.ts";

function shipped() {
  const loaded = wordVectors();
  if (loaded.kind === "unusable") throw new Error(loaded.reason);
  return loaded.vectors;
}

/** Words as people and programs write them → what the table knows them as. Another tokenizer needs another table. */
const WORDS: Readonly<Record<string, string[]>> = {
  names: ["nam"],
  Functions: ["funct"],
  updated: ["updat"],
  values: ["valu"],
  creating: ["creat"],
  authentication: ["authenticat"],
  retries: ["retri"],
  serialized: ["serializ"],
  parsing: ["pars"],
  running: ["run"],
  properties: ["properti"],
  http_request: ["httprequest", "http", "request"],
  readFile: ["readfile", "read", "fil"],
};

test("the tokenizer gives the words the table was made for", () => {
  const vectors = shipped();
  for (const [written, known] of Object.entries(WORDS)) {
    expect(tokenize(written)).toEqual(known);
    for (const word of known) expect([word, vectors.knows(word)]).toEqual([word, true]);
  }
});

test("what means something alike is nearer than what does not", () => {
  const vectors = shipped();
  const question = vectors.question("user cannot log in") as Int8Array;
  const near = (file: string, text: string): number => nearnessOf(question, vectors.piece(file, tokenize(text)) as Int8Array);
  expect(near("src/auth.ts", "export function authenticate(password: string, session: Session)")).toBeGreaterThan(
    near("src/color.ts", "export function blend(red: number, green: number)") + 0.1,
  );
  const said = (text: string): Int8Array => vectors.saying(text) as Int8Array;
  expect(nearnessOf(said("fix crash on exit"), said("fix crash on exit"))).toBeCloseTo(1);
  expect(nearnessOf(said("fix crash on exit"), said("segfault at shutdown"))).toBeGreaterThan(
    nearnessOf(said("fix crash on exit"), said("translate the manual")),
  );
});

test("words of other scripts, none at all and a megabyte of them are no vector or a vector, never an error", () => {
  const vectors = shipped();
  expect([vectors.question(""), vectors.question("検索語"), vectors.piece("", []), vectors.saying("\0\u0001")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(vectors.question("parse the request\n".repeat(60_000))).toHaveLength(256);
  expect(nearnessOf(new Int8Array(256), new Int8Array(12))).toBe(0);
});

test("a table that is missing, cut or of another version says so in words", () => {
  const folder = path.join(tempDir(), "vectors");
  const reset = (): void => cpSync(systemPaths.shipped("data", "word-vectors"), folder, { recursive: true });
  const reason = (): string => {
    const loaded = wordVectors(folder);
    expect(wordVectorsState(folder).name).toBe(loaded.kind === "loaded" ? "words-1" : "none");
    return loaded.kind === "unusable" ? loaded.reason : "";
  };
  expect(reason()).toContain("cannot be used");
  reset();
  expect(reason()).toBe("");
  truncateSync(path.join(folder, "vectors.i8"), 1_000);
  expect(reason()).toContain("vectors.i8 has 1000 bytes instead of 7598848");
  reset();
  writeFileSync(path.join(folder, "card.json"), '{"version": 2}');
  expect(reason()).toContain("another version");
  writeFileSync(path.join(folder, "card.json"), "\0");
  expect(reason()).toContain("cannot be used");
  reset();
  rmSync(path.join(folder, "query-matrix.f32"));
  expect(reason()).toContain("query-matrix.f32");
});
