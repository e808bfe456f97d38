/** `knowledge.test.ts` goes on here with what takes longer. */
import { expect, test } from "vitest";
import { shop } from "./knowledge.ts";

test("an id that a history search shows can be pasted into history show; an unknown one is told", () => {
  const { run } = shop();
  const shown = /commit:[\da-f]+/u.exec(run(["history", "search", "VAT"]).out)?.[0] ?? "";
  expect(run(["history", "show", shown]).out).toContain("VAT was counted twice");
  const lines = [{ id: "note-7", author: "Ann", text: "Prices are rounded down." }].map((one) => JSON.stringify(one)).join("\n");
  expect(run(["history", "import", "-", "--name", "notes"], lines)).toMatchObject({ code: 0 });
  expect(run(["history", "search", "rounded"]).out).toContain("note-7");
  expect(run(["history", "show", "note-7"]).out).toContain("Prices are rounded down.");
  expect(run(["history", "show", "nope"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing is known under nope") });
});

test("sylk ask answers with numbered sources; with --model and no model the sources stand, and it says so", () => {
  const { run } = shop();
  expect(run(["ask", "where is resumeSession defined"]).out).toMatch(/^\[1\] src\/session\.ts:2-4 — verified, current\n {6}\S/u);
  expect(run(["ask", "where is resumeSession defined"]).err).toContain("`sylk ask --model …` lets a model answer");
  // D14: the best passage is there whole, and nothing else is said before it.
  expect(run(["ask", "where is resumeSession defined"]).out).toMatch(/^\[1\] .*\n(?: {6}.*\n){3}/u);
  expect(run(["ask", "where is resumeSession defined"]).err).not.toContain("days old");
  for (const words of [
    ["ask", ""],
    ["history", "search", " "],
    ["search", "x", "-k", "0"],
  ])
    expect(run(words).code).toBe(2);
  const asked = run(["ask", "--model", "how does resumeSession work"]);
  expect(asked).toMatchObject({ code: 0, err: expect.stringContaining("no model is configured to answer with") });
  expect(asked.out).toContain("[1] src/session.ts");
  expect(run(["ask", "zzzqqq"]).out).toContain("nothing found");
});

test("status names the vectors in use, and a configured model that cannot be reached", () => {
  const { run, configure } = shop();
  run(["index"]);
  expect(run(["knowledge", "status"]).out).toContain("vectors of builtin/words-1 (256)");
  configure(
    'llm:\n  embedding_model: e/small\n  retry:\n    transient: { max_attempts: 1 }\n    external_degrading: { max_attempts: 1 }\n  providers:\n    e: { kind: compatible, base_url: "http://127.0.0.1:9/v1" }\n',
  );
  expect(run(["index"]).err).toContain("e/small failed, the built-in vectors serve");
  expect(run(["knowledge", "status"]).out).toMatch(/e\/small \(0\): 0 embedded, \d+ to do; failed, built-in vectors serve: /u);
});

test("places are taken from where one stands; a line, a folder or a document that is not there is said so", () => {
  const { run } = shop();
  expect(run(["-C", "src", "why", "session.ts:2"]).out).toMatch(/^src\/session\.ts:2\nin export function resumeSession/u);
  expect(run(["-C", "src", "map", "src"]).out).toContain("src/price.ts");
  expect(run(["why", "src/session.ts:600"])).toMatchObject({ code: 1, err: expect.stringContaining("has 4 lines") });
  expect(run(["map", "nope"])).toMatchObject({ code: 1, err: expect.stringContaining("nothing is known below nope") });
  expect(run(["knowledge", "add", "nope.pdf"])).toMatchObject({ code: 1, err: expect.stringMatching(/no such file\n\s+fix: /u) });
  expect(run(["map", "--budget", "0"]).code).toBe(2);
});

test("status names large files of which only the beginning was read", () => {
  const { run, write } = shop();
  expect(run(["index"]).code).toBe(0);
  expect(run(["knowledge", "status"]).out).not.toContain("only the beginning");
  write("src/large.py", Array.from({ length: 60_000 }, (_, i) => `def function_number_${i}():\n    pass\n`).join(""));
  run(["index"]);
  expect(run(["knowledge", "status"]).out).toContain("of 1 large file only the beginning was read: src/large.py");
});
