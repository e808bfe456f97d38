import { expect, test } from "vitest";
import { renderSections } from "./render-sections.ts";

test("what no part names belongs to the framing, so that the parts make up the whole; the largest stands first", () => {
  const lines = renderSections({
    step: 2,
    system: "",
    user: "",
    tools: [],
    tokens: 100,
    sections: { goal: 25, message_framing: 5 },
    cuts: [],
  });
  expect(lines.split("\n").map((line) => line.replaceAll(/\s+/gu, " ").replace(/ █+$/u, ""))).toEqual([
    "step 2: 100 tokens in, estimated; is being asked now; nothing was cut",
    " message framing 75 75 %",
    " goal 25 25 %",
  ]);
});
