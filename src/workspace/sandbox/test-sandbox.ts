/** Tries the sandbox for real and reports what it kept in and out; for `sylk sandbox test`. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import type { Clock } from "../../kernel/index.ts";
import type { SandboxPolicy } from "./policy.ts";
import { createSandbox } from "./create-sandbox.ts";
import { openWorkspace } from "../open-workspace.ts";

export interface SandboxCheck {
  name: string;
  passed: boolean;
  detail: string;
}

/** A server on this machine that no sandboxed command may reach. */
async function listen(): Promise<{ port: number; seen: () => boolean; close: () => void }> {
  let seen = false;
  const server = createServer((socket) => {
    seen = true;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as { port: number }).port, seen: () => seen, close: () => server.close() };
}

export interface SandboxTestOptions {
  policy: SandboxPolicy;
  clock: Clock;
  /** Where to try it; outside the temp folder, which every sandboxed command has of its own. */
  folder: string;
}

export async function testSandbox(options: SandboxTestOptions): Promise<SandboxCheck[]> {
  mkdirSync(options.folder, { recursive: true });
  const base = mkdtempSync(path.join(options.folder, "sandbox-test-"));
  const root = path.join(base, "work");
  const outside = path.join(base, "outside");
  const home = path.join(base, "home");
  for (const dir of [root, outside, path.join(home, ".ssh"), path.join(root, ".git/hooks")]) mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(home, ".ssh/id_test"), "private");
  await using sandbox = createSandbox({ policy: { ...options.policy, mode: "require" }, home, clock: options.clock });
  const server = await listen();
  const checks: SandboxCheck[] = [];
  try {
    await using workspace = openWorkspace({
      root,
      sandbox,
      clock: options.clock,
      redact: (text) => text,
      gate: { decide: () => Promise.resolve({ kind: "allow", rule: "sandbox test" }) },
      tempDir: path.join(base, "temp"),
    });
    const run = async (line: string): Promise<{ ran: boolean; code: number | null; said: string }> => {
      const outcome = await workspace.processes.run({ command: ["sh", "-c", line], timeoutMs: 15_000 });
      if (outcome.kind === "exited") return { ran: true, code: outcome.exitCode, said: outcome.output.text };
      return { ran: false, code: null, said: outcome.kind === "not_started" ? outcome.message : outcome.kind };
    };
    const add = (name: string, passed: boolean, detail: string): void =>
      void checks.push({ name, passed, detail: detail.split("\n")[0] ?? "" });
    const inside = await run("echo in > inside.txt");
    add("a command runs and writes in its folder", inside.code === 0 && existsSync(path.join(root, "inside.txt")), inside.said);
    if (!inside.ran) return checks;
    const out = await run(`echo out > ${outside}/file.txt`);
    add("it cannot write elsewhere", out.code !== 0 && !existsSync(path.join(outside, "file.txt")), out.said);
    const key = await run(`cat ${home}/.ssh/id_test`);
    add("it cannot read keys in the home folder", !key.said.includes("private"), key.said);
    const hook = await run("echo x > .git/hooks/pre-commit");
    add("it cannot plant a git hook", hook.code !== 0 && !existsSync(path.join(root, ".git/hooks/pre-commit")), hook.said);
    const net = await run(
      `${JSON.stringify(process.execPath)} -e 'require("net").connect(${server.port}, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(7))'`,
    );
    add("it cannot reach the network", net.code !== 0 && !server.seen(), net.code === 7 ? "connection refused" : net.said);
    const processes = await run("ls /proc | grep -c '^[0-9]'");
    add("it sees only its own processes", Number(processes.said.trim()) < 20, `${processes.said.trim()} processes`);
    const limits = await run("ulimit -n; ulimit -c");
    add(
      "limits are set",
      limits.said.split("\n")[0] === String(options.policy.limits.openFiles),
      `open files ${limits.said.replaceAll("\n", ", core ")}`,
    );
    add("what it wrote is there afterwards", readFileSync(path.join(root, "inside.txt"), "utf8") === "in\n", "inside.txt");
    return checks;
  } finally {
    server.close();
    rmSync(base, { recursive: true, force: true });
  }
}
