import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Writable } from "node:stream";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp.ts";
import { systemClock } from "../../kernel/index.ts";
import { awaitRecorded, markSpawning, readyRecord, recordedArgv, tidyRecords } from "./recorded-run.ts";

const left = (dir: string, maxMs = 60_000) => awaitRecorded(dir, { clock: systemClock, maxMs, signal: undefined });

const HELD = ["ignore", "ignore", "ignore", "pipe"] as const satisfies StdioOptions;
function letGo(child: ChildProcess): void {
  const word = child.stdio[3] as Writable;
  // A command that was ended leaves its end of the stream unread.
  word.on("error", () => undefined);
  word.end("go\n");
}

test("~CTX-003: a command whose starter died before it gave its word never began, and is known to", async () => {
  const dir = path.join(tempDir("record"), "1");
  const file = path.join(dir, "..", "ran");
  readyRecord(dir);
  const [shell, ...args] = recordedArgv(dir, ["touch", file]);
  const child = spawn(shell, args, { stdio: HELD, detached: true });
  const gone = once(child, "exit");
  await once(child, "spawn");
  markSpawning(dir);
  child.stdio[3]?.destroy();
  expect(await left(dir)).toEqual({ kind: "not_started" });
  expect(await gone).toEqual([125, null]);
  expect(existsSync(file)).toBe(false);
});

test("V3: only a record that is there and says so proves that a command never began", async () => {
  const dir = path.join(tempDir("record"), "runs/task/1");
  readyRecord(dir);
  expect(await left(dir)).toEqual({ kind: "not_started" });
  markSpawning(dir);
  expect(await left(dir)).toEqual({ kind: "cut_off" });
  rmSync(dir, { recursive: true });
  expect(await left(dir)).toEqual({ kind: "cut_off" });
});

test("V3: a shell that was forked but has not written its mark is waited for", async () => {
  const dir = path.join(tempDir("record"), "1");
  readyRecord(dir);
  const [, flag, wrapper, name, ...rest] = recordedArgv(dir, ["true"]) as [string, string, string, string, ...string[]];
  // The same shell, but slow to come to its first word.
  const child = spawn("sh", [flag, `read -r go; ${wrapper}`, name, ...rest], {
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    detached: true,
  });
  await once(child, "spawn");
  markSpawning(dir);
  letGo(child);
  const end = left(dir);
  child.stdin?.end("go\n");
  expect(await end).toEqual({ kind: "ended", exitCode: 0 });
});

test.each(["", "0", "1\n2\n", "x\n"])("V4: an exit status of %j says nothing", async (text) => {
  const dir = path.join(tempDir("record"), "1");
  readyRecord(dir);
  markSpawning(dir);
  writeFileSync(path.join(dir, "exit"), text);
  expect(await left(dir)).toEqual({ kind: "cut_off" });
});

test.skipIf(!existsSync("/proc/self/stat"))(
  "V17: nobody waits for a shell of before the machine was started anew, nor for one that began at another time",
  async () => {
    const dir = path.join(tempDir("record"), "1");
    readyRecord(dir);
    markSpawning(dir);
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync("/proc/self/stat", "utf8").trim();
    const start = stat.split(" ").at(21) ?? "";
    const says = (began: string, since: string): void =>
      writeFileSync(path.join(dir, "started"), `${process.pid} ${since} ${stat.replace(` ${start} `, ` ${began} `)}\n`);
    says(start, "00000000-0000-4000-8000-000000000000");
    expect(await left(dir)).toEqual({ kind: "cut_off" });
    says("1", boot);
    expect(await left(dir)).toEqual({ kind: "cut_off" });
    // The counter-proof: as it stands it is this very process, which lives.
    says(start, boot);
    const soon = AbortSignal.abort(new Error("it is waited for"));
    await expect(awaitRecorded(dir, { clock: systemClock, maxMs: 60_000, signal: soon })).rejects.toThrow("it is waited for");
  },
);

test("V17: a command that never ends is ended when its time is up, and then reported", async () => {
  const dir = path.join(tempDir("record"), "1");
  readyRecord(dir);
  const [file, ...args] = recordedArgv(dir, ["sleep", "600"]);
  const child = spawn(file, args, { stdio: HELD, detached: true });
  const gone = once(child, "exit");
  await once(child, "spawn");
  markSpawning(dir);
  letGo(child);
  expect(await left(dir, 50)).toEqual({ kind: "cut_off" });
  expect(await gone).toEqual([null, "SIGKILL"]);
});

test("V9: records that nobody will ask for are removed, and what still runs there is ended", async () => {
  const dir = path.join(tempDir("record"), "task");
  readyRecord(path.join(dir, "2"));
  const [file, ...args] = recordedArgv(path.join(dir, "1"), ["sleep", "600"]);
  const child = spawn(file, args, { stdio: HELD, detached: true });
  const gone = once(child, "exit");
  await once(child, "spawn");
  letGo(child);
  tidyRecords(dir, "2");
  expect(await gone).toEqual([null, "SIGKILL"]);
  expect(readdirSync(dir)).toEqual(["2"]);
  tidyRecords(dir);
  expect(existsSync(dir)).toBe(false);
});
