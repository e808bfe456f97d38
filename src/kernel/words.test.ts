import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { newId, shortIds, wording } from "./index.ts";

test("a shortened text fits, says that it was shortened, and never holds half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
      const short = wording.shorten(text, max);
      expect(short.length).toBeLessThanOrEqual(max);
      expect(short.isWellFormed()).toBe(text.isWellFormed());
      expect(short === text || (short.endsWith("…") && text.startsWith(short.slice(0, -1)))).toBe(true);
    }),
  );
  expect(wording.oneLine("  a\n\n b\tc  ", 5)).toBe("a b c");
  expect(wording.shorten("ab😀cd", 4)).toBe("ab…");
  expect([wording.title("why\nthis\n \n\nPiped in: much", 9), wording.title("\n\nlong words", 6)]).toEqual(["why this", "long …"]);
});

test("an id is found by its beginning, its end, or without its prefix; several are told apart from none", () => {
  const ids = Array.from({ length: 5 }, () => newId("task", 1_700_000_000_000));
  const [first = "", second = ""] = ids;
  expect(shortIds.match(first, ids)).toEqual({ kind: "one", id: first });
  expect(shortIds.match(second.slice(-8), ids)).toEqual({ kind: "one", id: second });
  expect(shortIds.match(second.slice(5), ids)).toEqual({ kind: "one", id: second });
  expect(shortIds.match("task_", ids)).toEqual({ kind: "several", ids });
  expect(shortIds.match("", ids)).toEqual({ kind: "none" });
  expect(shortIds.match("zzz", ids)).toEqual({ kind: "none" });
  expect(shortIds.shorten(`{"a":"${first}","b":"task_short"}`)).toBe(`{"a":"${first.slice(-8)}","b":"task_short"}`);
});

test("the nearest word is one a hand could have meant", () => {
  const words = ["task", "journal", "models", "memory", "map", "mcp"];
  expect(["taks", "jurnal", "journl", "memroy", "mo", "model"].map((word) => wording.nearest(word, words))).toEqual([
    "task",
    "journal",
    "journal",
    "memory",
    "models",
    "models",
  ]);
  expect(["xyzzy", "", "q"].map((word) => wording.nearest(word, words))).toEqual([undefined, undefined, undefined]);
});

test("what is wrong with an input is said without the checker's own words", () => {
  const schema = z.strictObject({
    step: z.union([z.int(), z.string().regex(/^\d+-\d+$/u, 'must be a range such as "1-3"')]),
    name: z.string(),
    kind: z.enum(["a", "b"]),
    id: z.string().regex(/^x/u),
  });
  const parsed = schema.safeParse({ step: "1..3", kind: "c", id: "y", other: 1 });
  expect(wording.issues(parsed.error as z.ZodError)).toBe(
    'step must be a range such as "1-3"; name is missing; kind must be one of a, b; id is written in another way than expected; has no other',
  );
});

test("what is offered as a word of a shell is that word to it, and nothing else", () => {
  for (const text of ["plain", "line:npm test `touch pwned`", "$(id) $HOME !! \\ \"a\" 'b'", "", "two\nlines", "it's"])
    expect(execFileSync("sh", ["-c", `printf %s ${wording.shellWord(text)}`], { encoding: "utf8" })).toBe(text);
});
