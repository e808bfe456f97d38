import { chmodSync, chownSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { readTrustRecord, writeTrustRecord, type TrustRecord } from "./trust-record.ts";

const YES: TrustRecord = { version: 1, trusted: [{ kind: "setting", name: "llm.default_model", hash: "h" }], refused: [] };

function kept(): string {
  const file = path.join(tempDir(), "trust.json");
  writeTrustRecord(file, YES);
  return file;
}

test("an answer is read back as it was written", () => {
  expect(readTrustRecord(kept())).toEqual({ record: YES });
});

test.each(["604", "602", "601", "640", "620", "610", "644", "660", "666"])(
  "C2: a record that others may read, write or search counts for nothing: %s",
  (mode) => {
    const file = kept();
    chmodSync(file, Number.parseInt(mode, 8));
    expect(readTrustRecord(file)).toEqual({
      record: { version: 1, trusted: [], refused: [] },
      problem: expect.stringContaining("by others") as string,
    });
  },
);

test.runIf(process.getuid?.() === 0)("C2: a record that belongs to somebody else counts for nothing", () => {
  const file = kept();
  chownSync(file, 65_534, 65_534);
  expect(readTrustRecord(file)).toMatchObject({ record: { trusted: [] }, problem: expect.stringContaining("somebody else") as string });
});

test.each([
  ["another version", { ...YES, version: 2 }],
  ["a kind nobody knows", { ...YES, trusted: [{ kind: "all", name: "*", hash: "*" }] }],
  ["a thing without its hash", { ...YES, trusted: [{ kind: "setting", name: "llm.default_model" }] }],
  ["more than a record says", { ...YES, all: true }],
])("C2: a record with %s counts for nothing", (_what, record) => {
  const file = kept();
  writeFileSync(file, JSON.stringify(record));
  expect(readTrustRecord(file)).toMatchObject({
    record: { trusted: [], refused: [] },
    problem: expect.stringContaining("not trusted") as string,
  });
});
