import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync, mkdirSync, readFileSync, statSync, chmodSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { tempDir } from "../../test/support/temp.ts";
import {
  canonicalJson,
  isAbort,
  mapLimit,
  newId,
  yieldToLoop,
  SylkError,
  systemCode,
  withDeadline,
  withScope,
  writeFileAtomic,
  holders,
  systemPaths,
} from "./index.ts";

test("ids are unique, sort by creation and carry their prefix", () => {
  const ids = Array.from({ length: 20_000 }, (_v, i) => newId("x", 1_800_000_000_000 + Math.floor(i / 50)));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(ids[0]).toMatch(/^x_[0-9a-hjkmnp-tv-z]{26}$/);
});

test("ids stay in order when the clock goes back", () => {
  const later = newId("x", 1_900_000_000_000);
  expect(newId("x", 1_800_000_000_000) > later).toBe(true);
});

test("AUD-003: canonical JSON is the same for equal values whatever the key order, and round-trips", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(canonicalJson(shuffled(value))).toBe(text);
    }),
  );
});

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, shuffled(item)]),
  );
}

test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [new Map()], [() => 1], [10n]])("canonical JSON refuses %s", (value) => {
  expect(() => canonicalJson({ value })).toThrow(SylkError);
});

test("ERR-001 ~ERR-004: an error carries tier, code, cause and the fix a person can apply", () => {
  const cause = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  const error = new SylkError({ code: "MODEL_TIMEOUT", tier: "user_fixable", message: "cannot", fix: "chmod", cause, details: { a: 1 } });
  expect(error.toJSON()).toEqual({ code: "MODEL_TIMEOUT", tier: "user_fixable", message: "cannot", fix: "chmod", details: { a: 1 } });
  expect(systemCode(error)).toBe("EACCES");
});

test("ERR-009: an abort is not an error to classify", () => {
  const stop = new AbortController();
  stop.abort();
  expect(isAbort(stop.signal.reason)).toBe(true);
  expect(isAbort(new Error("x"))).toBe(false);
});

test("a scope waits for what it started, and the first failure stops the rest", async () => {
  const ended: string[] = [];
  const failing = withScope(undefined, async (scope) => {
    scope.spawn(async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      ended.push("waiter");
    });
    scope.spawn(() => Promise.reject(new Error("first")));
    return Promise.resolve("never");
  });
  await expect(failing).rejects.toThrow("first");
  expect(ended).toEqual(["waiter"]);
});

test("mapLimit keeps order and never has more than the limit in flight", async () => {
  let running = 0;
  let most = 0;
  const out = await mapLimit([5, 4, 3, 2, 1], 2, async (n) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return n * 10;
  });
  expect(out).toEqual([50, 40, 30, 20, 10]);
  expect(most).toBe(2);
});

test("a deadline that passes is a transient error and aborts the work", async () => {
  const clock = new ManualClock();
  let aborted = false;
  const late = withDeadline(
    { clock, timeoutMs: 100, what: "asking" },
    (signal) => new Promise<never>(() => signal.addEventListener("abort", () => (aborted = true))),
  );
  const caught = late.catch((error: unknown) => error);
  await clock.advance(101);
  expect(await caught).toMatchObject({ code: "DEADLINE_PASSED", tier: "transient" });
  expect(aborted).toBe(true);
});

const env = (values: Record<string, string>) => ({ env: { HOME: "/home/ada", ...values }, platform: "linux" as const });

test("STO-001: each folder follows its XDG variable on every platform; a relative value is ignored", () => {
  const dirs = systemPaths.dirs({ env: { HOME: "/home/ada", XDG_CONFIG_HOME: "/x/conf", XDG_CACHE_HOME: "relative" }, platform: "darwin" });
  expect(dirs.config).toBe("/x/conf/sylk");
  expect(dirs.cache).toBe("/home/ada/Library/Caches/sylk");
});

test("STO-002: platform defaults", () => {
  expect(systemPaths.dirs(env({}))).toEqual({
    config: "/home/ada/.config/sylk",
    data: "/home/ada/.local/share/sylk",
    cache: "/home/ada/.cache/sylk",
    state: "/home/ada/.local/state/sylk",
  });
  expect(systemPaths.dirs({ env: { HOME: "/Users/ada" }, platform: "darwin" })).toEqual({
    config: "/Users/ada/Library/Preferences/sylk",
    data: "/Users/ada/Library/Application Support/sylk",
    cache: "/Users/ada/Library/Caches/sylk",
    state: "/Users/ada/Library/Logs/sylk",
  });
  expect(systemPaths.dirs({ env: { HOME: "/h", APPDATA: "/r", LOCALAPPDATA: "/l" }, platform: "win32" })).toEqual({
    config: "/r/sylk/config",
    data: "/l/sylk/data",
    cache: "/l/sylk/cache",
    state: "/l/sylk/state",
  });
});

test("SYLK_HOME moves everything, and an existing ~/.sylk is used", () => {
  expect(systemPaths.dirs(env({ SYLK_HOME: "/s", XDG_CONFIG_HOME: "/x" }))).toEqual({
    config: "/s",
    data: "/s/data",
    cache: "/s/cache",
    state: "/s/state",
  });
  const home = tempDir();
  mkdirSync(path.join(home, ".sylk"));
  expect(systemPaths.dirs({ env: { HOME: home }, platform: "linux" }).config).toBe(path.join(home, ".sylk"));
});

test("~STO-012: private files are written whole with mode 0600", () => {
  const file = path.join(tempDir(), "deep/er/secret");
  writeFileAtomic(file, "one", { mode: 0o600 });
  writeFileAtomic(file, "two", { mode: 0o600 });
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a file in the way of a folder gives an error with its fix", () => {
  const dir = tempDir();
  writeFileSync(path.join(dir, "blocked"), "");
  chmodSync(path.join(dir, "blocked"), 0o600);
  expect(() => writeFileAtomic(path.join(dir, "blocked/file"), "x")).toThrow(
    expect.objectContaining({ code: "FILE_WRITE_FAILED", fix: expect.any(String) as string }),
  );
});

test("~CCY-064: a live holder is not dead, a process that is gone is", () => {
  expect(holders.state(holders.ofProcess())).toBe("alive");
  const [host] = holders.ofProcess().split(":");
  expect(holders.state(`${host}:999999999:1`)).toBe("dead");
  expect(holders.state(`${host}:${process.pid}:1`)).toBe("dead");
  expect(holders.state("another-machine:1:1")).toBe("unknown");
});

test("V19: a process that was killed and not yet buried is dead, one that is stopped lives", async () => {
  // The shell starts a child, becomes another program, and never asks what became of it. It is that program once it
  // gives back what it is told; until then the shell would still bury its child.
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec cat"], { stdio: ["pipe", "pipe", "ignore"] });
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  const child = Number(line.toString());
  parent.stdin.write("become\n");
  await once(parent.stdout, "data");
  const holder = holders.ofProcess(child);
  const becomes = async (state: string): Promise<void> => {
    while (holders.state(holder) !== state) await yieldToLoop();
  };
  process.kill(child, "SIGSTOP");
  await becomes("stopped");
  process.kill(child, "SIGCONT");
  await becomes("alive");
  process.kill(child, "SIGKILL");
  await becomes("dead");
  expect(() => process.kill(child, 0)).not.toThrow();
  parent.kill("SIGKILL");
});
