import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { writeFileAtomic } from "./atomic-file.ts";
import { newId } from "./ids.ts";
import { tempFiles } from "./temp-name.ts";

const NOW = 1_800_000_000_000;
const dead = (name: string): string => `.${name}.${spawnSync("true").pid}-1.${newId("tmp", NOW)}`;

test("V9: a file that is saved removes what dead processes left beside it, and nothing of the living", () => {
  const dir = path.join(tempDir(), "memory");
  mkdirSync(dir);
  const living = tempFiles.nameFor("log.md", NOW);
  const keep = [living, "log.md.tmp", ".log.md.tmp_mine"];
  const leave = [dead("log.md"), dead("other.md"), `.log.md.${newId("tmp", NOW)}`];
  for (const name of [...keep, ...leave]) writeFileSync(path.join(dir, name), "");
  writeFileAtomic(path.join(dir, "log.md"), "text\n");
  expect(readdirSync(dir).toSorted()).toEqual([...keep, "log.md"].toSorted());
});

test("V8: a temporary file tells whose it is", () => {
  expect(tempFiles.isDead(tempFiles.nameFor("a.txt", NOW))).toBe(false);
  expect(tempFiles.isDead(tempFiles.nameFor("a.txt", NOW).replace(/\d+-\d+/u, `${process.pid}-1`))).toBe(true);
  expect(tempFiles.isDead(dead("a.txt"), "a.txt")).toBe(true);
  expect(tempFiles.isDead(dead("a.txt"), "b.txt")).toBe(false);
  expect(tempFiles.isDead(dead("x".repeat(100)), "x".repeat(200))).toBe(true);
});
