import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { putFiles, tempFolder, tempWorkspace } from "../../test/support/temp-workspace.ts";
import { sha256 } from "../kernel/index.ts";
import type { WorkspaceAction } from "./gate.ts";

const CHILD = path.resolve(import.meta.dirname, "../../test/support/trouble-child.ts");
const NOBODY = "65534";

interface Report {
  outcome?: { kind: string };
  error?: { code: string; tier: string; fix?: string; message: string };
}

function child(argv: readonly string[], env: Record<string, string> = {}): Report {
  const [file = "", ...args] = argv;
  const result = spawnSync(file, args, { encoding: "utf8", env: { ...process.env, ...env } });
  return JSON.parse(result.stdout || JSON.stringify({ error: { code: "NO_OUTPUT", tier: "", message: result.stderr } })) as Report;
}

function folder(files: Record<string, string>): { root: string } & Disposable {
  const base = tempFolder("trouble");
  chmodSync(base, 0o777);
  const root = path.join(base, "project");
  mkdirSync(root);
  chmodSync(root, 0o777);
  putFiles(root, files);
  return { root, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

test("a folder whose name needs quotes is named so that the command can be typed", () => {
  using f = folder({ "lock ed/a.txt": "old\n" });
  chmodSync(path.join(f.root, "lock ed"), 0o555);
  const report = child([process.execPath, CHILD, "write", f.root, NOBODY, "lock ed/a.txt"]);
  chmodSync(path.join(f.root, "lock ed"), 0o755);
  expect(report.error).toMatchObject({ fix: expect.stringContaining(`ls -ld '${path.join(f.root, "lock ed")}'`) as string });
});

test("TOO-040: a folder without write permission is an error a person can act on, and nothing changes", () => {
  using f = folder({ "locked/a.txt": "old\n" });
  chmodSync(path.join(f.root, "locked"), 0o555);
  const report = child([process.execPath, CHILD, "write", f.root, NOBODY]);
  chmodSync(path.join(f.root, "locked"), 0o755);
  expect(report.error).toMatchObject({
    code: "FILE_NO_PERMISSION",
    tier: "user_fixable",
    fix: `look at the folder's owner and mode with: ls -ld ${path.join(f.root, "locked")}`,
  });
  expect(readdirSync(path.join(f.root, "locked"))).toEqual(["a.txt"]);
  expect(readFileSync(path.join(f.root, "locked/a.txt"), "utf8")).toBe("old\n");
});

test("when the disk takes no more, no file of the set has changed and no debris is left", () => {
  using f = folder({ "small.txt": "old\n", "big.txt": "old\n" });
  // A limit on file sizes fails the second file half way, as a full disk does.
  const report = child(["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", process.execPath, CHILD, "write-big", f.root]);
  expect(report.error).toMatchObject({ code: "FILE_WRITE_FAILED" });
  expect(readdirSync(f.root).sort()).toEqual(["big.txt", "small.txt"]);
  expect([readFileSync(path.join(f.root, "small.txt"), "utf8"), readFileSync(path.join(f.root, "big.txt"), "utf8")]).toEqual([
    "old\n",
    "old\n",
  ]);
});

test("without a git binary the error says what to install", () => {
  using f = folder({ "a.txt": "x" });
  const report = child([process.execPath, CHILD, "repository", f.root], { PATH: "/nonexistent" });
  expect(report.error).toMatchObject({
    code: "GIT_MISSING",
    tier: "user_fixable",
    fix: "install git (2.20 or newer) and make sure it is on PATH",
  });
});

test("a root that is not there, or is a file, is refused with the remedy", () => {
  const base = tempFolder("trouble");
  writeFileSync(path.join(base, "file"), "");
  for (const root of [path.join(base, "none"), path.join(base, "file")]) {
    expect(() => tempWorkspace({}, { root })).toThrow(
      expect.objectContaining({ code: "WORKSPACE_NO_ROOT", fix: "start in a project folder, or name one with -C" }),
    );
  }
  rmSync(base, { recursive: true });
});

/** Changes the files after the plan was made and before it is written: while permission is asked. */
function meddling(
  files: Record<string, string>,
  meddle: (root: string, action: WorkspaceAction) => void,
): ReturnType<typeof tempWorkspace> {
  const t: ReturnType<typeof tempWorkspace> = tempWorkspace(files, {
    deny: (action) => {
      if (action.kind === "write") meddle(t.root, action);
      return undefined;
    },
  });
  return t;
}

test("~CCY-074: a whole-file write never overwrites what someone saved in between", async () => {
  using t = meddling({ "a.txt": "old\n" }, (root) => writeFileSync(path.join(root, "a.txt"), "saved by the user\n"));
  expect(await t.workspace.files.apply([{ kind: "write", path: "a.txt", content: "mine\n" }])).toEqual({
    kind: "stale",
    path: "a.txt",
    expected: sha256("old\n"),
    actual: sha256("saved by the user\n"),
  });
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("saved by the user\n");
});

test("an exact edit is applied to what is there now, if it still fits", async () => {
  using t = meddling({ "a.txt": "one\ntwo\n" }, (root) => writeFileSync(path.join(root, "a.txt"), "zero\none\ntwo\n"));
  expect(await t.workspace.files.apply([{ kind: "edit", path: "a.txt", edits: [{ find: "two", replace: "2" }] }])).toMatchObject({
    kind: "changed",
  });
  expect(readFileSync(path.join(t.root, "a.txt"), "utf8")).toBe("zero\none\n2\n");
});

test("a file created meanwhile is not replaced, and the earlier files of the set are put back", async () => {
  using t = meddling({ "a.txt": "old a\n", "b.txt": "old b\n" }, (root, action) => {
    if (action.kind === "write" && action.path === "c.txt") writeFileSync(path.join(root, "c.txt"), "the user's\n");
  });
  const outcome = await t.workspace.files.apply([
    { kind: "write", path: "a.txt", content: "new a\n" },
    { kind: "delete", path: "b.txt" },
    { kind: "create", path: "c.txt", content: "mine\n" },
  ]);
  expect(outcome).toMatchObject({ kind: "stale", path: "c.txt", expected: null });
  expect(["a.txt", "b.txt", "c.txt"].map((name) => readFileSync(path.join(t.root, name), "utf8"))).toEqual([
    "old a\n",
    "old b\n",
    "the user's\n",
  ]);
  expect(readdirSync(t.root).sort()).toEqual(["a.txt", "b.txt", "c.txt"]);
});

test("a folder swapped for a link to elsewhere while permission is asked does not lead the write outside", async () => {
  const elsewhere = tempFolder("elsewhere");
  using t = meddling({ "sub/a.txt": "old\n" }, (root) => {
    rmSync(path.join(root, "sub"), { recursive: true, force: true });
    execFileSync("ln", ["-s", elsewhere, path.join(root, "sub")]);
  });
  const outcome = await t.workspace.files.apply([{ kind: "write", path: "sub/a.txt", content: "mine\n" }]);
  expect(outcome.kind).toBe("outside");
  expect(readdirSync(elsewhere)).toEqual([]);
  rmSync(elsewhere, { recursive: true });
});
