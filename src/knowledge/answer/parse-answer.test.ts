import { expect, test } from "vitest";
import { parseAnswer } from "./parse-answer.ts";

test("MIT-063: citations, inferences and warnings are read; indexes in code are no citations", () => {
  const text = [
    "Sessions come from a cookie [2], as `list[1]` shows [1][2].",
    "```ts\nreturn parts[3];\n```",
    "[INFERENCE] It may also read a header. [1]",
    "⚠️ 90 days old",
    "See [9].",
  ].join("\n");
  expect(parseAnswer(text, 3)).toMatchObject({
    cited: [2, 1],
    inferences: ["It may also read a header."],
    warnings: ["⚠️ 90 days old", "the answer cites [9], which does not exist"],
  });
  expect(parseAnswer("", 3)).toEqual({ cited: [], inferences: [], warnings: [], segments: [] });
});

test("MIT-022: each stretch of an answer stands beside the source it rests on", () => {
  const text = "It is signed. Tokens live `a[0]` an hour [2][1], then fade [3]. Nobody knows [9].";
  const { segments } = parseAnswer(text, 3);
  expect(segments.map(({ text: said, source }) => [said, source])).toEqual([
    ["Tokens live `a[0]` an hour", 2],
    ["Tokens live `a[0]` an hour", 1],
    [", then fade", 3],
  ]);
  for (const { text: said, start, end } of segments) expect(text.slice(start, end)).toBe(said);
});
