/** Which commands whoever wants them is told to do without first, when nobody is there. */
import { expect, test } from "vitest";
import { canWait } from "./can-wait.ts";

const run = (line: string, more: { network?: string[]; keys?: string[] } = {}) =>
  canWait({ command: { kind: "shell", line }, network: [], ...more });

test("what only tells something can wait; what changes, fetches, installs or publishes is a person's to decide", () => {
  for (const line of [
    "printenv HOME",
    "./scripts/report.sh --all",
    "ps aux | grep node",
    "df -h 2>/dev/null",
    "tree -L 2",
    "cloc src || true",
  ])
    expect(`${line}: ${run(line)}`).toBe(`${line}: true`);
  for (const line of [
    "printenv HOME > env.txt",
    "rm -rf build",
    "git push origin main",
    "npm install left-pad",
    "curl https://example.com",
    "cat a | tee b",
    "env FOO=1 rm x",
    "bash -c 'git reset --hard'",
    "sudo ls",
    "kill 1",
    "X=1 ./run.sh",
    "$(cat cmd)",
    "echo 'unclosed",
  ])
    expect(`${line}: ${run(line)}`).toBe(`${line}: false`);
  expect(run("cloc src", { network: ["example.com"] })).toBe(false);
  expect(run("cloc src", { keys: ["TOKEN"] })).toBe(false);
});
