import assert from "node:assert/strict";
import { test } from "node:test";
import { lineTotal, parseInvoice, total } from "../src/invoice.js";

test("the total is the sum of all lines", () => {
  const lines = [
    { text: "nails", quantity: 3, price: 50 },
    { text: "hammer", quantity: 1, price: 1999 },
  ];
  assert.equal(lineTotal(lines[0]), 150);
  assert.equal(total({ lines }), 2149);
});

test("an invoice without lines is refused", () => {
  assert.throws(() => parseInvoice('{"number":"1","customer":"Ann","lines":[]}'), /needs lines/);
});
