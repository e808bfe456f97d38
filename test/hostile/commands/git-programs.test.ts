/**
 * The attacker has: an unpacked repository, whose `.git` names programs (monitor, filters, hooks), and a machine
 * without a sandbox. He wants an agent's harmless looking git command to start them without a question.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openPermissions } from "../../../src/guard/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { tempDir } from "../../support/temp.ts";

const LINES = ["git status", "git diff", "git log -p", "git show HEAD", "git add a.txt", "git commit -m x"];

function verdicts(folder: string, { sandboxed }: { sandboxed: boolean }): string[] {
  const gate = openPermissions({
    role: shippedRole("engineer"),
    project: folder,
    projectFile: path.join(folder, "..", "permissions.yaml"),
    home: path.join(folder, "..", "home"),
    buildsAreSafe: sandboxed,
    record: () => Promise.resolve(),
  });
  return LINES.map(
    (line) => gate.preview({ kind: "run", command: { kind: "shell", line }, cwd: folder, background: false, network: [] }).kind,
  );
}

function repository(): { folder: string; git: string } {
  const folder = path.join(tempDir("sylk-git-programs"), "repo");
  execFileSync("git", ["init", "-q", folder]);
  writeFileSync(path.join(folder, "a.txt"), "a\n");
  return { folder, git: path.join(folder, ".git") };
}

const ASKED = LINES.map(() => "ask");
const ALLOWED = LINES.map(() => "allow");

test("R3: a repository that names no program is worked with as before", () => {
  const { folder, git } = repository();
  appendFileSync(path.join(git, "config"), "[core]\n\tfsmonitor = true\n[user]\n\tname = Ann\n");
  expect(verdicts(folder, { sandboxed: false })).toEqual(ALLOWED);
});

test.each([
  ["a monitor", "[core]\n\tfsmonitor = ./evil.sh\n"],
  ["a text converter", '[diff "evil"]\n\ttextconv = ./evil.sh\n'],
  ["a filter", '[filter "evil"]\n\tclean = ./evil.sh\n'],
  ["hooks elsewhere", "[core]\n\tHooksPath = hooks\n"],
  ["an external diff", "[diff]\n\texternal = ./evil.sh\n"],
  ["a file to include", "[include]\n\tpath = ../evil.conf\n"],
  ["an alias", "[alias]\n\tst = !./evil.sh\n"],
  ["a signing program", "[gpg]\n\tprogram = ./evil.sh\n"],
  ["a merge driver", '[merge "evil"]\n\tdriver = ./evil.sh\n'],
])("R3: with %s in `.git/config`, git is asked about where nothing bounds it", (_what, text) => {
  const { folder, git } = repository();
  appendFileSync(path.join(git, "config"), text);
  expect(verdicts(folder, { sandboxed: false })).toEqual(ASKED);
  expect(verdicts(folder, { sandboxed: true })).toEqual(ALLOWED);
});

test("R3: a hook, a pointer to such a folder and a work tree's own configuration count too", () => {
  const hooked = repository();
  writeFileSync(path.join(hooked.git, "hooks/pre-commit"), "#!/bin/sh\n");
  expect(verdicts(hooked.folder, { sandboxed: false })).toEqual(ASKED);

  const named = repository();
  appendFileSync(path.join(named.git, "config"), "[core]\n\tfsmonitor = ./evil.sh\n");
  const pointing = path.join(tempDir("sylk-git-pointer"), "tree");
  mkdirSync(pointing);
  writeFileSync(path.join(pointing, ".git"), `gitdir: ${named.git}\n`);
  expect(verdicts(pointing, { sandboxed: false })).toEqual(ASKED);
  const shared = repository();
  writeFileSync(path.join(shared.git, "commondir"), named.git);
  writeFileSync(path.join(pointing, ".git"), `gitdir: ${shared.git}\n`);
  expect(verdicts(pointing, { sandboxed: false })).toEqual(ASKED);
});
