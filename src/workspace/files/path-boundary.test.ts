import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/support/temp-workspace.ts";
import { createPathBoundary, type PathBoundary } from "./path-boundary.ts";

interface Scene extends Disposable {
  base: string;
  root: string;
  boundary: PathBoundary;
}

/** A project with every kind of link, a sibling whose name begins the same, and a secret outside. */
function scene(options: { followSymlinks?: boolean } = {}): Scene {
  const base = tempFolder("boundary");
  const root = path.join(base, "app");
  mkdirSync(path.join(root, "src/deep"), { recursive: true });
  mkdirSync(path.join(base, "app-evil"));
  mkdirSync(path.join(base, "outside/dir"), { recursive: true });
  writeFileSync(path.join(base, "outside/secret.txt"), "s");
  writeFileSync(path.join(base, "app-evil/x.txt"), "s");
  writeFileSync(path.join(root, "src/a.ts"), "a");
  const link = (target: string, name: string): void => symlinkSync(target, path.join(root, name));
  link("src", "inner");
  link("../outside", "out");
  link(path.join(base, "outside/secret.txt"), "secret-link");
  link("../outside/new-file.txt", "dangling-out");
  link("missing.txt", "dangling-in");
  link("loop-b", "loop-a");
  link("loop-a", "loop-b");
  link("inner/deep", "chain");
  link("out/dir", "chain-out");
  link("/", "slash");
  link("..", "up");
  link("/proc/self/root", "proc");
  return {
    base,
    root,
    boundary: createPathBoundary({ root, ...options }),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

test("TOO-037 SEC-036 CCY-036: what names a place inside is accepted, under its real name", async () => {
  using s = scene();
  const cases: [string, string, boolean][] = [
    ["src/a.ts", "src/a.ts", true],
    ["./src//a.ts", "src/a.ts", true],
    ["src/../src/a.ts", "src/a.ts", true],
    [".", ".", true],
    ["new/nested/file.ts", "new/nested/file.ts", false],
    ["inner/a.ts", "src/a.ts", true],
    ["chain/new.ts", "src/deep/new.ts", false],
    ["..hidden", "..hidden", false],
    ["...", "...", false],
    ["up/app/src/a.ts", "src/a.ts", true],
    ["a b\tc", "a b\tc", false],
  ];
  for (const [input, name, exists] of cases) {
    expect({ input, ...(await s.boundary.resolve(input)) }).toEqual({
      input,
      kind: "inside",
      absolute: path.join(s.root, name),
      path: name,
      exists,
    });
  }
  expect(await s.boundary.resolve(path.join(s.root, "src/a.ts"))).toMatchObject({ kind: "inside", path: "src/a.ts" });
});

test("TOO-009 TOO-037 CCY-036: every known way out is refused", async () => {
  using s = scene();
  const escapes = [
    "..",
    "../",
    "../app-evil",
    "../app-evil/x.txt",
    `${s.root}-evil/x.txt`,
    `${s.root}/../app-evil/x.txt`,
    "src/../../outside/secret.txt",
    "src/deep/../../../outside/secret.txt",
    "./././../outside",
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "out",
    "out/secret.txt",
    "out/new.txt",
    "out/not/there/yet.txt",
    "secret-link",
    "dangling-out",
    "dangling-in",
    "dangling-in/below",
    "loop-a",
    "loop-a/x",
    "chain-out",
    "chain-out/x",
    "slash/etc/passwd",
    "up",
    "up/outside/secret.txt",
    "inner/../../outside/secret.txt",
    "proc/etc/passwd",
    "src/a.ts/below",
    "src/a.ts/../../../outside",
    "",
    "a\0b",
    "src/a.ts\0.png",
    "x".repeat(300),
    "y/".repeat(3_000),
  ];
  const accepted: string[] = [];
  for (const input of escapes) if ((await s.boundary.resolve(input)).kind === "inside") accepted.push(input);
  expect(accepted).toEqual([]);
});

test("nothing is ever written into git's folder or Sylk's record, however it is spelt", async () => {
  using s = scene();
  mkdirSync(path.join(s.root, ".git/hooks"), { recursive: true });
  mkdirSync(path.join(s.root, ".sylk"));
  symlinkSync(".git", path.join(s.root, "g"));
  const refused = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    "g/config",
    "src/../.git/x",
    ".git./config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/x",
    "GIT~1/config",
    ".sylk/sylk.db",
    ".sylk/sylk.db-wal",
    ".sylk/local/x",
    ".git",
  ];
  const allowed = [".gitignore", ".github/workflows/ci.yml", ".sylk/config.yaml", "git/x"];
  const writable: string[] = [];
  for (const input of [...refused, ...allowed]) if ((await s.boundary.resolveForWrite(input)).kind === "inside") writable.push(input);
  expect(writable).toEqual(allowed);
});

test("TOO-037: with links switched off a path through a link is refused, the same path without is not", async () => {
  using s = scene({ followSymlinks: false });
  expect((await s.boundary.resolve("inner/a.ts")).kind).toBe("outside");
  expect((await s.boundary.resolve("src/a.ts")).kind).toBe("inside");
});

test("~TOO-035 ~TOO-036: extra roots are allowed under their absolute name, their siblings are not", async () => {
  using s = scene();
  const boundary = createPathBoundary({ root: s.root, extraRoots: [path.join(s.base, "outside")] });
  const secret = path.join(realpathSync(s.base), "outside/secret.txt");
  expect(await boundary.resolve("out/secret.txt")).toEqual({ kind: "inside", absolute: secret, path: secret, exists: true });
  expect((await boundary.resolve(`${s.base}/outside2/x`)).kind).toBe("outside");
});

test("read-only roots can be read through a link and never written", async () => {
  using s = scene();
  const boundary = createPathBoundary({ root: s.root, readOnlyRoots: [path.join(s.base, "outside")] });
  expect((await boundary.resolve("out/secret.txt")).kind).toBe("inside");
  expect((await boundary.resolveForWrite("out/secret.txt")).kind).toBe("outside");
  expect((await boundary.resolveForWrite("src/a.ts")).kind).toBe("inside");
});
