import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../src/reports/text.js";

test("the text report looks as it always did", () => {
  const invoice = { number: "7", customer: "Ann", lines: [{ text: "nails", quantity: 3, price: 50 }] };
  const row = (what, amount) => `${what.padEnd(40)}${amount.padStart(12)}\n`;
  assert.equal(text(invoice), `Invoice 7 for Ann\n${row("3 x nails", "1.50")}${row("Total", "1.50")}`);
});
