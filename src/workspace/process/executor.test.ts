import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { defaultLimits } from "../limits.ts";
import { baseTimeoutMs, toCommandLine } from "./command-line.ts";
import { createProcessSlots } from "./slots.ts";
import type { CommandLine } from "../gate.ts";

test("TOO-006 TOO-007: which lines need a shell", () => {
  const direct: [string, string[]][] = [
    ["ls -la", ["ls", "-la"]],
    ["git commit -m 'a b'", ["git", "commit", "-m", "a b"]],
    ['echo "x y"z', ["echo", "x yz"]],
    ["npm test --grep='it works'", ["npm", "test", "--grep=it works"]],
    ["echo ''", ["echo", ""]],
  ];
  for (const [line, argv] of direct) expect(toCommandLine(line)).toEqual({ kind: "direct", argv });
  const shell = [
    "a | b",
    "a && b",
    "a; b",
    "ls *.ts",
    "echo $HOME",
    "echo `id`",
    "a > b",
    "a < b",
    "a & b",
    "cat ~/x",
    "(a)",
    "{ a; }",
    "a\nb",
    'echo "$x"',
    "echo 'open",
    "A=1 b",
    "echo \\*",
    "echo a?",
    "! a",
    "echo #x",
    "[ -f x ]",
  ];
  for (const line of shell) expect(toCommandLine(line)).toEqual({ kind: "shell", line });
  expect(toCommandLine(["a b", "c"])).toEqual({ kind: "direct", argv: ["a b", "c"] });
  expect([toCommandLine(""), toCommandLine([]), toCommandLine([""])]).toEqual([undefined, undefined, undefined]);
});

test("~TOO-005 TOO-012: the longest matching beginning decides how long a command may be silent", () => {
  const limit = (line: string): number =>
    baseTimeoutMs(toCommandLine(line) as CommandLine, defaultLimits.toolTimeoutsMs, defaultLimits.defaultTimeoutMs) / 1_000;
  expect([
    limit("go test ./..."),
    limit("go build"),
    limit("go vet"),
    limit("npm run build"),
    limit("npm run lint"),
    limit("git status"),
    limit("git clone x"),
  ]).toEqual([300, 600, 60, 600, 60, 30, 600]);
  expect([limit("/usr/bin/git status"), limit("npx eslint ."), limit("gitk"), limit("pytest -x | tail")]).toEqual([30, 60, 60, 300]);
  expect([limit("npm install"), limit("jest"), limit("prettier .")]).toEqual([300, 300, 30]);
});

test("~TOO-004: no more processes run at once than there are slots, the others wait their turn", async () => {
  using t = tempWorkspace({}, { slots: createProcessSlots(2) });
  const script =
    "const fs = require('fs'); const me = 'run-' + process.pid; fs.writeFileSync(me, ''); console.log(fs.readdirSync('.').filter((f) => f.startsWith('run-')).length); setTimeout(() => fs.rmSync(me), 60);";
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => t.workspace.processes.run({ command: [process.execPath, "-e", script] })),
  );
  const seen = outcomes.map((outcome) => (outcome.kind === "exited" ? Number(outcome.stdout) : Number.NaN));
  expect(Math.max(...seen)).toBeLessThanOrEqual(2);
});

test("~TOO-003: the slot is given back on every path", async () => {
  const slots = createProcessSlots(1);
  using t = tempWorkspace(
    {},
    {
      slots,
      deny: (action) =>
        action.kind === "run" && action.command.kind === "direct" && action.command.argv[0] === "denied" ? "no" : undefined,
    },
  );
  const { run } = t.workspace.processes;
  const cancel = new AbortController();
  await run({ command: ["no-such-binary"] });
  await run({ command: ["denied"] });
  await run({ command: ["false"] });
  await run({ command: ["sleep", "60"], timeoutMs: 50 });
  await run({ command: "echo up; sleep 60", signal: cancel.signal, onOutput: () => cancel.abort() });
  await expect(run({ command: ["true"], signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  expect(await run({ command: ["true"] })).toMatchObject({ kind: "exited", exitCode: 0 });
});

test("a full queue of waiting commands is refused, and one that stops waiting leaves it", async () => {
  const slots = createProcessSlots(1, 1);
  const first = await slots.take();
  const leave = new AbortController();
  const waiting = slots.take(leave.signal);
  await expect(slots.take()).rejects.toMatchObject({ code: "PROCESS_QUEUE_FULL", tier: "transient" });
  leave.abort();
  await expect(waiting).rejects.toThrow("aborted");
  const next = slots.take();
  first();
  (await next)();
});

test("~TOO-001 ~TOO-002 ~TOO-043: a command has folder, variables and input; its result has code, streams and time, and a non-zero exit is a result", async () => {
  using t = tempWorkspace({ "sub/x.txt": "" });
  const outcome = await t.workspace.processes.run({
    command: "cat; pwd; echo $WORD >&2; exit 4",
    cwd: "sub",
    env: { WORD: "hello" },
    stdin: "in\n",
  });
  expect(outcome).toMatchObject({
    kind: "exited",
    exitCode: 4,
    signal: null,
    stdout: `in\n${path.join(t.root, "sub")}\n`,
    stderr: "hello\n",
    partial: false,
    kill: undefined,
  });
  expect(outcome.kind === "exited" && outcome.durationMs > 0).toBe(true);
});

test("~TOO-022: output is heard while the command runs, and captured at the same time", async () => {
  using t = tempWorkspace();
  const heard: string[] = [];
  const outcome = await t.workspace.processes.run({
    command: [
      process.execPath,
      "-e",
      "console.log('one'); process.stdin.once('data', () => {}); setTimeout(() => console.error('two'), 20)",
    ],
    onOutput: ({ stream, text }) => heard.push(`${stream}:${text}`),
  });
  expect(heard).toEqual(["stdout:one", "stderr:two"]);
  expect(outcome).toMatchObject({ stdout: "one\n", stderr: "two\n" });
});

test("~TOO-022: progress that overwrites itself is kept as its last state, terminal codes are removed", async () => {
  using t = tempWorkspace();
  const outcome = await t.workspace.processes.run({ command: ["printf", "10%%\\r50%%\\r100%%\\n\\033[31mred\\033[0m\\r\\ndone"] });
  expect(outcome).toMatchObject({ output: { text: "100%\nred\ndone", totalLines: 3 } });
});

test("a private key in the output is redacted as a whole, wherever the view is cut", async () => {
  const key = [
    "-----BEGIN RSA PRIVATE KEY-----",
    ...Array.from({ length: 60 }, (_, i) => `line${i}SECRET`),
    "-----END RSA PRIVATE KEY-----",
  ].join("\n");
  using t = tempWorkspace(
    { "key.pem": key },
    { redact: (text) => text.replace(/-----BEGIN [A-Z ]+-----[\s\S]*?-----END [A-Z ]+-----/gu, "[key]") },
  );
  const heard: string[] = [];
  const outcome = await t.workspace.processes.run({
    command: "seq 1 20; cat key.pem; echo; seq 1 300",
    onOutput: ({ text }) => heard.push(text),
  });
  if (outcome.kind !== "exited") throw new Error(outcome.kind);
  const everything = [outcome.output.text, outcome.stdout, heard.join("\n"), readFileSync(outcome.output.spillPath as string, "utf8")].join(
    "\n",
  );
  expect(everything).not.toContain("SECRET");
  expect(heard).toContain("[key]");
});

test("~TOO-017 ~TOO-041: what an invocation kept for itself goes with the workspace", async () => {
  using t = tempWorkspace();
  const temp = path.join(t.base, "temp");
  const outcome = await t.workspace.processes.run({ command: "seq 1 1000" });
  expect(outcome.kind === "exited" && outcome.output.spillPath?.startsWith(temp)).toBe(true);
  expect(readdirSync(path.join(temp, "output"))).toHaveLength(1);
  await t.workspace[Symbol.asyncDispose]();
  expect(existsSync(temp)).toBe(false);
});
