/**
 * The attacker is the model, or a clone. Files for secrets are covered where their links really lead: he puts a link of such
 * a name on the file that judges his work, or on the programs that every command needs, and wants the check to see nothing
 * and pass, or no command to run at all.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";
import { victim } from "../support.ts";

const RED = 'import test from "node:test";\ntest("never", () => { throw new Error("red"); });\n';

function commitAll(root: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=M", "-c", "user.email=m@example.org", ...args], { stdio: "ignore" });
  git("init", "-q");
  git("add", "-f", "-A");
  git("commit", "-q", "-m", "all");
}

/** A project whose tests fail, in a home folder: what lies below the temporary folder is not seen from inside. */
function failingProject(): string {
  const root = tempDir("linked-check");
  mkdirSync(path.join(root, "test"));
  writeFileSync(path.join(root, "test/a.test.mjs"), RED);
  writeFileSync(path.join(root, "rules.txt"), "strict\n");
  return root;
}

test.skipIf(NO_SANDBOX !== undefined)("a link that a command makes takes nothing away from a later check, a folder or a file", async () => {
  const root = failingProject();
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  const check = "node --test test/*.test.mjs; cat rules.txt";
  expect((await run(workspace, check)).said).toContain("fail 1");
  await run(workspace, "ln -s test .env.x && ln -s rules.txt .env.y && ln -s test/a.test.mjs key.pem");
  // What lies in the folder is looked at anew every few seconds.
  await using later = sandboxedWorkspace(root, sandboxWith());
  for (const one of [workspace, later]) expect((await run(one, "node --test test/*.test.mjs")).said).toContain("fail 1");
  expect((await run(workspace, "cat rules.txt")).said).toBe("strict\n");
});

test.skipIf(NO_SANDBOX !== undefined)("a link that a clone brings takes nothing away, and stops no command", async () => {
  const root = failingProject();
  for (const [name, to] of [
    [".env.ci", "test"],
    [".env.one", "test/a.test.mjs"],
    [".env.two", "rules.txt"],
    [".env", ".env"],
    [".env.sh", "/bin/sh"],
    [".env.null", "/dev/null"],
    [".env.self", "/proc/self"],
    [".env.root", "/"],
  ] as const)
    symlinkSync(to, path.join(root, name));
  commitAll(root);
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  expect((await run(workspace, "node --test test/*.test.mjs")).said).toContain("fail 1");
  expect(await run(workspace, "cat rules.txt > /dev/null && echo runs")).toEqual({ code: 0, said: "runs\n" });
});

test.skipIf(NO_SANDBOX !== undefined)(
  "nor does one that came with an archive, to a folder, a program or a file of the machine",
  async () => {
    const root = failingProject();
    writeFileSync(path.join(root, "run.sh"), "#!/bin/sh\necho program runs\n", { mode: 0o755 });
    symlinkSync("test", path.join(root, ".env.ci"));
    symlinkSync("run.sh", path.join(root, ".env.run"));
    symlinkSync("/etc/passwd", path.join(root, ".env"));
    await using workspace = sandboxedWorkspace(root, sandboxWith());
    expect((await run(workspace, "node --test test/*.test.mjs")).said).toContain("fail 1");
    expect((await run(workspace, "./run.sh && head -c 4 /etc/passwd")).said).toBe("program runs\nroot");
  },
);

test.skipIf(NO_SANDBOX !== undefined)("a link to a secret elsewhere is still covered where it leads, and says so", async () => {
  const { base } = victim();
  const [root, kept] = [path.join(base, "work"), path.join(base, "kept")];
  for (const dir of [root, kept]) mkdirSync(dir);
  writeFileSync(path.join(kept, "app"), "KEY=elsewhere\n");
  symlinkSync(path.join(kept, "app"), path.join(root, ".env"));
  await using workspace = sandboxedWorkspace(root, sandboxWith({ writable: [kept] }));
  for (const file of [".env", path.join(kept, "app")])
    expect(await run(workspace, `cat ${file}`)).toEqual({ code: 1, said: `cat: ${file}: Permission denied\n` });
});

test.skipIf(NO_SANDBOX !== undefined)("a secret elsewhere is covered whatever git and its mode say of the link that names it", async () => {
  const { base } = victim();
  const root = path.join(base, "work");
  mkdirSync(path.join(base, "shared"));
  mkdirSync(root);
  writeFileSync(path.join(base, "shared/.env"), "KEY=elsewhere\n", { mode: 0o755 });
  chmodSync(path.join(base, "shared/.env"), 0o755);
  symlinkSync("../shared/.env", path.join(root, ".env"));
  commitAll(root);
  await using workspace = sandboxedWorkspace(root, sandboxWith({ writable: [path.join(base, "shared")] }));
  expect(await run(workspace, "cat .env ../shared/.env")).toMatchObject({ code: 1, said: expect.not.stringContaining("KEY") as string });
});

test.skipIf(NO_SANDBOX !== undefined)("places of keys that lead round and round, or to everything, stop no command", async () => {
  const base = tempDir("odd-home");
  const home = path.join(base, "home");
  mkdirSync(path.join(home, ".config"), { recursive: true });
  symlinkSync(".ssh", path.join(home, ".ssh"));
  symlinkSync("/", path.join(home, ".claude"));
  // Many people keep no history.
  symlinkSync("/dev/null", path.join(home, ".bash_history"));
  mkdirSync(path.join(home, ".config/gh"));
  writeFileSync(path.join(home, ".config/gh/hosts.yml"), "token: x\n");
  chmodSync(path.join(home, ".config"), 0o700);
  await using workspace = sandboxedWorkspace(base, sandboxWith({}, home));
  expect(await run(workspace, "cat home/.config/gh/hosts.yml; : > /dev/null && echo runs")).toMatchObject({
    code: 0,
    said: expect.stringContaining("runs") as string,
  });
});

test.skipIf(NO_SANDBOX !== undefined)("more files for secrets than can be covered are named in words", async () => {
  const root = tempDir("many-secrets");
  for (let i = 0; i < 3_200; i += 1) writeFileSync(path.join(root, `.env.${i}`), "");
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  await expect(run(workspace, "true")).rejects.toMatchObject({ code: "SANDBOX_TOO_MANY_PLACES" });
});
