import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { putFiles, tempWorkspace, type TempWorkspace } from "../../../test/support/temp-workspace.ts";
import { sha256, systemClock } from "../../kernel/index.ts";
import { openRepository, type Repository } from "./open-repository.ts";
import type { WorkTree } from "./work-tree.ts";

async function scene(
  files: Record<string, string>,
  options: Parameters<typeof tempWorkspace>[1] = {},
): Promise<{ t: TempWorkspace; repository: Repository; work: WorkTree } & Disposable> {
  const t = tempWorkspace(files, options);
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "first"],
  ])
    execFileSync("git", args, { cwd: t.root });
  const repository = await openRepository({ root: t.root, stateDir: path.join(t.base, "state"), clock: systemClock });
  return { t, repository, work: await repository.createWorkTree({ id: "w" }), [Symbol.dispose]: () => t[Symbol.dispose]() };
}

const read = (root: string, name: string): string => readFileSync(path.join(root, name), "utf8");

test("CCY-035 CCY-040 CCY-041: files only the work changed are applied as they are, with their modes; new and deleted ones too", async () => {
  using s = await scene({ "a.txt": "one\n", "b.txt": "two\n", "run.sh": "#!/bin/sh\n", "same.txt": "x\n" });
  putFiles(s.work.path, { "a.txt": "1\n", "deep/new.txt": "new\n" });
  rmSync(path.join(s.work.path, "b.txt"));
  chmodSync(path.join(s.work.path, "run.sh"), 0o755);
  const { merging } = s.t.workspace;
  const planned = await merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  expect(planned.plan.summary).toEqual([
    { path: "a.txt", how: "as_is" },
    { path: "b.txt", how: "deleted" },
    { path: "deep/new.txt", how: "as_is" },
    { path: "run.sh", how: "as_is" },
  ]);
  expect(planned.plan.combined).toBe(false);
  expect(await merging.apply(planned.plan)).toMatchObject({ kind: "changed" });
  expect(read(s.t.root, "a.txt")).toBe("1\n");
  expect(read(s.t.root, "deep/new.txt")).toBe("new\n");
  expect(existsSync(path.join(s.t.root, "b.txt"))).toBe(false);
  expect(statSync(path.join(s.t.root, "run.sh")).mode & 0o111).toBe(0o111);
  expect(await merging.plan(s.work)).toEqual({ kind: "nothing_to_merge" });
  expect(await s.work.discard()).toMatchObject({ kind: "discarded" });
});

test("~CCY-043: an edit the user made meanwhile is kept, and combined where that is safe", async () => {
  using s = await scene({ "a.ts": "export const a = 1;\nexport const b = 2;\n" });
  writeFileSync(path.join(s.work.path, "a.ts"), "export const a = 10;\nexport const b = 2;\n");
  writeFileSync(path.join(s.t.root, "a.ts"), "export const a = 1;\nexport const b = 20;\n");
  const planned = await s.t.workspace.merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  expect(planned.plan.summary).toEqual([{ path: "a.ts", how: "by_structure" }]);
  expect(planned.plan.combined).toBe(true);
  await s.t.workspace.merging.apply(planned.plan);
  expect(read(s.t.root, "a.ts")).toBe("export const a = 10;\nexport const b = 20;\n");
});

test("CCY-040 CCY-041 ~CCY-043: every dispute is reported with its versions, and nothing at all is written", async () => {
  using s = await scene({ "edit.txt": "old\n", "gone.txt": "old\n", "removed.txt": "old\n", "fine.txt": "old\n", "bin.dat": "a\0b" });
  putFiles(s.work.path, { "edit.txt": "ours\n", "gone.txt": "ours\n", "fine.txt": "ours\n", "new.txt": "ours\n", "bin.dat": "a\0ours" });
  rmSync(path.join(s.work.path, "removed.txt"));
  putFiles(s.t.root, { "edit.txt": "theirs\n", "removed.txt": "theirs\n", "new.txt": "theirs\n", "bin.dat": "a\0theirs" });
  rmSync(path.join(s.t.root, "gone.txt"));
  const outcome = await s.t.workspace.merging.plan(s.work);
  if (outcome.kind !== "conflicts") throw new Error(outcome.kind);
  expect(outcome.clean).toEqual(["fine.txt"]);
  expect(outcome.conflicts.map((conflict) => [conflict.path, conflict.reason])).toEqual([
    ["bin.dat", "binary"],
    ["edit.txt", "both_changed"],
    ["gone.txt", "changed_here_deleted_there"],
    ["new.txt", "both_created"],
    ["removed.txt", "deleted_here_changed_there"],
  ]);
  expect(outcome.conflicts[1]).toEqual({
    path: "edit.txt",
    reason: "both_changed",
    hunks: [{ line: 1, base: "old\n", ours: "ours\n", theirs: "theirs\n" }],
    marked: "<<<<<<< your folder\ntheirs\n||||||| before\nold\n=======\nours\n>>>>>>> the task\n",
    lost: { mine: ["ours"], task: ["theirs"] },
    base: sha256("old\n"),
    ours: sha256("ours\n"),
    theirs: sha256("theirs\n"),
  });
  expect(read(s.t.root, "fine.txt")).toBe("old\n");
  const resolved = await s.t.workspace.merging.plan(s.work, {
    resolutions: {
      "edit.txt": { content: "both\n" },
      "gone.txt": "keep_theirs",
      "new.txt": "take_ours",
      "removed.txt": "keep_theirs",
      "bin.dat": "keep_theirs",
    },
  });
  if (resolved.kind !== "ready") throw new Error(resolved.kind);
  await s.t.workspace.merging.apply(resolved.plan);
  expect([read(s.t.root, "edit.txt"), read(s.t.root, "new.txt"), read(s.t.root, "removed.txt"), read(s.t.root, "fine.txt")]).toEqual([
    "both\n",
    "ours\n",
    "theirs\n",
    "ours\n",
  ]);
  expect(existsSync(path.join(s.t.root, "gone.txt"))).toBe(false);
});

test("~CCY-044: a file the user saves between plan and merge stops the whole merge", async () => {
  using s = await scene({ "a.txt": "one\n", "b.txt": "two\n" });
  putFiles(s.work.path, { "a.txt": "1\n", "b.txt": "2\n" });
  const planned = await s.t.workspace.merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  writeFileSync(path.join(s.t.root, "b.txt"), "the user was here\n");
  expect(await s.t.workspace.merging.apply(planned.plan)).toMatchObject({ kind: "stale", path: "b.txt" });
  expect([read(s.t.root, "a.txt"), read(s.t.root, "b.txt")]).toEqual(["one\n", "the user was here\n"]);
  // Nothing of it counts as merged: thrown away by mistake, it is kept.
  expect(await s.work.discard()).toMatchObject({ kind: "kept", changed: ["a.txt", "b.txt"] });
});

test("a user who keeps their own file keeps its mode too", async () => {
  using s = await scene({ "run.sh": "old\n", "b.txt": "b\n" });
  putFiles(s.work.path, { "run.sh": "ours\n", "b.txt": "ours\n" });
  chmodSync(path.join(s.work.path, "run.sh"), 0o755);
  putFiles(s.t.root, { "run.sh": "theirs\n" });
  const planned = await s.t.workspace.merging.plan(s.work, { resolutions: { "run.sh": "keep_theirs" } });
  if (planned.kind !== "ready") throw new Error(planned.kind);
  expect(planned.plan.changes.map((change) => change.path)).toEqual(["b.txt"]);
  await s.t.workspace.merging.apply(planned.plan);
  expect([read(s.t.root, "run.sh"), statSync(path.join(s.t.root, "run.sh")).mode & 0o111]).toEqual(["theirs\n", 0]);
});

test("~CCY-045: the second of two works goes through the three-way path against the result of the first", async () => {
  using s = await scene({ "a.ts": 'import { a } from "./a.ts";\n\nrun(a);\n' });
  const second = await s.repository.createWorkTree({ id: "second", base: s.work.base });
  writeFileSync(path.join(s.work.path, "a.ts"), 'import { a } from "./a.ts";\nimport { b } from "./b.ts";\n\nrun(a);\n');
  writeFileSync(path.join(second.path, "a.ts"), 'import { a } from "./a.ts";\nimport { c } from "./c.ts";\n\nrun(a);\n');
  for (const work of [s.work, second]) {
    const planned = await s.t.workspace.merging.plan(work);
    if (planned.kind !== "ready") throw new Error(planned.kind);
    await s.t.workspace.merging.apply(planned.plan);
  }
  expect(read(s.t.root, "a.ts")).toBe('import { a } from "./a.ts";\nimport { b } from "./b.ts";\nimport { c } from "./c.ts";\n\nrun(a);\n');
});

test("a merge that stopped half way is completed by planning it again", async () => {
  using s = await scene({ "a.txt": "one\n", "b.txt": "two\n" });
  putFiles(s.work.path, { "a.txt": "1\n", "b.txt": "2\n" });
  writeFileSync(path.join(s.t.root, "a.txt"), "1\n");
  const planned = await s.t.workspace.merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  expect(planned.plan.summary).toEqual([{ path: "b.txt", how: "as_is" }]);
});

test("the gate is asked for every file of a merge, and its refusal stops all of it", async () => {
  using s = await scene(
    { "a.txt": "one\n", "b.txt": "two\n" },
    { deny: (action) => (action.kind === "write" && action.path === "b.txt" ? "locked" : undefined) },
  );
  putFiles(s.work.path, { "a.txt": "1\n", "b.txt": "2\n" });
  const planned = await s.t.workspace.merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  expect(await s.t.workspace.merging.apply(planned.plan)).toMatchObject({ kind: "refused", reason: "locked" });
  expect(read(s.t.root, "a.txt")).toBe("one\n");
});

test("a link that the work made is never written through", async () => {
  using s = await scene({ "a.txt": "one\n" });
  symlinkSync("/etc/passwd", path.join(s.work.path, "link"));
  expect(await s.t.workspace.merging.plan(s.work)).toMatchObject({
    kind: "conflicts",
    conflicts: [{ path: "link", reason: "not_a_file" }],
  });
});

test("files with Windows line endings keep them", async () => {
  using s = await scene({ "a.txt": "one\r\ntwo\r\n" });
  writeFileSync(path.join(s.work.path, "a.txt"), "one\r\ntwo\r\nthree\r\n");
  const planned = await s.t.workspace.merging.plan(s.work);
  if (planned.kind !== "ready") throw new Error(planned.kind);
  await s.t.workspace.merging.apply(planned.plan);
  expect(read(s.t.root, "a.txt")).toBe("one\r\ntwo\r\nthree\r\n");
});
