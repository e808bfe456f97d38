/** A folder that cannot be worked in is named in words, whatever was to be done there. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { victim } from "../hostile/support.ts";
import { MAIN } from "../support/built-command.ts";

const FIX = "\n  fix: check the path given to -C, and your rights there\n";

test("what -C names and is no folder, or leads nowhere, is said in words", async () => {
  const { base, sylk } = victim();
  writeFileSync(path.join(base, "file"), "");
  symlinkSync("loop", path.join(base, "loop"));
  const said = async (name: string): Promise<unknown> => sylk(base, "-C", name, "task", "list");
  expect(await said("none")).toMatchObject({ code: 2, out: "", err: `error: there is no folder ${base}/none${FIX}` });
  expect(await said("file")).toMatchObject({ code: 2, out: "", err: `error: ${base}/file is no folder${FIX}` });
  expect(await said("loop")).toMatchObject({ code: 2, out: "", err: `error: you may not look into ${base}/loop (ELOOP)${FIX}` });
});

test("a folder that is deleted under one's feet is said in words", () => {
  const { base, env } = victim();
  const gone = path.join(base, "gone");
  mkdirSync(gone);
  const lines = `cd gone && rmdir ../gone && exec "$0" "$1" task list`;
  const ended = spawnSync("/bin/sh", ["-c", lines, process.execPath, MAIN], { cwd: base, env, encoding: "utf8" });
  expect(ended).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "error: the folder you stand in is gone\n  fix: go to another one (cd ~) and try again\n",
  });
});

const isRoot = process.getuid?.() === 0;
test.skipIf(isRoot)(
  `a folder without rights is said in words${isRoot ? " (left out: the administrator may look into every folder)" : ""}`,
  async () => {
    const { base, sylk } = victim();
    const closed = path.join(base, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0);
    const words = [["search", "x"], ["task", "start", "x"], ["trust", "status"], ["doctor"]];
    for (const line of words)
      expect(await sylk(base, "-C", "closed", ...line)).toMatchObject({
        code: 2,
        out: "",
        err: `error: you may not look into ${closed} (EACCES)${FIX}`,
      });
    chmodSync(closed, 0o700);
  },
);
