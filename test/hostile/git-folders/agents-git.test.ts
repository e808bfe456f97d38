/**
 * The attacker has: a clone (a folder in it that looks like a bare repository), or an unpacked archive whose
 * `.git`, or a submodule's, names programs; and a machine without a sandbox. He wants an agent's harmless git
 * command to start one of them. Every line is first run by hand, where it does (else the attack proves nothing),
 * then as an agent's command that was allowed.
 */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { attacked } from "./agents-git.ts";

test.each([
  ["cd lib && git status", "."],
  ["git status", "lib"],
])("C1: a folder that looks like a bare repository: `%s` in %s starts nothing, and is asked about", async (line, cwd) => {
  using t = attacked();
  const lib = path.join(t.root, "lib");
  for (const name of ["objects", "refs"]) mkdirSync(path.join(lib, name), { recursive: true });
  writeFileSync(path.join(lib, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    path.join(lib, "config"),
    `[core]\nrepositoryformatversion=0\nbare=false\nworktree="../lib"\nfsmonitor="${t.evil}; false"\n`,
  );
  expect(t.byHand(line, cwd)).toBe(true);
  expect(await t.byAgent(line, cwd)).toMatchObject({ kind: "exited", ran: false });
  expect(t.verdict(line, cwd)).toBe("ask");
});

test("C1: what the configuration of such a folder names is not used at all", async () => {
  using t = attacked();
  t.sh("git init -q --bare lib");
  t.config(`[core] sshCommand = ${t.evil}\n`, "lib");
  const line = "cd lib && git ls-remote ssh://127.0.0.1:1/x";
  expect(t.byHand(line)).toBe(true);
  expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
});

const PROGRAMS: [what: string, config: (evil: string) => string, line: string][] = [
  ["a monitor on the section's line", (evil) => `[core] fsmonitor = "${evil}; false"\n`, "git status"],
  ["a filter", (evil) => `[filter "x"] clean = ${evil}\n[filter "x"] required = true\n`, "git status"],
  ["a filter in a file to include", (evil) => `[include]path=${evil}.conf\n`, "git status"],
  ["a text converter", (evil) => `[diff "x"] textconv = ${evil}\n`, "git diff"],
  ["an external diff", (evil) => `[diff] external = ${evil}\n`, "git diff"],
  ["an external diff for some files", (evil) => `[diff "x"] command = ${evil}\n`, "git diff"],
  ["an editor", (evil) => `[core] editor = ${evil}\n`, "git commit -a"],
];

test.each(PROGRAMS)("C2: %s in `.git/config` is not started by an agent's git", async (_what, text, line) => {
  using t = attacked();
  writeFileSync(path.join(t.root, ".gitattributes"), "*.txt filter=x diff=x\n");
  writeFileSync(path.join(t.root, "a.txt"), "two\n");
  writeFileSync(`${t.evil}.conf`, `[filter "x"] clean = ${t.evil}\n`);
  t.config(text(t.evil));
  expect(t.byHand(line)).toBe(true);
  writeFileSync(path.join(t.root, "a.txt"), "three\n");
  const done = await t.byAgent(line);
  expect(done).toMatchObject({ kind: "exited", ran: false });
  // Git still does its work; without an editor there is no message to commit with.
  expect(done.out).toContain({ "git diff": "+three", "git status": "modified:   a.txt" }[line] ?? "");
  expect(t.verdict(line)).toBe("ask");
});

/** A repository where none is looked for, with a filter of its own. */
function hidden(t: ReturnType<typeof attacked>, place: string): void {
  mkdirSync(path.join(t.base, "project", place), { recursive: true });
  const inside = path.join(t.root, place);
  t.sh("git init -q && echo '*.txt filter=x' > .gitattributes && echo a > b.txt && git add -A && git commit -qm s", inside);
  t.config(`[filter "x"] clean = ${t.evil}\n`, `${place}/.git`);
}

const HIDDEN: [place: string, line: string][] = [
  ["node_modules/x", "cd node_modules/x && git status"],
  ["node_modules/x", "git -C node_modules/x status"],
  ["node_modules/x", "git -C node_modules -C x status"],
  ["node_modules/x", "sh -c 'cd node_modules && cd x && git add -u'"],
  ["node_modules/x", "(cd node_modules/x; git diff)"],
  ["node_modules/x", "git --git-dir=node_modules/x/.git --work-tree=node_modules/x status"],
  [".venv/lib", "cd .venv/lib && git status"],
  [".git/deep", "cd .git/deep && git status"],
  ["../beside", "cd ../beside && git status"],
  ["node_modules/x", "ln -s node_modules/x y; cd y && git status"],
  ["node_modules/x", "cp -r node_modules/x z && cd z && git add -u"],
  ["node_modules/x", 'd=node_modules/x; cd "$d" && git status'],
  ["node_modules/x", "echo node_modules/x | xargs -I{} git -C {} status"],
  ["node_modules/x", "pushd node_modules/x >/dev/null 2>&1 || cd node_modules/x; git status"],
  ["node_modules/x", "find node_modules/x -maxdepth 1 -name b.txt -execdir git status ';'"],
];

test.each(HIDDEN)("H4: a filter of a repository in %s, which nobody looks through, is not started by `%s`", async (place, line) => {
  using t = attacked();
  hidden(t, place);
  // As long as before: otherwise git needs no look at the content.
  writeFileSync(path.join(t.root, place, "b.txt"), "b\n");
  expect(t.byHand(line)).toBe(true);
  for (const made of ["y", "z"]) rmSync(path.join(t.root, made), { recursive: true, force: true });
  writeFileSync(path.join(t.root, place, "b.txt"), "c\n");
  expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
});

test("H4: git still works in such a repository, in a submodule of it, and in one that the line makes", async () => {
  using t = attacked();
  hidden(t, "node_modules/x");
  expect((await t.byAgent("cd node_modules/x && git log --format=%s")).out).toBe("s\n");
  expect((await t.byAgent("for d in node_modules/x .; do git -C $d log --format=%s; done")).out).toBe("s\nfirst\n");
  expect((await t.byAgent("git init -q new; git -C new status -s; git log --format=%s")).out).toBe("first\n");
  hidden(t, "node_modules/x/node_modules/y");
  t.sh("git add -f node_modules/y && git commit -qm sub", path.join(t.root, "node_modules/x"));
  writeFileSync(path.join(t.root, "node_modules/x/node_modules/y/b.txt"), "b\n");
  const line = "cd node_modules/x && git submodule--helper list; git diff --submodule=diff --ignore-submodules=none";
  expect(t.byHand(line)).toBe(true);
  writeFileSync(path.join(t.root, "node_modules/x/node_modules/y/b.txt"), "c\n");
  expect(await t.byAgent(line)).toMatchObject({ ran: false });
});

test("C1: a filter whose name is no text is not started: such a repository is not used", async () => {
  using t = attacked();
  writeFileSync(path.join(t.root, ".gitattributes"), Buffer.from("* filter=\xff\n", "latin1"));
  appendFileSync(path.join(t.root, ".git/config"), Buffer.from(`[filter "\xff"]\n\tclean = ${t.evil}\n`, "latin1"));
  writeFileSync(path.join(t.root, "a.txt"), "two\n");
  expect(t.byHand("git status")).toBe(true);
  writeFileSync(path.join(t.root, "a.txt"), "three\n");
  expect(await t.byAgent("git status")).toMatchObject({ kind: "exited", ran: false });
});

test("C2: where git cannot be asked what the configuration names, an agent's git finds no repository", async () => {
  using t = attacked();
  t.config('[core] fsmonitor = "true\n');
  expect(await t.byAgent("git status")).toMatchObject({ kind: "exited", ran: false, out: "" });
  expect((await t.byAgent("echo still here")).out).toBe("still here\n");
});

test.each([
  "env -i git status",
  "env -u GIT_CONFIG_COUNT git status",
  "GIT_CONFIG_COUNT=0 git status",
  "unset GIT_CONFIG_COUNT; git status",
  'cd "$x" && git status',
  "(exec -c git status)",
])("C2: `%s`, which would leave the settings behind, is asked about", (line) => {
  using t = attacked();
  expect(t.verdict("git status")).toBe("allow");
  expect(t.verdict(line)).toBe("ask");
});
