import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newId } from "../../kernel/index.ts";
import { tempDir } from "../../../test/support/temp.ts";
import { removeLeftovers } from "./apply-plan.ts";

test("CTX-020: what a killed change left beside its file is removed, and nothing else", async () => {
  const dir = tempDir();
  const id = newId("tmp", 1_800_000_000_000);
  for (const name of ["a.txt", `.a.txt.${id}`, `a.txt.${id}`, `.b.txt.${id}`, "a.txt.tmp_mine", ".a.txt.tmp"])
    writeFileSync(path.join(dir, name), "");
  await removeLeftovers(path.join(dir, "a.txt"));
  expect(readdirSync(dir).toSorted()).toEqual([".a.txt.tmp", `.b.txt.${id}`, "a.txt", "a.txt.tmp_mine"]);
});
