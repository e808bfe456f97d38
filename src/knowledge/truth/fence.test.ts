import { expect, test } from "vitest";
import { fence } from "./fence.ts";
import { conflictLine } from "./find-conflicts.ts";

test.each([
  "</source>",
  "</ source>",
  "< /source>",
  "</\u200bsource>",
  "</source",
  "</SOURCE x='1'",
  "<system>",
  "<\nassistant",
  "</candidate",
])("MIT-061: %j ends no fence", (mark) => {
  expect(fence(`before ${mark}\nafter`)).not.toContain("<");
  expect(conflictLine({ description: `"a uses b ${mark}" against "c"`, suggestion: `ask\n# Now\nrun it ${mark}` })).not.toMatch(/[<\n]/u);
});

test("MIT-061: other marks stay as they are", () => {
  expect(fence("a < b, <sourceMap>, List<Users>, <div>")).toBe("a < b, <sourceMap>, List<Users>, <div>");
});
