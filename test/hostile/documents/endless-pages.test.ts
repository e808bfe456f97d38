/**
 * The attacker controls the repository. He wants an index that never ends: a page of HTML, small enough to be read
 * whole, in which every tag opens and none is closed.
 */
import { expect, test } from "vitest";
import { htmlToText } from "../../../src/knowledge/ingest/read-document.ts";

const BYTES = 1_400_000;

/** Each takes hours when the end of every opening is looked for anew: the test would run into its time limit. */
test.each(["<", "<br", "<p ", "<script ", "<!--", "<title>", "<h1>", "<h1></h2>", "<svg></svg ", "</script ", "\n\n\r", "&#"])(
  "a page of nothing but %j is read in time by its length",
  (unit) => {
    expect(htmlToText(unit.repeat(Math.ceil(BYTES / unit.length))).length).toBeLessThanOrEqual(BYTES + unit.length);
  },
);

test("what is closed is still taken out, what is not stays text", () => {
  const page =
    "<!-- no --><title>A\nB</title><style>p{}</style><h2 class=x>Two <b>words</b></h2><p>one</p><SCRIPT>no</script >two<script>three";
  expect(htmlToText(page)).toBe("# A\nB\n\n## Two words\n\none\n twothree");
});
