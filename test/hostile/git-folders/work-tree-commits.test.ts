/**
 * The attacker runs commands in the sandbox of a task with a work tree of its own. He may commit on the
 * task's branch. He wants the repository's other folders, or a program of his started by Sylk's own git
 * when the person later looks at or merges the work.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openRepository } from "../../../src/workspace/git/open-repository.ts";
import type { WorkTree } from "../../../src/workspace/git/work-tree.ts";
import { NO_SANDBOX, run, sandboxWith, sandboxedWorkspace } from "../../support/sandboxed.ts";
import { tempDir } from "../../support/temp.ts";

interface Setup {
  base: string;
  root: string;
  work: WorkTree;
  git: (...args: string[]) => string;
  /** Everything in the repository's folder but what Sylk keeps for the tree itself. */
  repository: () => Record<string, string>;
}

async function setup(): Promise<Setup> {
  const base = tempDir("tree");
  const root = path.join(base, "project");
  mkdirSync(root);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: root, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A");
  git("config", "user.email", "a@b");
  writeFileSync(path.join(root, "a.js"), "one\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  const work = await (await openRepository({ root, stateDir: path.join(base, "state"), clock: systemClock })).createWorkTree({ id: "w" });
  const repository = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(path.join(root, ".git"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("sylk-copy"))
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => [path.relative(root, file), readFileSync(file, "latin1")]),
    );
  return { base, root, work, git, repository };
}

test.skipIf(NO_SANDBOX !== undefined)(
  "C4: what decides where a work tree belongs cannot be changed, and its filter is not run by a later merge",
  async () => {
    const { base, root, work } = await setup();
    const mark = path.join(base, "PWNED");
    await using workspace = sandboxedWorkspace(work.path, sandboxWith());
    const admin = path.join(root, ".git/worktrees/w");
    await run(
      workspace,
      `mkdir eg && cp -r ${root}/.git/. eg/ && printf '[filter "evil"]\\n clean = sh -c "id > ${mark}; cat"\\n' >> eg/config
     printf '*.js filter=evil\\n' > .gitattributes; echo two > a.js
     echo "$PWD/eg" > ${admin}/commondir; echo "gitdir: $PWD/eg" > .git; cp eg/config ${admin}/config.worktree`,
    );
    expect(readFileSync(path.join(admin, "commondir"), "utf8")).toBe("../..\n");
    await using person = sandboxedWorkspace(root, sandboxWith());
    await person.merging.plan(work);
    await work.diff();
    await work.commit({ message: "all" });
    expect(existsSync(mark)).toBe(false);
  },
);

test.skipIf(NO_SANDBOX !== undefined)(
  "C4: commands change nothing in the repository: no objects lost, no other branch, no settings, no hooks",
  async () => {
    const { root, work, repository } = await setup();
    await using workspace = sandboxedWorkspace(work.path, sandboxWith());
    const before = repository();
    const admin = path.join(root, ".git/worktrees/w");
    for (const line of [
      `rm -rf ${root}/.git/objects/* ${root}/.git/refs/heads/* ${root}/.git/logs/*`,
      `echo evil > ${root}/.git/hooks/pre-commit; git config core.fsmonitor ./evil.sh; git config --worktree core.pager ./evil.sh`,
      `git update-ref refs/heads/main HEAD~0; git branch -f sylk/other; git symbolic-ref HEAD refs/heads/main`,
      `rm -rf ${admin}/*; ln -s /etc/passwd ${admin}/index; ln -s /etc/passwd ${admin}/HEAD`,
      `echo /etc > ${root}/.git/objects/info/alternates; echo '* filter=evil' > ${root}/.git/info/attributes`,
    ])
      await run(workspace, line);
    expect(repository()).toEqual(before);
  },
);

test.skipIf(NO_SANDBOX !== undefined)("C4: a commit on the task's branch is taken over, with all it needs and nothing else", async () => {
  const { base, root, work, git } = await setup();
  const bashrc = path.join(base, ".bashrc");
  writeFileSync(bashrc, "mine\n");
  await using workspace = sandboxedWorkspace(work.path, sandboxWith());
  const made = await run(
    workspace,
    "echo two > a.js && git add -A && git commit -qm two && echo three > b.js && git add -A && git commit -qm three",
  );
  expect(made).toMatchObject({ code: 0 });
  expect(git("log", "--format=%s", "sylk/w")).toBe("three\ntwo\nfirst");
  expect(git("fsck", "--full")).toBe("");
  expect((await run(workspace, "git status --porcelain && git log -1 --format=%s")).said).toBe("three\n");
  // A reflog that is a link, an object under a wrong name, a branch that names nothing.
  const common = path.join(root, ".git");
  await run(workspace, `ln -sf ${bashrc} ${common}/logs/refs/heads/sylk/w; ln -sf ${bashrc} ${common}/worktrees/w/logs/HEAD`);
  await run(
    workspace,
    `mkdir -p ${common}/objects/00; echo x > ${common}/objects/00/${"0".repeat(38)}; echo ${"0".repeat(39)}1 > ${common}/refs/heads/sylk/w`,
  );
  writeFileSync(path.join(work.path, "c.js"), "four\n");
  expect(await work.commit({ message: "; touch evil" })).toMatchObject({ kind: "committed", files: ["c.js"] });
  expect(git("log", "-1", "--format=%s", "sylk/w")).toBe("; touch evil");
  expect(readFileSync(bashrc, "utf8")).toBe("mine\n");
  expect(existsSync(path.join(common, "objects/00", "0".repeat(38)))).toBe(false);
  expect(git("fsck", "--full")).toBe("");
});

test.skipIf(NO_SANDBOX !== undefined)(
  "C4: an object whose bytes are not what its name says does not come along with a commit",
  async () => {
    const { root, work, git } = await setup();
    await using workspace = sandboxedWorkspace(work.path, sandboxWith());
    const objects = path.join(root, ".git/objects");
    const wrong = path.join("11", "1".repeat(38));
    const made = await run(
      workspace,
      `echo five > d.js && git add -A && git commit -qm five && o=$(git rev-parse HEAD:d.js) && mkdir -p ${objects}/11 && ` +
        `cp ${objects}/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-) ${objects}/${wrong}`,
    );
    expect(made).toMatchObject({ code: 0 });
    expect(git("log", "-1", "--format=%s", "sylk/w")).toBe("five");
    expect(existsSync(path.join(objects, wrong))).toBe(false);
  },
);

test.skipIf(NO_SANDBOX !== undefined)("what Sylk committed between two commands is still on the branch after the second", async () => {
  const { work } = await setup();
  await using workspace = sandboxedWorkspace(work.path, sandboxWith());
  await run(workspace, "echo two > a.js");
  await work.commit({ message: "by Sylk" });
  const head = await work.head();
  await run(workspace, "echo three > b.js");
  expect(await work.head()).toBe(head);
  await run(workspace, "git add -A && git commit -qm 'by a command'");
  expect((await work.log(head)).map(({ message }) => message)).toEqual(["by a command"]);
});
