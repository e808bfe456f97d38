/**
 * The attacker controls the repository: folders with links to files outside, names that look like options.
 * He wants the agent's allowed commands to read those files for him without a question.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPermissions } from "../../../src/guard/index.ts";
import { shippedRole } from "../../support/shipped-roles.ts";

let base = "";
let project = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-hostile-")));
  project = path.join(base, "project");
  for (const folder of ["project/dir", "project/plain/deep", "project/deep/a", "project/many", "outside/folder"])
    mkdirSync(path.join(base, folder), { recursive: true });
  writeFileSync(path.join(base, "outside/notes"), "private\n");
  writeFileSync(path.join(base, "outside/folder/notes"), "private\n");
  for (const file of ["plain/a.txt", "plain/b.txt", "plain/deep/c.txt", "dir/readme"]) writeFileSync(path.join(project, file), "text\n");
  symlinkSync(path.join(base, "outside/notes"), path.join(project, "dir/notes"));
  symlinkSync(path.join(base, "outside/folder"), path.join(project, "deep/a/linked"));
  symlinkSync(path.join(base, "outside/notes"), path.join(project, "cfg"));
  writeFileSync(path.join(project, "many/credentials.json"), "{}");
  writeFileSync(path.join(project, "many/.env.local"), "A=b\n");
});
afterAll(() => rmSync(base, { recursive: true }));

const verdict = (line: string): string =>
  openPermissions({
    role: shippedRole("engineer"),
    project,
    projectFile: path.join(base, "none.yaml"),
    home: path.join(base, "home"),
    record: () => Promise.resolve(),
  }).preview({
    kind: "run",
    command: { kind: "shell", line },
    cwd: project,
    background: false,
    network: [],
  }).kind;

test.each([
  "cat dir/*",
  "cat dir/n?tes",
  "grep x dir/n?tes",
  "head -5 dir/[n]otes",
  "cat d*/notes",
  "cat */n*",
  "cat deep/*/linked/notes",
  "cat deep/*/*/notes",
  "wc -l < dir/notes",
  "cat many/*.json",
  "cat many/cred*",
  "cat */.env.l*",
  "cat m*/.env.?ocal",
  "cd dir && cat *",
  "cat ./dir/*",
  "cat 'dir'/*",
  "tail ../outside/*",
  "git add dir/../many/*",
])("M6: a pattern is judged by every file it names: %s", (line) => {
  expect(verdict(line)).not.toBe("allow");
});

test.each([
  "cat plain/*",
  "cat plain/?.txt",
  "grep x plain/*.txt",
  "cat plain/*/c.txt",
  "ls dir/",
  "cat plain/none*",
  "cat plain/]*",
  "cat plain/{}*",
])("patterns that stay inside need no question: %s", (line) => {
  expect(verdict(line)).toBe("allow");
});

test.each([
  "rg -L private .",
  "rg --follow private",
  "find -L . -name notes",
  "find . -follow",
  "fd -L notes",
  "ls -RL",
  "du -L dir",
  "grep -R private .",
])("M6: a search that follows links is asked about: %s", (line) => {
  expect(verdict(line)).not.toBe("allow");
});

test("a name that looks like an option makes a pattern one", () => {
  expect(verdict("cd plain/deep && wc -l *.txt")).toBe("allow");
  writeFileSync(path.join(project, "plain/deep/--files0-from=x.txt"), "");
  expect(verdict("cd plain/deep && wc -l *.txt")).toBe("ask");
});

test.each([
  "cp -r dir copy && cat copy/notes",
  "mv dir moved; cat moved/notes",
  "cp -a dir copy && cat copy/*",
  "mv deep other && echo x > other/a/linked/file",
  "git stash pop && cat new-link",
  "touch -- --pre=evil; rg text *",
  "touch ./--pre=evil && rg text *",
  "echo > --pre=evil; rg text *",
])("M6: a line is not judged by files that its own parts replace: %s", (line) => {
  expect(verdict(line)).not.toBe("allow");
});

test.each(["cp -r plain copy && cat copy/a.txt", "cp -r dir copy", "git stash && git status", "mkdir -p build && cp plain/a.txt build/"])(
  "moving what holds no link needs no question: %s",
  (line) => {
    expect(verdict(line)).toBe("allow");
  },
);

test.runIf(process.platform === "linux")("M6: a file whose name is no text cannot be looked up, so the pattern is asked about", () => {
  mkdirSync(path.join(project, "bytes"));
  expect(verdict("cat bytes/*")).toBe("allow");
  symlinkSync(path.join(base, "outside/notes"), Buffer.concat([Buffer.from(`${project}/bytes/a`), Buffer.from([0xff])]));
  expect(verdict("cat bytes/*")).toBe("ask");
});

test("M6: npm looks at settings of every folder up to the project's, so these are looked for there too", () => {
  mkdirSync(path.join(project, "plain/npm/inner"), { recursive: true });
  expect(verdict("cd plain/npm/inner && npm ls")).toBe("allow");
  writeFileSync(path.join(project, "plain/npm/.npmrc"), "cache=/tmp/evil\n");
  expect(verdict("cd plain/npm/inner && npm ls")).toBe("ask");
});

test("a folder with more files than can be judged is asked about", () => {
  const huge = path.join(project, "huge");
  mkdirSync(huge);
  for (let i = 0; i < 2_100; i += 1) writeFileSync(path.join(huge, `f${i}`), "");
  expect(verdict("cat huge/*")).toBe("ask");
});

test.each([
  "git blame --contents=cfg plain/a.txt",
  "git blame --cont=cfg plain/a.txt",
  "git blame --contents cfg plain/a.txt",
  "git blame --contents plain/b.txt plain/a.txt",
  "git blame -Scfg plain/a.txt",
  "git blame -wScfg plain/a.txt",
  "git log --ignore-revs-file=cfg",
  "cd dir && git blame --ignore-revs-file=notes readme",
])("M4: a link out of the project is judged when it is glued to an option: %s", (line) => {
  expect(verdict(line)).not.toBe("allow");
});

test.each(["git log --format=short", "git log -n5 --stat", "ls -la", "git blame -w plain/a.txt", `git log --grep=${"x".repeat(300)}`])(
  "M4: options that name no such file stay as they were: %s",
  (line) => {
    expect(verdict(line)).toBe("allow");
  },
);
