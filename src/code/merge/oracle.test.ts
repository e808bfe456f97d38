import { expect, test } from "vitest";
import { MERGE_SCENARIOS } from "../../../test/support/merge-scenarios.ts";
import { faultOf } from "./oracle.ts";
import { sameTokens, tokensOf } from "./tokens.ts";

const judged = (file: string, base: string, ours: string, theirs: string, result: string) =>
  faultOf({ path: file, base, ours, theirs }, result);

const CLEAN = MERGE_SCENARIOS.flatMap((one) => (one.merged === undefined ? [] : [{ ...one, merged: one.merged }]));

test("V0: the oracle agrees with every merge a careful person wrote", () => {
  const faults = CLEAN.map(({ name, file, base, ours, theirs, merged }) => [name, judged(file, base, ours, theirs, merged)]);
  expect(faults).toEqual(CLEAN.map(({ name }) => [name, undefined]));
});

test("V0: the oracle refuses them with one line less, with one line twice, and without the change of a side", () => {
  const missed: string[] = [];
  for (const { file, base, ours, theirs, merged, name } of CLEAN) {
    const lines = merged.split("\n");
    const planted = lines.flatMap((line, i) =>
      line.trim() === "" ? [] : [lines.toSpliced(i, 1).join("\n"), lines.toSpliced(i, 0, line).join("\n")],
    );
    for (const [i, wrong] of [...planted, ours, theirs, base].entries())
      if (wrong !== merged && judged(file, base, ours, theirs, wrong) === undefined) missed.push(`${name}: ${i - planted.length}`);
  }
  // The text of one side is as good where both added the same.
  expect(missed).toEqual(["the same function added by both is there once: 0"]);
});

test.each([
  ["a line merge that loses a line", "a.txt", "1\n2\n3\n", "1\nx\n2\n3\n", "1\n2\n3\ny\n", "1\n2\n3\ny\n", "lost"],
  ["a line merge that has a line twice", "a.txt", "1\n2\n3\n", "1\nx\n2\n3\n", "1\n2\n3\ny\n", "1\nx\n2\nx\n3\ny\n", "doubled"],
  ["a line merge that turns lines around", "a.txt", "1\n2\n3\n", "1\nx\n2\n3\n", "1\n2\n3\ny\n", "1\n2\nx\n3\ny\n", "reordered"],
  ["white space in a string", "a.ts", 'f("a b");\ng();\n', 'f("a  b");\ng();\n', 'f("a b");\nh();\n', 'f("a b");\nh();\n', "lost"],
  [
    "a statement that left its loop",
    "a.py",
    "for i in x:\n    a()\nb()\n",
    "for i in x:\n    a()\n    c()\nb()\n",
    "for i in x:\n    a()\nd()\n",
    "for i in x:\n    a()\nc()\nd()\n",
    "doubled",
  ],
  [
    "an attribute on another thing",
    "a.rs",
    "fn a() {}\nfn b() {}\n",
    "fn b() {}\n",
    "#[x]\nfn a() {}\nfn b() {}\n",
    "#[x]\nfn b() {}\n",
    "changed_and_deleted",
  ],
  [
    "a note on another thing",
    "a.ts",
    "f();\ng();\n",
    "f();\nx();\ng();\n",
    "f(); // why\ng();\n",
    "f();\nx(); // why\ng();\n",
    "reordered",
  ],
  ["two lines in one", "a.rs", "fn a() {}\n", "use b;\nfn a() {}\n", "use c;\nfn a() {}\n", "use c;use b;\nfn a() {}\n", "glued"],
  ["a change of what the other deleted", "a.ts", "f(1);\ng();\n", "g();\n", "f(2);\ng();\n", "g();\n", "changed_and_deleted"],
] as const)("V0: %s is seen", (_, file, base, ours, theirs, result, fault) => {
  expect(judged(file, base, ours, theirs, result)).toBe(fault);
});

test("tokens keep what white space means, and nothing else of it", () => {
  expect(tokensOf("a.ts", 'f( "a  b" ) // c  d\n').text).toEqual(["f", "(", '"a  b"', ")", "// c d"]);
  expect(tokensOf("a.py", "if a:\n    b()\n").text).toEqual(["⇥", "if", "a", ":", "⇥    ", "b", "(", ")"]);
  expect(sameTokens("a.ts", "f(1,2)", "f(1,\n  2)")).toBe(true);
  expect(sameTokens("a.ts", "f(`a\n b`)", "f(`a\n  b`)")).toBe(false);
  expect(sameTokens("a.py", "for i in x:\n    a()\n    b()", "for i in x:\n    a()\n        b()")).toBe(false);
});
