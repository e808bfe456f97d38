/**
 * The attacker wrote an MCP server that the user set up: it starts and never says a word. The user's request names a
 * resource of it. The attacker wants Sylk to wait for it although the user has pressed Ctrl+C.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { systemPaths } from "../../../src/kernel/index.ts";
import { script, scriptedProject } from "../../support/scripted-project.ts";

const never = new AbortController().signal;
const SILENT = "require('node:fs').writeFileSync(process.env.STARTED, ''); setInterval(() => undefined, 1e6)";

test("a request whose words name a resource of a silent server ends when it is stopped", async () => {
  const project = scriptedProject({ "a.txt": "one\n" }, script([{ name: "complete", input: { summary: "done" } }]));
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: project.dir });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  const started = path.join(project.base, "started");
  const { config } = systemPaths.dirs({ env: project.env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  const server = { command: process.execPath, args: ["-e", SILENT], env: { STARTED: started } };
  writeFileSync(path.join(config, "mcp.json"), JSON.stringify({ mcpServers: { silent: server } }));
  const app = await project.open();
  await using _closed = { [Symbol.asyncDispose]: () => app.close() };
  const words = "do what @silent:issue://12 says";
  const given = { constraints: [], criteria: [], checks: [], model: project.rules, profile: "default" };
  const { id } = await app.api.send({ type: "request.start", options: { words, approve: "ask", mode: "solo", ...given } }, never);
  const stop = new AbortController();
  const running = app.api.send({ type: "request.run", id, attended: false }, stop.signal).then(
    () => "ended",
    () => "stopped",
  );
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 20_000 });
  stop.abort();
  expect(await running).toBe("stopped");
}, 30_000);
