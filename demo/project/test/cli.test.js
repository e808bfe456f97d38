import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../src/cli.js";

const FILE = '{"number":"7","customer":"Ann","lines":[{"text":"nails","quantity":3,"price":50}]}';

test("the command prints the text report", () => {
  const { code, out } = run(["a.json"], () => FILE);
  assert.equal(code, 0);
  assert.match(out, /^Invoice 7 for Ann\n/);
});

test("without a file it says how it is used", () => {
  assert.deepEqual(run([], () => FILE), { code: 2, out: "", error: "usage: invoice <file.json>\n" });
});
