/** `sylk permissions` and the permission options, through the real command. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { privateOf } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-permissions-")));
  mkdirSync(path.join(folder, "project/.sylk"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

function sylk(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { PATH } = process.env;
  return runSylk(path.join(folder, "project"), { PATH, HOME: folder, SYLK_HOME: path.join(folder, "home"), NO_COLOR: "1" }, args);
}

test("~SEC-001: a person sees what an agent may do and what would happen to a command", async () => {
  expect(await sylk("permissions", "show", "inspector")).toMatchObject({ code: 0, out: "inspector: file_read, execute_inspection\n" });
  expect(await sylk("permissions", "show", "nobody")).toMatchObject({
    code: 2,
    err: expect.stringContaining("there is no role nobody") as string,
  });
  expect((await sylk("permissions", "list")).out.match(/^ {2}no rules$/gmu)).toHaveLength(2);
  expect(await sylk("permissions", "check", "git status")).toMatchObject({ code: 0, out: "allow  safe_list: git status\n" });
  expect(await sylk("permissions", "check", "git status && rm -rf ~", "--json")).toMatchObject({
    code: 0,
    out: expect.stringContaining('"verdict":"ask"') as string,
  });
  expect(await sylk("permissions", "check", "git push")).toMatchObject({
    code: 8,
    out: expect.stringContaining("left to the user") as string,
  });
});

test("SEC-006 SEC-007: rules are added, listed and taken back, for the project and for the user", async () => {
  expect(await sylk("permissions", "allow", "docker build")).toMatchObject({ code: 0 });
  expect(await sylk("permissions", "allow", "domain:example.com", "--user")).toMatchObject({ code: 0 });
  const kept = privateOf({ dir: path.join(folder, "project"), env: { SYLK_HOME: path.join(folder, "home") } });
  expect(readFileSync(path.join(kept, "permissions.yaml"), "utf8")).toContain("docker build");
  const listed = await sylk("permissions", "list");
  expect(listed.out).toContain("commands: docker build");
  expect(listed.out).toContain("domains: example.com");
  expect((await sylk("permissions", "check", "docker build .")).out).toContain("project_allowlist");
  expect(await sylk("permissions", "forget", "docker build")).toMatchObject({ code: 0 });
  expect(await sylk("permissions", "forget", "docker build")).toMatchObject({ code: 1 });
  expect((await sylk("permissions", "check", "docker build .")).out).toContain("ask");
});

test.each([
  ["domain:", "the rule is empty"],
  ["path:", "the rule is empty"],
  ["mcp:", "the rule is empty"],
  ["line: ", "the rule is empty"],
  ["domain:https://example.com/x", "https://example.com/x is no host"],
  ["domain:example.com:443", "example.com:443 is no host"],
  ["domain: example.com", "example.com is no host"],
  ["domain:*", "* is no host"],
  ["host:example.com", "there are no rules host:…"],
  ["Domain:example.com", "there are no rules Domain:…"],
  ["path:~/private", "~/private would be a folder of that name in the project"],
])("~SEC-006: a rule that could never count is refused, allowed or denied: %s", async (rule, why) => {
  const before = await sylk("permissions", "list", "--json");
  for (const word of ["allow", "deny"])
    expect(await sylk("permissions", word, rule)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: .*\n {2}fix: /u) as string,
    });
  expect((await sylk("permissions", "deny", rule)).err).toContain(why);
  expect(await sylk("permissions", "list", "--json")).toEqual(before);
});

test("rules for hosts of every kind are kept", async () => {
  for (const host of ["localhost", "*.example.com", "127.0.0.1", "[::1]", "a_b.example"])
    expect(await sylk("permissions", "deny", `domain:${host}`)).toMatchObject({ code: 0 });
});

test("~SEC-027: secrets are found and redacted from the command line, and never printed", async () => {
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  writeFileSync(path.join(folder, "project/a.ts"), `one\nconst t = "${secret}";\n`);
  writeFileSync(path.join(folder, "project/clean.ts"), "one\n");
  writeFileSync(path.join(folder, "project/.env"), "A=b\n");
  const scanned = await sylk("secrets", "scan", "a.ts", "clean.ts");
  expect(scanned).toMatchObject({ code: 1, out: "a.ts:2  github_pat\n" });
  expect(await sylk("secrets", "view", "a.ts")).toMatchObject({ code: 0, out: 'one\nconst t = "[REDACTED]";\n' });
  expect((await sylk("secrets", "view", ".env")).out).toContain("withheld");
  expect(await sylk("secrets", "scan", "clean.ts")).toMatchObject({ code: 0 });
  expect(await sylk("secrets", "scan", "gone.ts")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/cannot read .*gone\.ts/) as string,
  });
});

test("the rules and mode of one run count for that run", async () => {
  expect((await sylk("--allow", "docker ps", "permissions", "check", "docker ps -a")).out).toContain("session_allowlist: docker ps");
  expect(await sylk("--deny", "git status", "permissions", "check", "bash -c 'git status'")).toMatchObject({ code: 8 });
  expect(await sylk("--permission-mode", "plan", "permissions", "check", "touch x")).toMatchObject({
    code: 8,
    out: expect.stringContaining("plan mode") as string,
  });
  expect(await sylk("--permission-mode", "yolo", "permissions", "list")).toMatchObject({
    code: 2,
    err: expect.stringContaining("choose one of") as string,
  });
});

test.each([
  ["sed -i", "with -i, sed can run or change anything"],
  ["sudo apt", "asked about each time"],
  ["bash run.sh", "runs another command"],
  ["make && make install", "a whole line"],
])("a rule that could never count is refused, with what would: %s", async (rule, why) => {
  expect(await sylk("permissions", "allow", rule)).toMatchObject({ code: 2, err: expect.stringContaining(why) as string });
  expect((await sylk("permissions", "list")).out).not.toContain(rule);
});

test("one exact line is allowed, and no other", async () => {
  const line = "sed -i s/a/b/ x.txt";
  expect(await sylk("permissions", "allow", `line:${line}`)).toMatchObject({ code: 0 });
  expect((await sylk("permissions", "check", line)).out).toContain("project_allowlist");
  expect((await sylk("permissions", "check", `${line} y.txt`)).out).toContain("ask");
  expect((await sylk("--allow", "line:sed -i s/c/d/ x.txt", "permissions", "check", "sed -i s/c/d/ x.txt")).out).toContain(
    "session_allowlist",
  );
  expect(await sylk("permissions", "forget", `line:${line}`)).toMatchObject({ code: 0 });
  expect((await sylk("permissions", "check", line)).out).toContain("ask");
});

test("what is denied stands above what is allowed, until it is taken back, and the modes are explained", async () => {
  await sylk("permissions", "allow", "docker");
  expect(await sylk("permissions", "deny", "docker push", "--user")).toMatchObject({ code: 0, out: "denied (user): docker push\n" });
  await sylk("permissions", "deny", "docker push", "--user");
  await sylk("permissions", "deny", "domain:example.com");
  expect(await sylk("permissions", "check", "docker push x")).toMatchObject({ code: 8 });
  expect((await sylk("permissions", "check", "docker ps")).out).toContain("project_allowlist");
  const listed = await sylk("permissions", "list");
  expect(listed.out).toContain("  deny commands: docker push\n");
  expect(listed.out).toContain("  deny domains: example.com\n");
  expect(listed.err).toContain("sylk permissions --help");
  expect(await sylk("permissions", "forget", "docker push", "--user")).toMatchObject({ code: 0 });
  expect((await sylk("permissions", "check", "docker push x")).out).toContain("project_allowlist");
  expect(await sylk("permissions", "deny", "line:rm x")).toMatchObject({ code: 2 });
  const { out: help } = await sylk("permissions", "--help");
  for (const mode of ["default", "ask-edits", "plan", "accept-edits", "auto", "bypass"])
    expect(help).toMatch(new RegExp(`^  ${mode} {2,}\\w`, "mu"));
});
