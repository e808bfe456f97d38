import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { unifiedDiff } from "./unified-diff.ts";

const names = { before: "a/x", after: "b/x" };

test("a change is shown with three lines around it, far ones in hunks of their own", () => {
  const lines = Array.from({ length: 30 }, (_v, i) => `line ${i + 1}`);
  const after = lines.with(4, "changed").toSpliced(20, 1).concat("more");
  expect(unifiedDiff(`${lines.join("\n")}\n`, `${after.join("\n")}\n`, names)).toMatchInlineSnapshot(`
    "--- a/x
    +++ b/x
    @@ -2,7 +2,7 @@
     line 2
     line 3
     line 4
    -line 5
    +changed
     line 6
     line 7
     line 8
    @@ -18,7 +18,6 @@
     line 18
     line 19
     line 20
    -line 21
     line 22
     line 23
     line 24
    @@ -28,3 +27,4 @@
     line 28
     line 29
     line 30
    +more
    "
  `);
  expect(unifiedDiff("a\n", "a\n", names)).toBe("");
});

test("git applies every diff and arrives at the new text", () => {
  const dir = tempDir();
  execFileSync("git", ["init", "-q", "."], { cwd: dir });
  const file = path.join(dir, "x");
  const text = fc
    .array(fc.constantFrom("a", "b", "c", "", "  d"), { maxLength: 25 })
    .chain((lines) => fc.constantFrom("", "\n").map((end) => (lines.length === 0 ? "" : lines.join("\n") + end)));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== "" && after !== "" && before !== after);
      writeFileSync(file, before);
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: dir, input: unifiedDiff(before, after, names) });
      expect(readFileSync(file, "utf8")).toBe(after);
    }),
    { numRuns: 30 },
  );
});
