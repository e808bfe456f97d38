/**
 * The attacker has: a clone (a folder in it that looks like a bare repository), or an unpacked archive whose
 * `.git`, or a submodule's, names programs; and a machine without a sandbox. He wants an agent's harmless git
 * command to start one of them. Every line is first run by hand, where it does (else the attack proves nothing),
 * then as an agent's command that was allowed.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openPermissions } from "../../../src/guard/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";
import { tempWorkspace } from "../../support/temp-workspace.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" };

function attacked() {
  const t = tempWorkspace({ "a.txt": "one\n" });
  const mark = path.join(t.base, "PWNED");
  const evil = path.join(t.base, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho ran >> '${mark}'\ncat "$@" 2>/dev/null\n`);
  chmodSync(evil, 0o755);
  const sh = (line: string, cwd = t.root): void => {
    try {
      execFileSync("sh", ["-c", line], { cwd, stdio: "ignore", env: { ...process.env, ...IDENTITY } });
    } catch {
      // A monitor that fails, a hook that refuses: it was started all the same.
    }
  };
  sh("git init -q -b main && git config user.name A && git config user.email a@b && git add -A && git commit -qm first");
  const byHand = (line: string, cwd = "."): boolean => {
    sh(line, path.join(t.root, cwd));
    const ran = existsSync(mark);
    rmSync(mark, { force: true });
    return ran;
  };
  const byAgent = async (line: string, cwd = ".") => {
    const outcome = await t.workspace.processes.run({ command: line, cwd });
    return { kind: outcome.kind, ran: existsSync(mark), out: outcome.kind === "exited" ? outcome.stdout : "" };
  };
  const verdict = (line: string, cwd = ".") =>
    openPermissions({
      role: shippedRole("engineer"),
      project: t.root,
      projectFile: path.join(t.base, "permissions.yaml"),
      home: path.join(t.base, "home"),
      buildsAreSafe: false,
      record: () => Promise.resolve(),
    }).preview({ kind: "run", command: { kind: "shell", line }, cwd: path.join(t.root, cwd), background: false, network: [] }).kind;
  const config = (text: string, git = ".git") => appendFileSync(path.join(t.root, git, "config"), text);
  return { ...t, mark, evil, sh, byHand, byAgent, verdict, config, [Symbol.dispose]: () => t[Symbol.dispose]() };
}

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

test("L2: a list of commits to pass over that is somebody's secret is not read, and one of the project's is", async () => {
  using t = attacked();
  writeFileSync(path.join(t.base, "secret"), "correct horse battery staple\n");
  writeFileSync(path.join(t.root, ".env"), "TOKEN=another horse\n");
  writeFileSync(path.join(t.root, ".ignored-commits"), "# none\n");
  const said = async (line: string) => {
    const outcome = await t.workspace.processes.run({ command: line, cwd: "." });
    return outcome.kind === "exited" ? `${outcome.stdout}${outcome.stderr}` : outcome.kind;
  };
  t.config("[blame] ignoreRevsFile = .ignored-commits\n");
  expect(await said("git blame a.txt")).toContain("one");
  for (const file of ["../secret", path.join(t.base, "secret"), ".env", "~/secret", "link"]) {
    rmSync(path.join(t.root, "link"), { force: true });
    symlinkSync(path.join(t.base, "secret"), path.join(t.root, "link"));
    for (const name of ["blame.ignoreRevsFile", "fsck.skipList"]) {
      t.sh(`git config --add ${name} '${file}'`);
      for (const line of ["git blame a.txt", "git fsck"]) expect(await said(line)).not.toContain("horse");
      expect(await said("git status")).toContain("not a git repository");
      t.sh(`git config --unset ${name} '${file.replaceAll(".", String.raw`\.`)}$'`);
    }
    expect(await said("git status")).toContain("On branch");
  }
});

test("L2: the way a submodule is updated is not a program that the repository names", async () => {
  using t = attacked();
  t.sh("git init -q sub && cd sub && echo a > b.txt && git add -A && git commit -qm s && git commit -q --allow-empty -m later");
  t.sh("git add sub && git commit -qm sub && cd sub && git checkout -q HEAD~1");
  writeFileSync(path.join(t.root, ".gitmodules"), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  t.config(`[submodule "sub"]\n\tactive = true\n\turl = ./sub\n\tupdate = "!${t.evil}"\n`);
  expect(t.byHand("git submodule update")).toBe(true);
  expect(await t.byAgent("git submodule update")).toMatchObject({ kind: "exited", ran: false });
  // It is brought to the recorded commit in git's own way.
  expect((await t.byAgent("git -C sub log -1 --format=%s")).out).toBe("later\n");
});

const FILL = "printf 'protocol=http\\nhost=x.example\\n\\n' | git credential fill";
const RARER: [what: string, config: (evil: string) => string, line: string][] = [
  ["a merge driver", (evil) => `[merge "x"] driver = ${evil}\n`, "git merge --no-edit other; git merge --abort"],
  ["a trailer", (evil) => `[trailer "x"] key = X\ncmd = ${evil}\n`, "echo hi | git interpret-trailers --trailer X=1"],
  ["an older trailer", (evil) => `[trailer "x"] key = X\ncommand = ${evil}\n`, "echo hi | git interpret-trailers --trailer X=1"],
  ["a program that signs", (evil) => `[gpg] program = ${evil}\n`, "git commit -q -S --allow-empty -m x"],
  ["a program that signs in one way", (evil) => `[gpg "openpgp"] program = ${evil}\n`, "git commit -q -S --allow-empty -m x"],
  ["a helper for passwords", (evil) => `[credential] helper = "!${evil}"\n`, FILL],
  ["a helper for one host", (evil) => `[credential "http://x.example"] helper = "!${evil}"\n`, FILL],
  ["a program that asks for passwords", (evil) => `[core] askPass = ${evil}\n`, FILL],
  ["a way to other machines", (evil) => `[core] sshCommand = ${evil}\n`, "git ls-remote ssh://127.0.0.1:1/x"],
  ["a way through a proxy", (evil) => `[core] gitProxy = ${evil}\n`, "git ls-remote git://127.0.0.1:1/x"],
  ["the other end of a fetch", (evil) => `[remote "up"] url = .\nuploadpack = ${evil}\n`, "git ls-remote up"],
  ["a name of the user's own", (evil) => `[alias] st = "!${evil}"\n`, "git st"],
  ["the other end of a push", (evil) => `[remote "up"] url = .\nreceivepack = ${evil}\n`, "git push up HEAD:refs/heads/pushed"],
];

test.each(RARER)("C2: %s in `.git/config` is not started by an agent's git either", async (_what, text, line) => {
  using t = attacked();
  writeFileSync(path.join(t.root, ".git/info/attributes"), "*.txt merge=x\n");
  t.sh(
    "git checkout -q -b other && echo two > a.txt && git commit -qam two && git checkout -q main && echo six > a.txt && git commit -qam six",
  );
  t.config(text(t.evil));
  expect(t.byHand(line)).toBe(true);
  expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
});

test.each(["git show HEAD", "git log -p", "git diff HEAD~1"])(
  "C2: what a partial clone lacks is not fetched by `%s`, which would start what the repository names",
  async (line) => {
    using t = attacked();
    t.sh("echo two > a.txt && git commit -qam two");
    t.sh("f=$(git rev-parse HEAD~1:a.txt); rm -f .git/objects/$(echo $f | cut -c1-2)/$(echo $f | cut -c3-)");
    t.config(
      `[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[remote "origin"]\nurl = "ext::touch ${t.mark}"\npromisor = true\n[protocol "ext"]\nallow = always\n`,
    );
    expect(t.byHand(line)).toBe(true);
    expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
  },
);

test("C1: a filter whose name is no text is not started: such a repository is not used", async () => {
  using t = attacked();
  writeFileSync(path.join(t.root, ".gitattributes"), Buffer.from("* filter=\xff\n", "latin1"));
  appendFileSync(path.join(t.root, ".git/config"), Buffer.from(`[filter "\xff"]\n\tclean = ${t.evil}\n`, "latin1"));
  writeFileSync(path.join(t.root, "a.txt"), "two\n");
  expect(t.byHand("git status")).toBe(true);
  writeFileSync(path.join(t.root, "a.txt"), "three\n");
  expect(await t.byAgent("git status")).toMatchObject({ kind: "exited", ran: false });
});

test("C2: hooks elsewhere, named on the section's line, are not started by an agent's commit", async () => {
  using t = attacked();
  mkdirSync(path.join(t.root, "hk"));
  writeFileSync(path.join(t.root, "hk/pre-commit"), `#!/bin/sh\n${t.evil}\n`, { mode: 0o755 });
  t.config("[core] hooksPath = hk\n");
  writeFileSync(path.join(t.root, "a.txt"), "two\n");
  expect(t.byHand("git commit -qam x")).toBe(true);
  writeFileSync(path.join(t.root, "a.txt"), "three\n");
  expect(await t.byAgent("git commit -qam y")).toMatchObject({ kind: "exited", ran: false });
  expect((await t.byAgent("git log --format=%s")).out).toContain("y\n");
  expect(t.verdict("git commit -am x")).toBe("ask");
});

test.each(["git status", "git status --ignore-submodules=none", "git diff", "git add -u", "git commit -am x", "cd sub && git status"])(
  "C2: what a submodule's own configuration names is not started by `%s`",
  async (line) => {
    using t = attacked();
    t.sh("git init -q sub && cd sub && echo '*.txt filter=x' > .gitattributes && echo a > b.txt && git add -A && git commit -qm s");
    t.sh("git add sub && git commit -qm sub");
    // The submodule asks to be looked into.
    writeFileSync(path.join(t.root, ".gitmodules"), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n');
    t.config(`[core] fsmonitor = "${t.evil}; false"\n[filter "x"] clean = ${t.evil}\n`, "sub/.git");
    writeFileSync(path.join(t.root, "sub/b.txt"), "changed\n");
    expect(t.byHand(line)).toBe(true);
    expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
  },
);

test.each([
  ["a filter", (evil: string) => `[filter "x"] clean = ${evil}\n`, "cd sub && git status"],
  ["a filter", (evil: string) => `[filter "x"] clean = ${evil}\n`, "cd sub && git add -u"],
  ["a text converter", (evil: string) => `[diff "x"] textconv = ${evil}\n`, "cd sub && git diff"],
])("C2: %s that only a submodule's configuration names is not started where the line goes there", async (_what, text, line) => {
  using t = attacked();
  t.sh("git init -q sub && cd sub && echo '*.txt filter=x diff=x' > .gitattributes && echo a > b.txt && git add -A && git commit -qm s");
  t.config(text(t.evil), "sub/.git");
  // As long as before: otherwise git needs no look at the content.
  writeFileSync(path.join(t.root, "sub/b.txt"), "b\n");
  expect(t.byHand(line)).toBe(true);
  writeFileSync(path.join(t.root, "sub/b.txt"), "c\n");
  expect(await t.byAgent(line)).toMatchObject({ kind: "exited", ran: false });
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
