/**
 * The attacker's command wants to take the whole machine (processes, memory, disk), and to see or change
 * what lies outside its folder. The person's side of it: project, tools and runtime are there wherever
 * they stand, also below the temporary folder and under odd names.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { canCountProcesses, openBound, type Bound } from "../../../src/workspace/sandbox/bounds.ts";
import { testSandbox } from "../../../src/workspace/test-sandbox.ts";
import { openWorkspace } from "../../../src/workspace/open-workspace.ts";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { defaultSandboxPolicy } from "../../support/sandbox-policy.ts";
import { tempDir } from "../../support/temp.ts";

const SMALL = { memoryMb: 1_024, openFiles: 256, fileMb: 8, processes: 48, tempMb: 4 };

test.skipIf(NO_SANDBOX !== undefined || !canCountProcesses())("M8: one command cannot start processes without end", async () => {
  await using workspace = sandboxedWorkspace(tempDir("fork"), sandboxWith({ limits: SMALL }));
  const line = "i=0; while [ $i -lt 400 ]; do sleep 20 >/dev/null 2>&1 & i=$((i+1)); echo $i > count; done";
  await run(workspace, line);
  const seen = await run(workspace, "cat count");
  expect(Number(seen.said)).toBeLessThanOrEqual(SMALL.processes);
  // Its end frees them all: the next command starts.
  expect(await run(workspace, "echo ok")).toEqual({ code: 0, said: "ok\n" });
});

/** How a command in a bound begins: in which group, and whether it ran. */
function begun(bound: Bound) {
  const [program = "", ...words] = bound.join(["cat", "/proc/self/cgroup"]);
  const door = words.find((word) => word.startsWith("/sys/fs/cgroup")) ?? "";
  return { group: path.dirname(door), ran: () => spawnSync(program, words, { encoding: "utf8" }) };
}

const HAS_GROUPS = ((): boolean => {
  const bound = openBound(SMALL);
  bound.release();
  return bound.counts;
})();

test.skipIf(!HAS_GROUPS)(
  "a group that somebody took away does not leave the next command unbounded; one that cannot be entered starts none",
  () => {
    const first = openBound(SMALL);
    const { group } = begun(first);
    first.release();
    // As a Sylk in a container does, which takes it for left behind: it does not see this process.
    rmdirSync(group);
    const second = openBound(SMALL);
    const next = begun(second);
    expect(next.group).not.toBe(group);
    expect(next.ran().stdout).toContain(path.basename(next.group));
    rmdirSync(next.group);
    expect(next.ran()).toMatchObject({
      status: 125,
      stdout: "",
      stderr: expect.stringContaining("not started: the control group") as string,
    });
    second.release();
  },
);

test.skipIf(NO_SANDBOX !== undefined)("M8: private temporary folders and hidden ones hold no more than they may", async () => {
  const home = tempDir("home");
  mkdirSync(path.join(home, ".ssh"));
  await using workspace = sandboxedWorkspace(tempDir("temp"), sandboxWith({ limits: SMALL }, home));
  for (const place of ["/tmp", "/dev/shm", `${home}/.ssh`]) {
    const filled = await run(workspace, `head -c 7000000 /dev/zero > ${place}/fill && echo all`);
    expect(filled.said).not.toContain("all\n");
  }
  expect((await run(workspace, "head -c 9000000 /dev/zero > big && echo all")).said).not.toContain("all\n");
  expect((await run(workspace, "ulimit -n; ulimit -c")).said).toBe("256\n0\n");
});

test.skipIf(NO_SANDBOX !== undefined)(
  "~SEC-029: project and tools are there below the temporary folder, with blanks and other letters in their names",
  async () => {
    const base = path.join(tempDir("place"), "mein Ordner – ünï 'x' 日本");
    const root = path.join(base, "project");
    const bin = path.join(base, "tools/bin");
    const neighbour = path.join(base, "other");
    for (const dir of [root, bin, neighbour]) mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(bin, "mytool"), "#!/bin/sh\necho tool runs\n");
    chmodSync(path.join(bin, "mytool"), 0o755);
    writeFileSync(path.join(neighbour, "secret"), "neighbour");
    await using workspace = openWorkspace({
      root,
      sandbox: sandboxWith(),
      clock: systemClock,
      redact: (text) => text,
      gate: { decide: () => Promise.resolve({ kind: "allow", rule: "test", onlySandboxed: true }) },
      parentEnv: { ...process.env, PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}` },
    });
    expect(await run(workspace, ["mytool"])).toEqual({ code: 0, said: "tool runs\n" });
    expect(await run(workspace, [process.execPath, "-e", "console.log('node runs')"])).toEqual({ code: 0, said: "node runs\n" });
    expect(await run(workspace, "echo in > 'a b' && cat 'a b'")).toEqual({ code: 0, said: "in\n" });
    expect((await run(workspace, "cat ../other/secret; echo x > ../tools/bin/mytool; ls ..")).said).not.toContain("neighbour");
    expect(readdirSync(root)).toEqual(["a b"]);
  },
);

test("L7: without a sandbox nothing is called kept", async () => {
  const checks = await testSandbox({
    policy: defaultSandboxPolicy,
    clock: systemClock,
    folder: tempDir("trial"),
    searchPath: "/nonexistent",
  });
  expect(checks.filter((check) => check.result === "kept")).toEqual([]);
  expect(checks.every((check) => check.detail !== "")).toBe(true);
});

test.skipIf(NO_SANDBOX !== undefined)("L7: a sandbox that hides nothing and shares all is called broken", async () => {
  const folder = path.join(process.cwd(), ".reports/trial");
  const checks = await testSandbox({ policy: { ...defaultSandboxPolicy, writable: ["/var/tmp", folder] }, clock: systemClock, folder });
  expect(checks.find((check) => check.name === "it cannot write elsewhere")).toMatchObject({ result: "broken" });
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

test.skipIf(NO_SANDBOX !== undefined)("~SEC-033: a command has no capability, not even the administrator's", async () => {
  await using workspace = sandboxedWorkspace(tempDir("caps"), sandboxWith());
  const { said } = await run(workspace, "grep -E '^Cap(Prm|Eff|Bnd)' /proc/self/status");
  expect(said.match(/\b[0-9a-f]{16}\b/gu)).toEqual(Array<string>(3).fill("0".repeat(16)));
});

test.skipIf(NO_SANDBOX !== undefined)("~SEC-017: a secret file that is a link is hidden where it leads to", async () => {
  const root = tempDir("linked");
  writeFileSync(path.join(root, "plain-name"), "API_KEY=hidden-behind-a-link\n");
  symlinkSync("plain-name", path.join(root, ".env"));
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  expect((await run(workspace, "cat .env plain-name; echo end")).said).not.toContain("hidden-behind-a-link");
});
