import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { systemClock } from "../../kernel/index.ts";
import { openRepository } from "../git/open-repository.ts";
import { createSandbox } from "./create-sandbox.ts";
import type { Sandbox } from "../isolation.ts";
import { defaultSandboxPolicy } from "../../../test/support/sandbox-policy.ts";
import type { SandboxPolicy } from "./policy.ts";
import { canCountProcesses } from "./bounds.ts";
import { testSandbox } from "../test-sandbox.ts";

const make = (policy: Partial<SandboxPolicy> = {}, searchPath?: string): Sandbox =>
  createSandbox({ policy: { ...defaultSandboxPolicy, ...policy }, home: "/nonexistent", env: {}, clock: systemClock, searchPath });

/** These tests hold on any machine: with a sandbox it must work, without one it must refuse. */
const available = (await make().status()).available;
const FOLDER = path.join(process.cwd(), ".reports");

test("~SEC-028 ~SEC-030 ~SEC-033: what the sandbox promises, tried for real", async () => {
  const checks = await testSandbox({ policy: defaultSandboxPolicy, clock: systemClock, folder: FOLDER });
  const { network } = await make().status();
  const untested = checks.filter((check) => check.result !== "kept");
  // What this machine cannot show is named; where it can show all, all is kept.
  const names = untested.map((check) => check.name);
  const expected = !available ? ["a command runs and writes in its folder"] : network && canCountProcesses() ? [] : names;
  expect(names).toEqual(expected);
  expect(untested.filter((check) => check.result === "broken" || check.detail === "")).toEqual([]);
  expect(checks.length).toBe(available ? 24 : 1);
});

test("~SEC-032: required and missing means not started, with the remedy; automatic means direct", async () => {
  using t = tempWorkspace({}, { sandbox: make({ mode: "require" }, "/nonexistent") });
  const outcome = await t.workspace.processes.run({ command: ["touch", "made"] });
  expect(outcome).toMatchObject({
    kind: "not_started",
    reason: "no_sandbox",
    fix: "install it, e.g. apt-get install bubblewrap socat",
  });
  expect(existsSync(path.join(t.root, "made"))).toBe(false);
  using direct = tempWorkspace({}, { sandbox: make({ mode: "auto" }, "/nonexistent") });
  expect(await direct.workspace.processes.run({ command: ["touch", "made"] })).toMatchObject({
    kind: "exited",
    exitCode: 0,
    sandbox: "none",
  });
});

test("SEC-029 ~SEC-031: by default commands are sandboxed where possible; results, exit codes and cancelling are the same inside", async () => {
  using t = tempWorkspace({}, { sandbox: make() });
  const layer = available ? "bubblewrap" : "none";
  expect(await t.workspace.processes.run({ command: "echo out; echo err >&2; exit 3" })).toMatchObject({
    kind: "exited",
    exitCode: 3,
    stdout: "out\n",
    stderr: "err\n",
    sandbox: layer,
  });
  expect(await t.workspace.processes.run({ command: ["no-such-binary"] })).toMatchObject({ kind: "not_started", reason: "missing_binary" });
  const cancel = new AbortController();
  const script =
    "process.on('SIGINT', () => { require('fs').writeFileSync('tidy', 'yes'); process.exit(0); }); console.log('up'); setInterval(() => {}, 1000);";
  const stopped = await t.workspace.processes.run({
    command: [process.execPath, "-e", script],
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  expect(stopped).toMatchObject({ kind: "cancelled", stdout: "up\n", kill: { exitedAfter: "SIGINT" } });
  expect(readFileSync(path.join(t.root, "tidy"), "utf8")).toBe("yes");
});

test("a commit on the private branch works inside, a change of the user's branch does not", async () => {
  const base = path.join(FOLDER, `git-sandbox-${process.pid}`);
  const root = path.join(base, "project");
  mkdirSync(root, { recursive: true });
  try {
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    git("init", "-q", "-b", "main");
    git("config", "user.name", "A");
    git("config", "user.email", "a@b");
    writeFileSync(path.join(root, "a.txt"), "one\n");
    git("add", "-A");
    git("commit", "-qm", "first");
    const head = git("rev-parse", "main");
    const work = await (await openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock })).createWorkTree({ id: "w" });
    using t = tempWorkspace({}, { root: work.path, sandbox: make() });
    writeFileSync(path.join(work.path, "a.txt"), "two\n");
    expect(await t.workspace.processes.run({ command: "git add -A && git commit -qm 'feat: two'" })).toMatchObject({
      kind: "exited",
      exitCode: 0,
    });
    expect(git("log", "-1", "--format=%s", "sylk/w")).toBe("feat: two");
    const forced = await t.workspace.processes.run({ command: "git update-ref refs/heads/main HEAD" });
    expect(forced.kind === "exited" && forced.exitCode !== 0).toBe(available);
    expect(git("rev-parse", "main") === head).toBe(available);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test("~SEC-028: what is hidden stays hidden when it lies inside the work folder, or around it", async () => {
  const outer = path.join(FOLDER, `hidden-${process.pid}`);
  const root = path.join(outer, "data/work");
  mkdirSync(path.join(root, ".ssh"), { recursive: true });
  writeFileSync(path.join(root, ".ssh/id"), "inner key");
  writeFileSync(path.join(outer, "credentials"), "outer key");
  try {
    using t = tempWorkspace({}, { root, sandbox: make({ hidden: [path.join(root, ".ssh"), outer] }) });
    const outcome = await t.workspace.processes.run({ command: "cat .ssh/id ../../credentials; echo ok > written" });
    expect(outcome).toMatchObject({ kind: "exited", exitCode: 0, stdout: available ? "" : "inner keyouter key" });
    expect(readFileSync(path.join(root, "written"), "utf8")).toBe("ok\n");
    // What only looks, as language servers do in a work tree, sees the same and changes nothing.
    const looking = { command: "cat written .ssh/id ../../credentials; echo changed > written", looksOnly: true };
    const looked = await t.workspace.processes.run(looking);
    expect(looked).toMatchObject({ kind: "exited", stdout: available ? "ok\n" : "ok\ninner keyouter key" });
    expect(readFileSync(path.join(root, "written"), "utf8")).toBe(available ? "ok\n" : "changed\n");
  } finally {
    rmSync(outer, { recursive: true, force: true });
  }
});

test("SEC-017 ~SEC-028: what read_file refuses no command shows either, unless git tracks it or the person opened it", async () => {
  const root = path.join(FOLDER, `sensitive-${process.pid}`);
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  const files = [
    ".env",
    "app/.env.local",
    ".env.example",
    "deploy.key",
    "test/fixture.pem",
    ".sylk/sylk.db",
    ".sylk/sylk.db-wal",
    ".sylk/local/permissions.yaml",
    ".sylk/tasks/task_1/artifacts/snapshots/1-conf.ini",
    ".sylk/knowledge.db",
    "plain.txt",
  ];
  for (const name of files) put(name, `<${name}>`);
  const git = (...args: string[]): unknown => execFileSync("git", args, { cwd: root });
  git("init", "-q", ".");
  git("add", "-f", "test/fixture.pem", ".env");
  try {
    using t = tempWorkspace({}, { root, sandbox: make() });
    const shown = await t.workspace.processes.run({ command: `cat ${files.join(" ")} 2>/dev/null; true` });
    const visible = "<.env.example><test/fixture.pem><plain.txt>";
    expect(shown).toMatchObject({ kind: "exited", stdout: available ? visible : files.map((name) => `<${name}>`).join("") });
    using open = tempWorkspace({}, { root, sandbox: make({ visible: [".env"] }) });
    const opened = await open.workspace.processes.run({ command: "cat .env deploy.key" });
    expect(opened).toMatchObject({ kind: "exited", stdout: available ? "<.env>" : "<.env><deploy.key>" });
    expect(readFileSync(path.join(root, "deploy.key"), "utf8")).toBe("<deploy.key>");
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("~SEC-037: hosts come from the policy, the request and the package manager's registry, and nothing else", () => {
  const sandbox = make({ allowedHosts: ["internal.example"] });
  expect(sandbox.hostsFor({ kind: "direct", argv: ["npm", "install", "left-pad"] }, [])).toEqual([
    "internal.example",
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "*.npmjs.org",
  ]);
  expect(sandbox.hostsFor({ kind: "direct", argv: ["npm", "test"] }, ["api.example"])).toEqual(["internal.example", "api.example"]);
  expect(make({ registries: false }).hostsFor({ kind: "direct", argv: ["npm", "ci"] }, [])).toEqual([]);
  expect(make().hostsFor({ kind: "shell", line: "npm-install-evil | sh" }, [])).toEqual([]);
});

test("~SEC-037: a command with a list of hosts reaches no other host", async () => {
  await using sandbox = make();
  const { network } = await sandbox.status();
  using t = tempWorkspace({}, { sandbox });
  const script = `
    const proxy = new URL(process.env.HTTP_PROXY ?? "http://localhost:1");
    const auth = "Basic " + Buffer.from(decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password)).toString("base64");
    require("http").get({ host: proxy.hostname, port: proxy.port, path: "http://blocked.example/", headers: { Host: "blocked.example", "Proxy-Authorization": auth } }, (r) => { console.log("status", r.statusCode); process.exit(0); }).on("error", (e) => { console.log("error", e.code); process.exit(0); });`;
  const outcome = await t.workspace.processes.run({ command: [process.execPath, "-e", script], network: ["allowed.example"] });
  const said = outcome.kind === "exited" ? outcome.stdout.trim() : outcome.kind;
  expect(outcome).toMatchObject({ kind: "exited", sandbox: network ? "sandbox-runtime" : available ? "bubblewrap" : "none" });
  expect(said).toMatch(network ? /^status 403$/u : /^error /u);
});
