import { expect, test } from "vitest";
import { marksOf, onlyPiece, standing } from "./standing-review.ts";

const TEXT = "diff --git a/a.js b/a.js\nindex 1..2 100644\n--- a/a.js\n+++ b/a.js\n@@ -1,2 +1,2 @@\n around\n-before\n+after\n";
const MOVED = TEXT.replace("index 1..2", "index 3..4").replace("-1,2 +1,2", "-9,2 +9,2").replace(" around", " others' line");
const BINARY = "diff --git a/a.png b/a.png\nindex 1..2 100644\n--- a/a.png\n+++ b/a.png\n@@ -1 +1 @@\n+\uFFFD\n";

interface Change {
  text?: string;
  truncated?: boolean;
  blob?: string;
  words?: string;
}

function marks({ text = TEXT, truncated = false, blob = "2", words = "do it" }: Change = {}) {
  const changes = [{ path: "a", status: "modified", newMode: "100644", newBlob: blob, text: truncated ? undefined : text }];
  return marksOf(changes as never, { intent: { words } as never });
}

function stands(before: Change, now: Change, more: object = {}) {
  return standing({ commit: "c1", ...marks(before), ...more } as never, marks(now));
}

test.each<[string, Change, Change, string | undefined]>([
  ["the same contents", {}, {}, "same_contents"],
  ["the same contents, not all shown", { truncated: true }, { truncated: true }, "same_contents"],
  ["the same lines among those of others", {}, { text: MOVED, blob: "4" }, "same_change"],
  ["lines that another separator is in", { text: `${TEXT}+a\u2028 b\n` }, { text: `${TEXT}+a\u2028 c\n`, blob: "4" }, undefined],
  ["other lines", {}, { text: TEXT.replace("+after", "+other"), blob: "4" }, undefined],
  ["another thing that was asked for", {}, { words: "leave it" }, undefined],
  ["bytes that no lines show", { text: BINARY }, { text: BINARY, blob: "4" }, undefined],
  ["a change that is not all shown", { truncated: true }, { truncated: true, blob: "4" }, undefined],
])("whether a review stands for %s", (_what, before, now, why) => {
  expect(stands(before, now)).toEqual(why === undefined ? undefined : { commit: "c1", why });
});

test("a review that stood already is that of the commit that was read; without one none stands", () => {
  expect(stands({}, {}, { commit: "c2", review_stands: { commit: "c1" } })).toEqual({ commit: "c1", why: "same_contents" });
  expect(standing(undefined, marks())).toBeUndefined();
});

test.each<[string, object, object, boolean]>([
  ["all of it is one piece that is merged", {}, {}, true],
  ["something was mended since", { repairs: 1 }, {}, false],
  [
    "there is another piece",
    {
      nodes: [
        { id: "n1", assertions: ["A1"] },
        { id: "n2", assertions: [] },
      ],
    },
    {},
    false,
  ],
  ["it does not hold all that was asked for", { plan: { plan: { assertions: [{ id: "A1" }, { id: "A2" }] } } }, {}, false],
  ["it is not merged", {}, { merged: undefined }, false],
])("the review of a piece is that of the whole where %s: %#", (_what, request, piece, is) => {
  const state = { nodes: [{ id: "n1", assertions: ["A1"] }], repairs: 0, plan: { plan: { assertions: [{ id: "A1" }] } }, ...request };
  const known = new Map([["n1", { merged: { commit: "c" }, ...piece }]]);
  expect(onlyPiece(state as never, known as never) !== undefined).toBe(is);
});
