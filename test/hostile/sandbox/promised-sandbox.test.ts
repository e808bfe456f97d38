/**
 * The attacker's code runs in a build (`cargo build`, `go test`) that needs no question because it is
 * sandboxed. He waits for a machine where the sandbox cannot be had in full, or brings a program that
 * calls itself one, and wants the build to run directly.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../../src/workspace/find-program.ts";
import { script, scriptedProject } from "../../support/scripted-project.ts";
import { NO_SANDBOX, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";
import { MAIN } from "../../support/built-command.ts";

/** A search path with exactly these programs of the machine, and these of the attacker's. */
function programs(real: readonly string[], fake: Readonly<Record<string, string>> = {}): string {
  const bin = tempDir("bin");
  for (const name of real) {
    const found = findProgram(name, process.env["PATH"] ?? "");
    if (found !== undefined) symlinkSync(found, path.join(bin, name));
  }
  for (const [name, text] of Object.entries(fake)) {
    writeFileSync(path.join(bin, name), text);
    chmodSync(path.join(bin, name), 0o755);
  }
  return bin;
}

const TOOLS = ["sh", "bash", "git", "cat", "id", "ls", "true", "touch", "readlink", "grep", "sleep", "mkdir"];

test.skipIf(NO_SANDBOX !== undefined)(
  "C5: without its network layer a build keeps the sandbox and loses the network, and the result says so",
  async () => {
    const root = tempDir("build");
    for (const [searchPath, reason] of [
      [programs([...TOOLS, "bwrap"]), "socat was not found"],
      [programs([...TOOLS, "bwrap"], { socat: "#!/bin/sh\nexit 3\n" }), "socat does not work"],
      [programs([...TOOLS, "bwrap"], { socat: '#!/bin/sh\n[ "$1" = -V ]\n' }), "cannot be sandboxed"],
    ] as const) {
      await using sandbox = sandboxWith({}, "/nonexistent", searchPath);
      await using workspace = sandboxedWorkspace(root, sandbox);
      const outcome = await workspace.processes.run({ command: ["readlink", "/proc/self/ns/net"], network: ["registry.example"] });
      expect(outcome).toMatchObject({ kind: "exited", exitCode: 0, sandbox: "bubblewrap" });
      if (outcome.kind !== "exited") continue;
      expect(outcome.notice).toContain(reason);
      expect(outcome.stdout).not.toBe(spawnSync("readlink", ["/proc/self/ns/net"], { encoding: "utf8" }).stdout);
    }
  },
);

test.skipIf(NO_SANDBOX !== undefined)("C5: the network layer needs no ripgrep of the machine", async () => {
  const searchPath = programs([...TOOLS, "bwrap", "socat"]);
  await using sandbox = sandboxWith({}, "/nonexistent", searchPath);
  if (!(await sandbox.status()).network) return;
  await using workspace = sandboxedWorkspace(tempDir("build"), sandbox);
  expect(await workspace.processes.run({ command: ["true"], network: ["registry.example"] })).toMatchObject({
    kind: "exited",
    exitCode: 0,
    sandbox: "sandbox-runtime",
    notice: undefined,
  });
});

test("C5: a permission given for a sandboxed run does not hold without a sandbox, whatever the mode", async () => {
  for (const sandbox of [sandboxWith({}, "/nonexistent", "/nonexistent"), sandboxWith({ mode: "off" })]) {
    const root = tempDir("none");
    await using workspace = sandboxedWorkspace(root, sandbox);
    const outcome = await workspace.processes.run({ command: ["touch", "made"] });
    expect(outcome).toMatchObject({ kind: "not_started", reason: "no_sandbox" });
    expect(existsSync(path.join(root, "made"))).toBe(false);
    expect(await workspace.processes.background.start({ command: ["touch", "made"] })).toMatchObject({ kind: "not_started" });
  }
});

test.skipIf(NO_SANDBOX !== undefined)("C5: through the whole command: `cargo build` without socat and ripgrep stays inside", () => {
  const outside = tempDir("outside");
  const { dir, env, rules } = scriptedProject(
    { "Cargo.toml": "[package]\nname = 'x'\n" },
    script([
      { name: "run_command", input: { command: "cargo build" } },
      { name: "complete", input: { summary: "built" } },
    ]),
  );
  const evil = `#!/bin/sh\necho "built by a fake"; id > '${outside}/PWN-cargo'; echo x > .git/hooks/pre-commit; echo x > inside.txt\n`;
  const bin = programs([...TOOLS, "bwrap"], { cargo: evil });
  mkdirSync(path.join(dir, ".git/hooks"), { recursive: true });
  spawnSync(process.execPath, [MAIN, "task", "start", "build it", "--no-checks", "-m", rules], {
    cwd: dir,
    env: { ...env, PATH: bin, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
    encoding: "utf8",
  });
  expect(readFileSync(path.join(dir, "inside.txt"), "utf8")).toBe("x\n");
  expect(existsSync(path.join(outside, "PWN-cargo"))).toBe(false);
  expect(existsSync(path.join(dir, ".git/hooks/pre-commit"))).toBe(false);
});

const FAKES = {
  "exits with an error, as where user namespaces are forbidden": [
    "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    "No permissions to create new namespace",
  ],
  "prints nonsense and ends well": ["#!/bin/sh\necho 'net:[1] \u001b[2J'\necho hello\nexit 0\n", "does not isolate"],
  "says nothing and ends well": ["#!/bin/sh\nexit 0\n", "does not isolate"],
  "runs the command without isolating it": ['#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n', "does not isolate"],
  "is no program at all": ["\u0000\u0001", "does not work here"],
} as const;

for (const [what, [text, reason]] of Object.entries(FAKES))
  test.skipIf(process.platform !== "linux")(`C5: a bwrap that ${what} is no sandbox: clear words, nothing is started`, async () => {
    const searchPath = programs(TOOLS, { bwrap: text });
    await using sandbox = sandboxWith({ mode: "require" }, "/nonexistent", searchPath);
    const status = await sandbox.status();
    expect(status).toMatchObject({ available: false, layer: undefined });
    expect(status.reason).toContain(reason);
    expect(status.fix).toMatch(/user namespaces|reinstall bubblewrap/u);
    const root = tempDir("fake");
    await using workspace = sandboxedWorkspace(root, sandbox);
    expect(await workspace.processes.run({ command: ["touch", "made"] })).toMatchObject({ kind: "not_started", reason: "no_sandbox" });
    expect(existsSync(path.join(root, "made"))).toBe(false);
  });

test.skipIf(NO_SANDBOX !== undefined)("C5: a bwrap among a project's packages or in a relative folder is not the machine's", async () => {
  const base = tempDir("packages");
  const bin = path.join(base, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "bwrap"), "#!/bin/sh\nexit 9\n");
  chmodSync(path.join(bin, "bwrap"), 0o755);
  await using sandbox = sandboxWith({}, "/nonexistent", [bin, "bin", ".", process.env["PATH"] ?? ""].join(path.delimiter));
  expect(await sandbox.status()).toMatchObject({ available: true, layer: "bubblewrap" });
});
