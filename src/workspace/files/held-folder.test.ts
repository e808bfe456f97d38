import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-workspace.ts";
import { HeldFolder, openResolved } from "./held-folder.ts";

let base = "";
beforeEach(() => {
  base = tempFolder("held");
  mkdirSync(path.join(base, "d"));
  mkdirSync(path.join(base, "outside"));
  writeFileSync(path.join(base, "d/a"), "inside");
  writeFileSync(path.join(base, "outside/a"), "outside");
});
afterEach(() => rmSync(base, { recursive: true }));

function swap(): void {
  renameSync(path.join(base, "d"), path.join(base, "was-d"));
  symlinkSync("outside", path.join(base, "d"));
}

test("M7: a file behind a folder that became a link is not opened", async () => {
  await using file = await openResolved(path.join(base, "d/a"));
  expect(await file.readFile("utf8")).toBe("inside");
  swap();
  await expect(openResolved(path.join(base, "d/a"))).rejects.toMatchObject({ code: "ELOOP" });
  await expect(HeldFolder.hold(path.join(base, "d"), { make: true })).rejects.toMatchObject({ code: "ELOOP" });
  await expect(HeldFolder.hold(path.join(base, "d/new/deep"), { make: true })).rejects.toMatchObject({ code: "ELOOP" });
  expect(readdirSync(path.join(base, "outside"))).toEqual(["a"]);
});

// Without descriptors in the file system a folder cannot be held, only looked at again.
test.skipIf(!existsSync("/proc/self/fd"))(
  "M7: a held folder leads to its own files after it was swapped for a link, and says that it moved",
  async () => {
    const folder = await HeldFolder.hold(path.join(base, "d"), { make: false });
    expect(await folder.isInPlace()).toBe(true);
    swap();
    expect(await folder.isInPlace()).toBe(false);
    writeFileSync(folder.file("new"), "x");
    expect(readFileSync(path.join(base, "was-d/new"), "utf8")).toBe("x");
    expect(readdirSync(path.join(base, "outside"))).toEqual(["a"]);
    await folder.release();
  },
);

test("missing folders are made one by one, and taken back only while they are empty", async () => {
  const folder = await HeldFolder.hold(path.join(base, "d/x/y/z"), { make: true });
  writeFileSync(folder.file("f"), "1");
  expect(readFileSync(path.join(base, "d/x/y/z/f"), "utf8")).toBe("1");
  await folder.takeBack();
  expect(existsSync(path.join(base, "d/x/y/z"))).toBe(true);
  rmSync(folder.file("f"));
  await folder.takeBack();
  await folder.release();
  expect(readdirSync(path.join(base, "d"))).toEqual(["a"]);
  await expect(HeldFolder.hold(path.join(base, "d/none"), { make: false })).rejects.toMatchObject({ code: "ENOENT" });
});

test("a pipe is opened without waiting for its other end", async () => {
  execFileSync("mkfifo", [path.join(base, "d/pipe")]);
  await using file = await openResolved(path.join(base, "d/pipe"));
  expect((await file.stat()).isFIFO()).toBe(true);
});
