import { expect, test } from "vitest";
import { briefOf, reviewText } from "./brief.ts";

const of = (file: string, lines: number): string =>
  `diff --git a/${file} b/${file}\nindex 1..2 100644\n--- a/${file}\n+++ b/${file}\n${"+line\n".repeat(lines)}`;

test("whoever judges a change sees what works first, then its tests, then what is written about it, and is told of a cut", () => {
  const text = [of("README.md", 2), of("src/a.ts", 2), of("test/a.test.ts", 2), of("src/b.ts", 2)].join("");
  const files = (shown: string): string[] => [...shown.matchAll(/^diff --git a\/(\S+)/gmu)].map(([, file = ""]) => file);
  const whole = reviewText({ text, truncated: false }, 10_000);
  expect(files(whole)).toEqual(["src/a.ts", "src/b.ts", "test/a.test.ts", "README.md"]);
  expect(whole).not.toContain("the change is longer");
  const cut = reviewText({ text, truncated: false }, 200);
  expect(files(cut)[0]).toBe("src/a.ts");
  expect(cut).toContain("the change is longer; read the files for the rest");
  expect(reviewText({ text: of("src/a.ts", 1), truncated: true }, 10_000)).toContain("the change is longer");
});

test("who builds a part hears that others build the rest; who builds all of it does not", () => {
  const node = { id: "n1", title: "loud", goal: "add loud", assertions: [], after: [], files: [] };
  const intent = { words: "add two", constraints: [], criteria: [], revision: 1, said: [] };
  const told = (isAll: boolean): string => briefOf(intent, { ...node, isAll }, []).inputs["your part of it"] ?? "";
  expect([told(false), told(true)].map((text) => text.includes("built by others"))).toEqual([true, false]);
  expect(told(true)).toBe("loud\nadd loud");
});
