import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { projectFile } from "./project-file.ts";

function place() {
  const base = tempDir();
  const root = path.join(base, "project");
  mkdirSync(path.join(root, "sub"), { recursive: true });
  mkdirSync(path.join(root, ".git"));
  writeFileSync(path.join(base, "secret"), "PELICAN");
  writeFileSync(path.join(root, ".git/config"), "PELICAN");
  writeFileSync(path.join(root, "sub/a.txt"), "hello");
  return { base, root };
}

test("a regular file is read, also through a link that stays inside and a root that is one", () => {
  const { base, root } = place();
  symlinkSync("sub/a.txt", path.join(root, "link"));
  symlinkSync("sub", path.join(root, "folder"));
  symlinkSync(root, path.join(base, "elsewhere"));
  for (const file of ["sub/a.txt", "link", "folder/a.txt", path.join(root, "sub/a.txt")])
    expect(projectFile.read(root, file)).toMatchObject({ kind: "read", text: "hello", cut: false, real: "sub/a.txt" });
  expect(projectFile.text(path.join(base, "elsewhere"), "link")).toBe("hello");
  expect(projectFile.read(root, "sub/none")).toEqual({ kind: "none" });
  expect(projectFile.read(root, "sub/a.txt/x")).toEqual({ kind: "none" });
});

test("H4: what leads out, into git, to a device or a pipe, or to itself is refused at once", () => {
  const { base, root } = place();
  symlinkSync(path.join(base, "secret"), path.join(root, "out"));
  symlinkSync("..", path.join(root, "up"));
  symlinkSync(".git/config", path.join(root, "git"));
  symlinkSync("/dev/zero", path.join(root, "zero"));
  symlinkSync("loop", path.join(root, "loop"));
  execFileSync("mkfifo", [path.join(root, "pipe")]);
  const reasons = ["out", "up/secret", "../secret", "git", "zero", "pipe", "sub", "loop"].map((file) => projectFile.read(root, file));
  expect(reasons.map((one) => (one.kind === "refused" ? one.reason : one.kind))).toEqual([
    "leads out of the project",
    "leads out of the project",
    "leads out of the project",
    "leads into the git folder",
    "leads out of the project",
    "is not a regular file",
    "is not a regular file",
    "is a link to nowhere",
  ]);
});

test("no more than the limit is read", () => {
  const { root } = place();
  writeFileSync(path.join(root, "big"), "x".repeat(200_000));
  expect(projectFile.read(root, "big", { maxBytes: 100_000 })).toMatchObject({ cut: true, text: "x".repeat(100_000) });
  expect(projectFile.read(root, "big", { maxBytes: 200_000 })).toMatchObject({ cut: false });
  expect(projectFile.text(root, "big", { maxBytes: 100_000 })).toBeUndefined();
});
