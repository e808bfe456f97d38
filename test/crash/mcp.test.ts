/** A call to an MCP server in a process that is killed, or that rests for the user's word: sent once, never twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holders, systemPaths } from "../../src/kernel/index.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject } from "../support/scripted-project.ts";
import { MAIN } from "../support/built-command.ts";

const FAKE = path.resolve("test/support/fake-mcp-server.mjs");
const DONE = { name: "complete", input: { summary: "done" } };

function prepared(tool: string, args: object) {
  const { dir, base, env, rules } = scriptedProject(
    { "a.txt": "one\n" },
    script([{ name: "mcp_call", input: { server: "fake", tool, arguments: args } }, DONE]),
  );
  const { config } = systemPaths.dirs({ env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  const [calls, starts] = [path.join(base, "calls"), path.join(base, "starts")];
  const fake = { command: process.execPath, args: [FAKE], env: { CALLS: calls, STARTS: starts, DIR: "${SYLK_PROJECT_DIR}" } };
  writeFileSync(path.join(config, "mcp.json"), JSON.stringify({ mcpServers: { fake } }));
  const linesOf = (file: string): string[] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
  const sylk = (...line: string[]) => runSylk(dir, { ...env, NO_COLOR: "1" }, line);
  return { dir, base, env, rules, sylk, calls: () => linesOf(calls), pids: () => linesOf(starts).map(Number) };
}

test("killed during a call, the task goes on without sending it again, and the server is gone", { timeout: 120_000 }, async () => {
  const made = prepared("hang", {});
  const looking = new AbortController();
  const changes = watch(made.base, { signal: looking.signal });
  const line = ["--permission-mode", "bypass", "task", "start", "try", "--no-checks", "-m", made.rules];
  const child = spawn(process.execPath, [MAIN, ...line], {
    cwd: made.dir,
    env: { ...made.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const _ of changes) if (made.calls().length > 0) break;
  looking.abort();
  child.kill("SIGKILL");
  await once(child, "exit");
  const [pid = 0] = made.pids();
  await expect.poll(() => holders.state(holders.ofProcess(pid)), { timeout: 60_000 }).toBe("dead");
  const resumed = await made.sylk("--permission-mode", "bypass", "task", "resume");
  expect(resumed.out + resumed.err).toContain("fake/hang was cut off by a crash; it may have happened: look before repeating it");
  expect(made.calls()).toEqual(["hang {}"]);
  expect(made.pids()).toEqual([pid]);
});

test("a call that waits for the user's word is shown whole, and sent once when it is given", { timeout: 120_000 }, async () => {
  const made = prepared("write", { path: "b.txt", text: "written by the server" });
  const started = await made.sylk("task", "start", "try", "--no-checks", "-m", made.rules);
  expect(started.code).toBe(4);
  expect(made.calls()).toEqual([]);
  const asked = await made.sylk("questions");
  expect(asked.out).toContain('mcp fake/write {"path":"b.txt","text":"written by the server"}');
  expect((await made.sylk("answer", asked.out.split(" ")[0] ?? "", "once")).code).toBe(0);
  const resumed = await made.sylk("task", "resume");
  expect(resumed.out + resumed.err).toContain("fake/write answered");
  expect(made.calls()).toEqual(['write {"path":"b.txt","text":"written by the server"}']);
  expect(readFileSync(path.join(made.dir, "b.txt"), "utf8")).toBe("written by the server");
});
