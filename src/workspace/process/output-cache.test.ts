import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { tempWorkspace, type TempWorkspace } from "../../../test/support/temp-workspace.ts";
import { createOutputCache, type OutputCache } from "./output-cache.ts";

function cacheOf(t: TempWorkspace, clock: ManualClock, limits: { maxEntries?: number; maxBytes?: number } = {}): OutputCache {
  return createOutputCache({
    root: t.root,
    clock,
    run: (request) => t.workspace.processes.run(request),
    list: (globs) => t.workspace.search.list({ globs, maxFiles: 10_000 }),
    ...limits,
  });
}

const lint = [process.execPath, "-e", "fs.appendFileSync('log', 'run\\n'); process.stdout.write(fs.readFileSync('a.js', 'utf8'))"];
const runs = (t: TempWorkspace): Promise<unknown> => t.workspace.files.read({ path: "log" });

test("~TOO-032 TOO-033: the same inputs give the kept result; a changed input file runs again", async () => {
  using t = tempWorkspace({ "a.js": "one", ".gitignore": "log\n" });
  const cache = cacheOf(t, new ManualClock());
  const request = { command: lint, inputs: ["*.js"] };
  expect(await cache.run(request)).toMatchObject({ kind: "exited", stdout: "one", cached: false });
  expect(await cache.run(request)).toMatchObject({ kind: "exited", stdout: "one", cached: true });
  writeFileSync(path.join(t.root, "a.js"), "two");
  expect(await cache.run(request)).toMatchObject({ stdout: "two", cached: false });
  writeFileSync(path.join(t.root, "b.js"), "");
  expect(await cache.run(request)).toMatchObject({ cached: false });
  expect(await cache.run({ ...request, env: { MODE: "x" } })).toMatchObject({ cached: false });
  expect(await runs(t)).toMatchObject({ totalLines: 4 });
});

test("TOO-033: what is too old, writes, was cut off or failed to start is not kept; a failing check is", async () => {
  using t = tempWorkspace({ "a.js": "one" });
  const clock = new ManualClock();
  const cache = cacheOf(t, clock);
  const base = { inputs: ["*.js"] };
  for (const command of [["echo", "--fix"], ["echo", "--write", "x"], "echo x > out", ["echo", "-w", "a.js"]]) {
    await cache.run({ ...base, command });
    expect(await cache.run({ ...base, command })).toMatchObject({ cached: false });
  }
  await cache.run({ ...base, command: ["no-such-binary"] });
  expect(cache.size).toBe(0);
  await cache.run({ ...base, command: ["sh", "-c", "exit 1"] });
  expect(await cache.run({ ...base, command: ["sh", "-c", "exit 1"] })).toMatchObject({ exitCode: 1, cached: true });
  await clock.advance(5 * 60_000);
  expect(await cache.run({ ...base, command: ["sh", "-c", "exit 1"] })).toMatchObject({ cached: false });
});

test("~TOO-031: the number of entries and bytes is bounded, the least used go first", async () => {
  using t = tempWorkspace({ "a.js": "one" });
  const cache = cacheOf(t, new ManualClock(), { maxEntries: 2 });
  const run = (word: string): Promise<{ cached: boolean }> => cache.run({ command: ["echo", word], inputs: ["*.js"] });
  await run("a");
  await run("b");
  await run("a");
  await run("c");
  expect([(await run("a")).cached, (await run("c")).cached, cache.size]).toEqual([true, true, 2]);
  expect((await run("b")).cached).toBe(false);
  const small = cacheOf(t, new ManualClock(), { maxBytes: 10 });
  await small.run({ command: ["echo", "x".repeat(100)], inputs: ["*.js"] });
  expect(small.size).toBe(0);
});
