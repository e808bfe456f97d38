/** What a record promises after the power failed: it, and every folder made for it, was forced to disk, in this order. */
import type * as NodeFs from "node:fs";
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { markSpawning, readyRecord } from "./recorded-run.ts";

const { synced } = vi.hoisted(() => ({ synced: [] as string[] }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof NodeFs>();
  return { ...fs, fsyncSync: (fd: number) => void synced.push(fs.readlinkSync(`/proc/self/fd/${fd}`)) };
});

let base = "";
beforeEach(() => {
  base = tempDir("record");
  synced.length = 0;
});
const order = (): string[] => synced.splice(0).map((file) => path.relative(base, file));

test.skipIf(!existsSync("/proc/self/fd"))("V3: that there is room for a record is on disk before the command is intended", () => {
  const dir = path.join(base, "runs/task/1");
  readyRecord(dir);
  expect(order()).toEqual(["runs/task/1/ready", "runs/task/1", "runs/task", "runs", ""]);
  // Only what was made is new.
  readyRecord(path.join(base, "runs/task/2"));
  expect(order()).toEqual(["runs/task/2/ready", "runs/task/2", "runs/task"]);
});

test.skipIf(!existsSync("/proc/self/fd"))("V3: that a command may have begun is on disk before it does", () => {
  const dir = path.join(base, "1");
  readyRecord(dir);
  order();
  markSpawning(dir);
  expect(order()).toEqual(["1/spawning", "1"]);
});
