/** A small file is whole on disk before it takes its place, and its place is before the write is called done. */
import type * as NodeFs from "node:fs";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { tempDir } from "../../test/support/temp.ts";
import { writeFileAtomic } from "./atomic-file.ts";

const { calls } = vi.hoisted(() => ({ calls: [] as string[] }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof NodeFs>();
  const nameOf = (file: string): string => (file.includes(".tmp_") ? "temporary file" : file.split("/").at(-1)) ?? "";
  return {
    ...fs,
    fsyncSync: (fd: number) => void calls.push(`sync ${nameOf(fs.readlinkSync(`/proc/self/fd/${fd}`))}`),
    renameSync: (from: string, to: string) => {
      calls.push(`rename to ${nameOf(to)}`);
      fs.renameSync(from, to);
    },
  };
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "V9 V16: content, name and folder are on disk in this order; what can be rebuilt is not forced",
  () => {
    const dir = path.join(tempDir(), "memory");
    writeFileAtomic(path.join(dir, "log.md"), "text\n");
    expect(calls.splice(0)).toEqual(["sync temporary file", "rename to log.md", "sync memory"]);
    writeFileAtomic(path.join(dir, "view.md"), "text\n", { sync: false });
    expect(calls.splice(0)).toEqual(["rename to view.md"]);
  },
);

test("V9: a write that fails leaves nothing beside its target", () => {
  const dir = tempDir();
  mkdirSync(path.join(dir, "log.md"));
  expect(() => writeFileAtomic(path.join(dir, "log.md"), "text\n")).toThrow(expect.objectContaining({ code: "FILE_WRITE_FAILED" }));
  expect(readdirSync(dir)).toEqual(["log.md"]);
});
