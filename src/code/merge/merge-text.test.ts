import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeRandomFunctions, mergeRandomObjects } from "../../../test/support/merge-fuzz.ts";
import { mergeLines } from "../../../test/support/merge-lines.ts";
import { MERGE_SCENARIOS } from "../../../test/support/merge-scenarios.ts";
import { buildContainer } from "./build-structure.ts";
import { json } from "../languages/json.ts";
import { markdown } from "../languages/markdown.ts";
import { parseMarkdown } from "../languages/parse-markdown.ts";
import { typescript } from "../languages/typescript.ts";
import { mergeText, type TextMerge } from "./merge-text.ts";
import { parseCode } from "../syntax/parse-code.ts";
import { renderContainer } from "./structure.ts";

const merge = (file: string, base: string, ours: string, theirs: string): Promise<TextMerge> =>
  mergeText({ path: file, base, ours, theirs }, mergeLines);

test.each(MERGE_SCENARIOS.map((scenario) => [`${scenario.file}: ${scenario.name}`, scenario] as const))(
  "CCY-041 CCY-042: %s",
  async (_, scenario) => {
    const result = await merge(scenario.file, scenario.base, scenario.ours, scenario.theirs);
    expect(result.kind === "merged" ? result.text : undefined).toEqual(scenario.merged);
  },
);

test("CCY-042: the table has at least 40 scenarios, no wrong merge, and twice as many clean ones as git merge-file", async () => {
  let clean = 0;
  let wrong = 0;
  let gitClean = 0;
  for (const scenario of MERGE_SCENARIOS) {
    const result = await merge(scenario.file, scenario.base, scenario.ours, scenario.theirs);
    if (result.kind === "merged") {
      clean += 1;
      if (result.text !== scenario.merged) wrong += 1;
    }
    if ((await mergeLines(scenario.base, scenario.ours, scenario.theirs))?.hunks.length === 0) gitClean += 1;
  }
  expect(MERGE_SCENARIOS.length).toBeGreaterThanOrEqual(40);
  expect(wrong).toBe(0);
  expect(clean).toBeGreaterThanOrEqual(2 * gitClean);
});

test("a conflict gives base, ours and theirs of each disputed place, and a file with markers", async () => {
  const result = await merge("a.txt", "1\n2\n3\n4\n5\n", "1\ntwo\n3\n4\nFIVE\n", "1\nTWO\n3\n4\nfive\n");
  expect(result).toEqual({
    kind: "conflict",
    hunks: [
      { line: 2, base: "2\n", ours: "two\n", theirs: "TWO\n" },
      { line: 11, base: "5\n", ours: "FIVE\n", theirs: "five\n" },
    ],
    marked:
      "1\n<<<<<<< your folder\nTWO\n||||||| before\n2\n=======\ntwo\n>>>>>>> the task\n3\n4\n<<<<<<< your folder\nfive\n||||||| before\n5\n=======\nFIVE\n>>>>>>> the task\n",
    structure: [],
  });
});

test("line endings of the file that is there are kept", async () => {
  const result = await merge("a.ts", "const a = 1;\nconst b = 2;\n", "const a = 10;\nconst b = 2;\n", "const a = 1;\r\nconst b = 20;\r\n");
  expect(result).toEqual({ kind: "merged", text: "const a = 10;\r\nconst b = 20;\r\n", by: "structure" });
});

test("a text that does not parse is merged by lines or not at all", async () => {
  const broken = "function a( {\n  return 1;\n\n\n\n\n\nfoo\n";
  expect(await merge("a.ts", broken, broken.replace("1", "2"), broken.replace("foo", "bar"))).toMatchObject({
    kind: "merged",
    by: "lines",
  });
  expect(await merge("a.ts", broken, broken.replace("1", "2"), broken.replace("1", "3"))).toMatchObject({ kind: "conflict" });
});

test("a merge by lines that declares a name twice is not called clean", async () => {
  const base = "class A {\n  a() {}\n\n\n\n\n  b() {}\n}\n";
  const result = await merge(
    "a.ts",
    base,
    base.replace("  a() {}\n", "  a() {}\n  twin() {\n    return 1;\n  }\n"),
    base.replace("  b() {}\n", "  b() {}\n  twin() {\n    return 2;\n  }\n"),
  );
  expect(result).toMatchObject({ kind: "conflict", structure: [{ where: "member:twin", reason: "both_added" }] });
});

test.each([
  ["a.ts", "const rate = 2;\n", "export const price = (n: number) => n;\n", "export const price = (n: number) => n * rate;\n"],
  ["a.py", "RATE = 2\n", "def price(n):\n    return n\n", "def price(n):\n    return n * RATE\n"],
])("%s: a name that one side took away and the other begins to use is a dispute", async (file, binding, plain, using) => {
  const between = file.endsWith(".ts") ? "export const a = 1;\n\nexport const b = 2;\n\n" : "A = 1\n\nB = 2\n\n";
  const base = `${binding}\n${between}${plain}`;
  expect(await merge(file, base, base.replace(binding, ""), base.replace(plain, using))).toMatchObject({ kind: "conflict" });
});

test("cutting a text into lists and writing it again gives the same text", async () => {
  const folder = import.meta.dirname;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".ts"))) {
    const text = readFileSync(path.join(folder, name), "utf8");
    using code = await parseCode("typescript", text);
    expect(code && renderContainer(buildContainer(code.root, text, typescript.merge as never, name))).toBe(text);
  }
  const again = (file: string, text: string): string => {
    const format = /\.jsonc?$/u.test(file) ? json : markdown;
    const root = format.parse(text);
    return root === undefined ? "not JSON" : renderContainer(buildContainer(root, text, format.merge, file));
  };
  for (const scenario of MERGE_SCENARIOS.filter((item) => /\.(?:jsonc?|md)$/u.test(item.file))) {
    for (const text of [scenario.base, scenario.ours, scenario.theirs]) expect(again(scenario.file, text)).toBe(text);
  }
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom("# A", "## B", "- x", "  - y", "1. z", "```", "| a | b |", "|---|---|", "text", "", "---", "> q", "    code", "\t"),
        { maxLength: 30 },
      ),
      (lines) => {
        const text = lines.join("\n");
        expect(renderContainer(buildContainer(parseMarkdown(text), text, markdown.merge, "a.md"))).toBe(text);
      },
    ),
  );
});

test("CCY-042: random objects: a clean merge has exactly the keys and values of both changes", async () => {
  expect((await mergeRandomObjects(100)).clean).toBeGreaterThan(50);
});

test("CCY-042: random sets of functions: a clean merge has exactly the functions of both changes", async () => {
  expect((await mergeRandomFunctions(100)).clean).toBeGreaterThan(50);
});
