import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCents } from "../src/money.js";

test("cents become an amount with two places", () => {
  assert.equal(formatCents(123456), "1234.56");
  assert.equal(formatCents(5), "0.05");
  assert.equal(formatCents(-250), "-2.50");
});
