import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { putFiles } from "../../test/support/temp-workspace.ts";
import { filesOfPiece, namedFolders } from "./named-places.ts";

function project(): string {
  const root = tempDir("named");
  putFiles(root, {
    "README.md": "about",
    "CHANGELOG.md": "",
    "package.json": "{}",
    "index.js": "",
    "src/a.js": "",
    "src/list/README.md": "",
  });
  return root;
}

test("a README that the goal of a piece only mentions is not the project's own; said so, or in the plan, it is", () => {
  const root = project();
  const about = (goal: string, ...files: string[]): string[] => filesOfPiece(root, { files, goal });
  expect(about("add a stack with a README.md and tests")).toEqual([]);
  expect(about("add a stack; each has a README.md", "src/stack/README.md")).toEqual(["src/stack/README.md"]);
  expect(about("note it in CHANGELOG.md")).toEqual([]);
  for (const goal of [
    "describe it in the root README.md",
    "describe it in the project's README.md",
    "mention it in the main project README.md",
    "change ./README.md",
    "change @README.md",
  ])
    expect(about(goal)).toEqual(["README.md"]);
  expect(about("describe it", "README.md")).toEqual(["README.md"]);
  expect(about("describe it in src/list/README.md")).toEqual(["src/list/README.md"]);
});

test("another file is meant by its name alone, unless the plan has one of that name in a folder", () => {
  const root = project();
  const about = (goal: string, ...files: string[]): string[] => filesOfPiece(root, { files, goal });
  expect(about("set the version in package.json and change src/a.js")).toEqual(["package.json", "src/a.js"]);
  expect(about("export it from index.js", "src/stack/index.js")).toEqual(["src/stack/index.js"]);
});

test("words that no file can be called, and links that lead in a circle, name nothing and stop nobody", () => {
  const root = project();
  symlinkSync("circle", path.join(root, "circle"));
  const words = `why does ${"x".repeat(300)} fail in circle, circle/a and src? ${"a/".repeat(3_000)}b`;
  expect(namedFolders(root, words)).toEqual(["src"]);
  expect(filesOfPiece(root, { files: [], goal: words })).toEqual([]);
});
