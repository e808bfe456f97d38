/**
 * The attacker is a clone, or the model, whose commands run in the sandbox. Folders of installed packages and of tools are
 * shown again where a hidden place covers them: he plants links by which another folder seems to be one. What is hidden
 * is hidden by its place: he moves it, or waits for a variable that names something every program needs.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";

function put(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test.skipIf(NO_SANDBOX !== undefined).each([
  ["the process's own folder", (root: string, link: string) => link.replace(root, "/proc/self/cwd")],
  ["its root", (_root: string, link: string) => `/proc/self/root${link}`],
  ["a path as it is", (_root: string, link: string) => link],
])("what only seems to be installed packages, by %s, is not opened", async (_by, written) => {
  const root = tempDir("seeming");
  const work = path.join(root, "work");
  put(path.join(root, ".gnupg/private/key"), "secret-of gnupg\n");
  mkdirSync(path.join(work, "evil"), { recursive: true });
  mkdirSync(path.join(work, "node_modules"));
  symlinkSync(path.join(root, ".gnupg/private"), path.join(work, "evil/node_modules"));
  symlinkSync(written(work, path.join(work, "evil/node_modules/key")), path.join(work, "node_modules/x"));
  const stood = process.cwd();
  process.chdir(work);
  try {
    await using workspace = sandboxedWorkspace(work, sandboxWith({}, root));
    expect((await run(workspace, "cat node_modules/x evil/node_modules/key; ls evil/node_modules/; echo end")).said).not.toContain(
      "secret-of",
    );
  } finally {
    process.chdir(stood);
  }
});

test.skipIf(NO_SANDBOX !== undefined)("a hidden file stays hidden: the folders on the way to it cannot be moved", async () => {
  const root = tempDir("moved-away");
  const home = path.join(root, "home");
  put(path.join(root, "work/app/conf/.env"), "secret-of the app\n");
  put(path.join(root, "work/app/conf/plain"), "plain\n");
  put(path.join(home, ".cache/huggingface/token"), "secret-of a hub\n");
  const policy = { writable: [path.join(home, ".cache")] };
  const work = path.join(root, "work");
  const moves = [
    "mkdir -p app/node_modules node_modules; mv app/conf app/node_modules/conf; mv app/conf dist/conf; mv app node_modules/app",
    `mv ${home}/.cache/huggingface ${home}/.cache/other`,
  ].join("; ");
  for (let i = 0; i < 2; i += 1) {
    await using workspace = sandboxedWorkspace(work, sandboxWith(policy, home));
    const { said } = await run(workspace, `mkdir -p dist; ${moves}; grep -rh . ${work} ${home}/.cache`);
    expect(said).not.toContain("secret-of");
    expect(said).toContain("plain");
  }
  // The folder itself is worked in as any other.
  await using workspace = sandboxedWorkspace(work, sandboxWith(policy, home));
  expect(await run(workspace, "echo more >> app/conf/plain && mv app/conf/plain app/conf/other && cat app/conf/other")).toEqual({
    code: 0,
    said: "plain\nmore\n",
  });
  expect(readFileSync(path.join(work, "app/conf/.env"), "utf8")).toBe("secret-of the app\n");
});

test.skipIf(NO_SANDBOX !== undefined)("a variable that names a device takes nothing away, and no limit depends on one", async () => {
  const root = tempDir("named-device");
  put(path.join(root, "home/.profile"), "umask 022\n");
  const env = { KUBECONFIG: "/dev/null", HISTFILE: "/dev/null", NPM_CONFIG_USERCONFIG: "/dev/null", NETRC: "/proc/self/environ" };
  const limits = "ulimit -n; ulimit -f; ulimit -d";
  await using usual = sandboxedWorkspace(root, sandboxWith({}, path.join(root, "home")));
  await using named = sandboxedWorkspace(root, sandboxWith({}, path.join(root, "home"), undefined, env));
  const expected = await run(usual, limits);
  expect(expected.said).not.toContain("unlimited");
  expect(await run(named, limits)).toEqual(expected);
  expect(await run(named, "echo x > /dev/null && cat /dev/null && echo runs")).toEqual({ code: 0, said: "runs\n" });
});

test.skipIf(NO_SANDBOX !== undefined)("a tool in a folder that the person closed is not shown again", async () => {
  const base = path.join(process.cwd(), ".reports", `tool-closed-${process.pid}`);
  put(path.join(base, "closed/bin/mytool"), "echo tool runs\n");
  mkdirSync(path.join(base, "work"));
  try {
    const env = { ...process.env, PATH: `${process.env["PATH"]}:${base}/closed/bin` };
    await using workspace = sandboxedWorkspace(path.join(base, "work"), sandboxWith({ hidden: [path.join(base, "closed")] }), env);
    expect((await run(workspace, `sh '${base}/closed/bin/mytool'`)).said).not.toContain("tool runs");
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

test.skipIf(NO_SANDBOX !== undefined)("a tool beside a sign-in is found, also by a link, and the sign-in is not", async () => {
  const base = path.join(process.cwd(), ".reports", `tool-beside-${process.pid}`);
  const home = path.join(base, "home");
  put(path.join(home, ".docker/config.json"), "secret-of docker\n");
  put(path.join(home, ".docker/bin/mytool"), "#!/bin/sh\necho tool runs\n");
  mkdirSync(path.join(base, "work"));
  symlinkSync(path.join(home, ".docker/bin"), path.join(home, "bin"));
  try {
    await using workspace = sandboxedWorkspace(path.join(base, "work"), sandboxWith({}, home), {
      ...process.env,
      PATH: `${process.env["PATH"]}:${home}/bin`,
    });
    const { said } = await run(workspace, `sh '${home}/bin/mytool'; cat '${home}/.docker/config.json'`);
    expect(said).toContain("tool runs");
    expect(said).not.toContain("secret-of");
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
