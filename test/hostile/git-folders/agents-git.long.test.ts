/** `agents-git.test.ts` goes on here with what takes longer. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { attacked } from "./agents-git.ts";

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
