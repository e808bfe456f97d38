import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { treeOf } from "./process-tree.ts";

test("TOO-006: a plain line runs without a shell, a line with operators in one, and the gate is told which", async () => {
  using t = tempWorkspace();
  const plain = await t.workspace.processes.run({ command: "echo 'a b' c" });
  expect(plain).toMatchObject({
    kind: "exited",
    exitCode: 0,
    stdout: "a b c\n",
    partial: false,
    command: { kind: "direct", argv: ["echo", "a b", "c"] },
  });
  const shell = await t.workspace.processes.run({ command: "echo one && echo two >&2; exit 3" });
  expect(shell).toMatchObject({ kind: "exited", exitCode: 3, stdout: "one\n", stderr: "two\n" });
  expect(t.asked.map((action) => action.kind === "run" && action.command.kind)).toEqual(["direct", "shell"]);
});

test("a refused command is not started", async () => {
  using t = tempWorkspace({}, { deny: () => "not allowed here" });
  const outcome = await t.workspace.processes.run({ command: ["touch", "made"] });
  expect(outcome).toEqual({ kind: "refused", reason: "not allowed here", rule: "test-deny" });
});

test("TOO-009: a missing binary, an empty command and a folder outside say what to do", async () => {
  using t = tempWorkspace();
  expect(await t.workspace.processes.run({ command: ["no-such-binary-here"] })).toEqual({
    kind: "not_started",
    reason: "missing_binary",
    message: "no-such-binary-here was not found",
    fix: "install no-such-binary-here, or give its full path",
  });
  expect(await t.workspace.processes.run({ command: "  " })).toMatchObject({ kind: "not_started", reason: "empty_command" });
  expect(await t.workspace.processes.run({ command: "ls", cwd: ".." })).toMatchObject({ kind: "not_started", reason: "bad_folder" });
});

test("TOO-008: of the parent environment a command gets what is on the list or named by the person; granted variables too", async () => {
  using t = tempWorkspace(
    {},
    {
      parentEnv: {
        PATH: process.env["PATH"],
        HOME: "/home/x",
        ANTHROPIC_API_KEY: "k",
        my_token: "t",
        DATABASE_URL: "u",
        KEEP: "yes",
        GOPROXY: "x",
        JAVA_HOME: "/j",
      },
      passedEnv: ["KEEP"],
    },
  );
  const outcome = await t.workspace.processes.run({
    command: ["env"],
    env: { MORE: "1", NODE_OPTIONS: "no" },
    grantedEnv: { NPM_TOKEN: "granted" },
  });
  const names = outcome.kind === "exited" ? outcome.stdout.split("\n").map((line) => line.split("=")[0]) : [];
  expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "JAVA_HOME", "KEEP", "MORE", "NPM_TOKEN"]));
  for (const hidden of ["ANTHROPIC_API_KEY", "my_token", "DATABASE_URL", "GOPROXY", "NODE_OPTIONS"]) expect(names).not.toContain(hidden);
});

test("~TOO-023 ~TOO-025 ~TOO-026: long output is shortened, errors in the middle are kept, the whole is in the spill file", async () => {
  using t = tempWorkspace();
  const script = "for (let i = 1; i <= 5000; i++) console.log(i === 2500 ? 'src/x.ts:4:2 error: boom hunter2' : 'line ' + i)";
  const outcome = await t.workspace.processes.run({ command: [process.execPath, "-e", script] });
  if (outcome.kind !== "exited") throw new Error(outcome.kind);
  expect(outcome.output).toMatchObject({ totalLines: 5000, truncated: true, errorLines: 1, omittedLines: 5000 - 151 });
  expect(outcome.output.text).toContain("src/x.ts:4:2 error: boom [redacted]");
  expect(outcome.output.text).toContain("… 2449 lines omitted …");
  const spill = readFileSync(outcome.output.spillPath as string, "utf8");
  expect(spill.split("\n")).toHaveLength(5001);
  expect(spill).not.toContain("hunter2");
});

test("TOO-020: cancelling keeps the output so far and ends the process", async () => {
  using t = tempWorkspace();
  const cancel = new AbortController();
  const outcome = await t.workspace.processes.run({
    command: [process.execPath, "-e", "console.log('begun'); setInterval(() => {}, 1000)"],
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  expect(outcome).toMatchObject({ kind: "cancelled", stdout: "begun\n", partial: true, kill: { sentSIGINT: true, exitedAfter: "SIGINT" } });
});

test("a check may be silent for longer than other commands, before and after it said something", async () => {
  using t = tempWorkspace({}, { limits: { defaultTimeoutMs: 100, extendOnOutputMs: 100, checkTimeoutMs: 30_000 } });
  const { run } = t.workspace.processes;
  const command = "sleep 0.6; echo said; sleep 0.6";
  expect(await run({ command })).toMatchObject({ kind: "timed_out", after: "idle" });
  expect(await run({ command, isCheck: true })).toMatchObject({ kind: "exited", exitCode: 0 });
  // Past its base time it lives by what it says, each time for as long.
  using short = tempWorkspace({}, { limits: { defaultTimeoutMs: 100, extendOnOutputMs: 100, checkTimeoutMs: 3_000 } });
  const talks = "for n in 1 2 3 4 5 6 7 8; do echo said $n; sleep 0.5; done";
  expect(await short.workspace.processes.run({ command: talks, isCheck: true })).toMatchObject({ kind: "exited", exitCode: 0 });
});

test("TOO-011: a silent command ends after its base time", async () => {
  using t = tempWorkspace();
  const outcome = await t.workspace.processes.run({
    command: [process.execPath, "-e", "setInterval(() => process.stdout.write('.'), 10)"],
    timeoutMs: 200,
  });
  expect(outcome).toMatchObject({ kind: "timed_out", after: "idle", partial: true });
});

test("TOO-016: what a command leaves in the background ends with it, also in another session", async () => {
  using t = tempWorkspace();
  const outcome = await t.workspace.processes.run({ command: `sleep 300 & setsid sleep 301 & echo $SYLK_INVOCATION` });
  if (outcome.kind !== "exited") throw new Error(outcome.kind);
  expect(await treeOf(-1, outcome.stdout.trim())).toEqual([]);
});

test("a command reads its standard input", async () => {
  using t = tempWorkspace();
  expect(await t.workspace.processes.run({ command: ["cat"], stdin: "hello" })).toMatchObject({ kind: "exited", stdout: "hello" });
  expect(await t.workspace.processes.run({ command: ["pwd"], cwd: "." })).toMatchObject({ stdout: `${path.resolve(t.root)}\n` });
});
