/** `swapped-repositories.test.ts` goes on here with what takes longer. */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { withSubmodules, noticeOf } from "./swapped-repositories.ts";

const evil = (folder: string, mark: string): string =>
  `rm -rf ${folder}/.git; git init -q ${folder} && git -C ${folder} config core.fsmonitor "sh -c 'id > ${mark}'"`;

test.skipIf(NO_SANDBOX !== undefined)("R4: a submodule cannot be swapped by renaming a folder on the way to it", async () => {
  const { root, mark, git } = withSubmodules();
  await using workspace = sandboxedWorkspace(root, sandboxWith());
  for (const folder of ["sub", "vendor/deep/lib", "vendor/deep", "vendor", "node_modules/own", "node_modules"]) {
    const module = folder.startsWith("v") ? "vendor/deep/lib" : folder.startsWith("n") ? "node_modules/own" : "sub";
    await run(workspace, `mv ${folder} ${folder}.old && cp -r ${folder}.old ${folder}; ${evil(module, mark)}`);
    git("status");
    expect([folder, existsSync(mark)]).toEqual([folder, false]);
    expect(lstatSync(path.join(root, module, ".git")).isFile()).toBe(true);
  }
  // Work in a submodule goes on.
  expect(await run(workspace, "echo y > sub/y.js && mv sub/y.js sub/z.js && git -C sub status --porcelain")).toEqual({
    code: 0,
    said: "?? z.js\n",
  });
});

test.skipIf(NO_SANDBOX !== undefined)(
  "R4: a repository made where a submodule belongs, or anywhere else, is put aside and told of",
  async () => {
    const { root, mark, git } = withSubmodules();
    await using workspace = sandboxedWorkspace(root, sandboxWith());
    for (const folder of ["empty", "new/deep", "build/out"]) {
      const notice = await noticeOf(workspace, `mkdir -p ${folder}; ${evil(folder, mark)}; chmod 555 ${folder}`);
      expect(notice).toContain(`${folder}/.git appeared`);
      git("status");
      execFileSync("git", ["status"], { cwd: path.join(root, folder) });
      expect([folder, existsSync(mark)]).toEqual([folder, false]);
      expect(readdirSync(path.join(root, folder))).toEqual([".git.made-by-a-command"]);
    }
    expect(await noticeOf(workspace, `mkdir x && echo "gitdir: $PWD/empty/.git.made-by-a-command" > x/.git`)).toContain("x/.git appeared");
    expect(await noticeOf(workspace, "mkdir y && ln -s ../empty/.git.made-by-a-command y/.git")).toContain("y/.git appeared");
  },
);
