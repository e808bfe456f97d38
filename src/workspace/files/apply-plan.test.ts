import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempFolder } from "../../../test/support/temp-workspace.ts";
import { newId, sha256, holders } from "../../kernel/index.ts";
import { applyPlan } from "./apply-plan.ts";
import type { PlannedChange } from "./plan-changes.ts";

let base = "";
beforeEach(() => {
  base = tempFolder("apply");
  for (const name of ["d", "outside"]) {
    mkdirSync(path.join(base, name));
    writeFileSync(path.join(base, name, "a"), "before");
  }
});
afterEach(() => rmSync(base, { recursive: true }));

const change = (name: string, before: string | null): PlannedChange => ({
  path: `d/${name}`,
  absolute: path.join(base, "d", name),
  operation: before === null ? "create" : "modify",
  before: before === null ? null : sha256(before),
  after: sha256("after"),
  mode: 0o644,
  oldBytes: before === null ? null : Buffer.from(before),
  newBytes: Buffer.from("after"),
});

/** Somebody else acts when the folder was found and nothing is written yet: temporary names are made of the time. */
function meanwhile(act: () => void): ManualClock {
  let done = false;
  const clock = new ManualClock();
  const now = clock.now.bind(clock);
  clock.now = () => {
    if (!done) act();
    done = true;
    return now();
  };
  return clock;
}

test.skipIf(!existsSync("/proc/self/fd"))(
  "M7: a folder that was swapped for a link after it was found is not written to, here or there",
  async () => {
    const swap = meanwhile(() => {
      renameSync(path.join(base, "d"), path.join(base, "was-d"));
      symlinkSync("outside", path.join(base, "d"));
    });
    expect(await applyPlan([change("a", "before"), change("new", null)], swap)).toMatchObject({ kind: "outside", path: "d/a" });
    for (const name of ["was-d", "outside"]) {
      expect(readdirSync(path.join(base, name))).toEqual(["a"]);
      expect(readFileSync(path.join(base, name, "a"), "utf8")).toBe("before");
    }
  },
);

test("M7: a file that became a link is not the file any more, though it leads to the same text", async () => {
  const swap = meanwhile(() => {
    rmSync(path.join(base, "d/a"));
    symlinkSync("../outside/a", path.join(base, "d/a"));
  });
  expect(await applyPlan([change("a", "before")], swap)).toEqual({
    kind: "stale",
    path: "d/a",
    expected: sha256("before"),
    actual: "a symbolic link",
  });
  expect(readFileSync(path.join(base, "outside/a"), "utf8")).toBe("before");
  expect(readdirSync(path.join(base, "d"))).toEqual(["a"]);
});

test("V8: whoever writes in a folder removes what dead processes left there, whatever file it was for", async () => {
  const dead = spawnSync("true").pid;
  const left = ["a", "other"].map((name) => `.${name}.${dead}-1.${newId("tmp", 1_800_000_000_000)}`);
  const living = `.a.${holders.ofProcess().split(":").slice(-2).join("-")}.${newId("tmp", 1_800_000_000_000)}`;
  for (const name of [...left, living]) writeFileSync(path.join(base, "d", name), "half");
  expect(await applyPlan([change("a", "before")], new ManualClock())).toEqual({ kind: "applied" });
  expect(readdirSync(path.join(base, "d")).toSorted()).toEqual([living, "a"].toSorted());
});

test.skipIf(!existsSync("/proc/self/fd"))("V16: every touched folder is on disk before the plan is called applied", async () => {
  const handle = await open(path.join(base, "d", "a"));
  const prototype = Object.getPrototypeOf(handle) as { sync(this: FileHandle): Promise<void> };
  await handle.close();
  const synced: string[] = [];
  const modes: number[] = [];
  const sync = vi.spyOn(prototype, "sync").mockImplementation(async function (this: FileHandle) {
    const what = readlinkSync(`/proc/self/fd/${this.fd}`);
    const found = await this.stat();
    // Permissions are on disk with the content.
    modes.push(...(found.isFile() ? [found.mode & 0o777] : []));
    const entries = found.isDirectory() ? ` ${readdirSync(what).join()}` : "";
    synced.push(`${path.relative(base, what).replace(/\.tmp_.*/u, "")}${entries}`);
  });
  onTestFinished(() => sync.mockRestore());
  const made = { ...change("new", null), path: "d/e/new", absolute: path.join(base, "d/e/new") };
  const shared = [change("a", "before"), change("b", null), made].map((one) => ({ ...one, mode: 0o666 }));
  expect(await applyPlan(shared, new ManualClock())).toEqual({ kind: "applied" });
  expect(modes).toEqual([0o666, 0o666, 0o666]);
  expect(synced.slice(3)).toEqual(["d a,b,e", "d/e new", "d a,b,e"]);
});
