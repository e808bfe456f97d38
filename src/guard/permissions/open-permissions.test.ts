import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  openPermissions,
  type Answer,
  type GuardedAction,
  type PermissionOptions,
  type PermissionQuestion,
  type PermissionRecord,
  type Permissions,
} from "./open-permissions.ts";
import { NO_RULES } from "./rules.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

let project = "";
let records: PermissionRecord[] = [];
let questions: PermissionQuestion[] = [];

beforeEach(() => {
  project = realpathSync(mkdtempSync(path.join(tmpdir(), "sylk-permissions-")));
  records = [];
  questions = [];
});
afterEach(() => rmSync(project, { recursive: true }));

type Given = "once" | "session" | "project" | "user" | "deny" | { wider: "session" | "project" } | { deny: string };

function answerOf(given: Given, { offers }: PermissionQuestion): Answer {
  if (given === "once" || given === "deny") return { kind: given };
  if (typeof given === "object" && "deny" in given) return { kind: "deny", reason: given.deny };
  const wider = typeof given === "object";
  return { kind: "keep", where: wider ? given.wider : given, offer: offers[wider ? 1 : 0] ?? [] };
}

function open(more: Partial<PermissionOptions> = {}, answers: Given[] = []): Permissions {
  return openPermissions({
    role: shippedRole("engineer"),
    project,
    projectFile: file(),
    home: "/home/someone",
    record: (record) => {
      records.push(record);
      return Promise.resolve();
    },
    ...(answers.length === 0
      ? {}
      : {
          ask: (question: PermissionQuestion) => {
            questions.push(question);
            return Promise.resolve(answerOf(answers.shift() ?? "deny", question));
          },
        }),
    ...more,
  });
}

const shell = (line: string): GuardedAction => ({
  kind: "run",
  command: { kind: "shell", line },
  cwd: project,
  background: false,
  network: [],
});
const write = (file: string, operation: "create" | "delete" = "create"): GuardedAction => ({
  kind: "write",
  operation,
  path: file,
  absolute: path.resolve(project, file),
  bytes: 1,
});
const read = (file: string): GuardedAction => ({ kind: "read", path: file, absolute: path.resolve(project, file) });
const connect = (target: string, method: "read" | "any" = "any"): GuardedAction => ({ kind: "connect", target, method });
const call: GuardedAction = { kind: "call", server: "fake", tool: "echo", line: "mcp fake/echo {}" };
const kinds = async (gate: Permissions, actions: GuardedAction[]): Promise<string[]> =>
  Promise.all(actions.map(async (a) => (await gate.decide(a)).kind));
const file = (): string => path.join(project, "private/permissions.yaml");

test("SEC-006 SEC-007: an answer for the project is written to the permission file and asked only once", async () => {
  const first = open({}, ["project", { wider: "project" }]);
  expect(await first.decide(shell("docker build ."))).toMatchObject({ kind: "allow" });
  expect(await first.decide(shell("docker build ."))).toMatchObject({ kind: "allow", rule: "project_allowlist: approved line" });
  expect(await first.decide(shell("npm run lint"))).toMatchObject({ kind: "allow" });
  expect(await first.decide(shell("npm run lint -- --fix"))).toMatchObject({ kind: "allow", rule: "project_allowlist: npm run lint" });
  expect(questions.map(({ offers }) => offers)).toEqual([
    [[{ kind: "line", value: "docker build ." }]],
    [[{ kind: "line", value: "npm run lint" }], [{ kind: "command", value: "npm run lint" }]],
  ]);
  expect(await open().decide(shell("docker build ."))).toMatchObject({ kind: "allow" });
  expect(await open().decide(shell("docker build --no-cache ."))).toMatchObject({ kind: "deny", rule: "non_interactive" });
  expect(await open().decide(shell("docker push x"))).toMatchObject({ kind: "deny", rule: "non_interactive" });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test("SEC-006: an answer for the session is not written, one for once is not remembered, a refusal holds", async () => {
  const gate = open({}, ["session", "once", "once", "deny"]);
  expect(await kinds(gate, [shell("docker ps")])).toEqual(["allow"]);
  expect(await kinds(gate, [shell("docker ps")])).toEqual(["allow"]);
  expect(await kinds(gate, [shell("kubectl get x")])).toEqual(["allow"]);
  expect(await kinds(gate, [shell("kubectl get x")])).toEqual(["allow"]);
  expect(await kinds(gate, [shell("terraform apply")])).toEqual(["deny"]);
  expect(await kinds(gate, [shell("terraform apply")])).toEqual(["deny"]);
  expect(questions.map((q) => q.reason)).toEqual(["run docker ps", "run kubectl get x", "run kubectl get x", "run terraform apply"]);
  expect(existsSync(file())).toBe(false);
});

test("a refusal carries the person's reason to the agent, also when it is tried again", async () => {
  const gate = open({}, [{ deny: "use the staging server" }]);
  // Before what it was about, which may be long and cut.
  const told = expect.stringMatching(
    /^(the user refused|refused earlier in this session by the user), saying: use the staging server/,
  ) as string;
  expect(await gate.decide(shell("terraform apply"))).toMatchObject({ kind: "deny", reason: told });
  expect(await gate.decide(shell("terraform apply"))).toMatchObject({ kind: "deny", reason: told });
  expect(questions).toHaveLength(1);
});

test("a no to one change stands whatever mode or rule for its place comes later; a rule for the command it was said to lifts it", async () => {
  const change = (id: string): GuardedAction => {
    const absolute = path.join(project, "a.txt");
    return { kind: "write", operation: "modify", path: "a.txt", absolute, bytes: 1, change: { id, diff: () => "" } };
  };
  const gate = open({ mode: "ask-edits" }, [{ deny: "not so" }, "session", { deny: "no" }]);
  expect(await kinds(gate, [change("1")])).toEqual(["deny"]);
  expect(await kinds(gate, [change("2")])).toEqual(["allow"]);
  expect(await kinds(gate, [change("2")])).toEqual(["allow"]);
  const told = expect.stringContaining("by the user, saying: not so") as string;
  expect(await gate.decide(change("1"))).toMatchObject({ kind: "deny", reason: told });
  const act = questions[0]?.act ?? "";
  const answered = (said: string) => () => Promise.resolve([{ act: said, answer: { kind: "deny" as const, reason: "not so" } }]);
  for (const mode of ["default", "accept-edits", "auto", "bypass"] as const) {
    const later = open({ mode, answered: answered(act) });
    expect(await later.decide(change("1"))).toMatchObject({ kind: "deny", rule: "user_answer", reason: told });
    expect(await kinds(later, [change("2")])).toEqual(["allow"]);
  }
  await gate.decide(shell("terraform apply"));
  const command = { answered: answered(questions.at(-1)?.act ?? "") };
  expect(await open({ ...command, mode: "bypass" }).decide(shell("terraform apply"))).toMatchObject({ kind: "deny", rule: "user_answer" });
  const rules = { sessionRules: { ...NO_RULES, commands: ["terraform apply"] } };
  expect(await kinds(open({ ...command, ...rules }), [shell("terraform apply")])).toEqual(["allow"]);
});

test("a no to a command stands when there is a sandbox later, also where a rule opens the place; a rule for the line lifts it", async () => {
  writeFileSync(path.join(project, "check.mjs"), "");
  const line = "node check.mjs";
  expect(await kinds(open({}, ["deny"]), [shell(line)])).toEqual(["deny"]);
  const answered = () => Promise.resolve([{ act: questions[0]?.act ?? "", answer: { kind: "deny" as const } }]);
  const places = { ...NO_RULES, paths: { [project]: "read" as const } };
  expect(await kinds(open({ buildsAreSafe: true, sessionRules: places }), [shell(line)])).toEqual(["allow"]);
  for (const sessionRules of [NO_RULES, places])
    expect(await open({ answered, buildsAreSafe: true, sessionRules }).decide(shell(line))).toMatchObject({
      kind: "deny",
      rule: "user_answer",
    });
  const lifted = { ...places, lines: [line] };
  expect(await kinds(open({ answered, buildsAreSafe: true, sessionRules: lifted }), [shell(line)])).toEqual(["allow"]);
});

test("the question says whether a yes leaves it in the sandbox", async () => {
  await open({ buildsAreSafe: true }, ["once"]).decide(shell("terraform apply"));
  await open({ buildsAreSafe: false }, ["once"]).decide(shell("terraform apply"));
  expect(questions.map(({ sandboxed }) => sandboxed)).toEqual([true, false]);
});

test("SEC-006: without a person, what would ask is denied", async () => {
  expect(await open().decide(shell("docker ps"))).toEqual({
    kind: "deny",
    rule: "non_interactive",
    reason: expect.stringContaining("nobody is there to ask") as string,
  });
});

test("~SEC-001 ~SEC-005 SEC-006: every outcome is recorded with the rule that gave it, before the caller may act", async () => {
  const gate = open();
  await gate.decide(shell("git status"));
  await gate.decide(shell("git push"));
  await gate.decide(write("a.txt"));
  await open({ role: shippedRole("academic") }).decide(write("a.txt"));
  expect(records.map(({ outcome, source, detail }) => [outcome, source, detail])).toEqual([
    ["allowed", "safe_list", "git status"],
    ["denied", "git_matrix", "git push is left to the user"],
    ["allowed", "scope_write", expect.any(String)],
    ["denied", "role_insufficient", "academic may not write files"],
  ]);
  const broken = open({ record: () => Promise.reject(new Error("disk full")) });
  await expect(broken.decide(shell("git status"))).rejects.toThrow("disk full");
});

test("a tool of an MCP server is refused to a role that may run nothing, whatever is allowed, and nobody is asked", async () => {
  const sessionRules = { ...NO_RULES, tools: ["fake/*"] };
  for (const more of [{}, { sessionRules }])
    expect(await open({ role: shippedRole("academic"), ...more }, ["once"]).decide(call)).toMatchObject({
      kind: "deny",
      reason: expect.stringContaining("academic may not call tools of MCP servers") as string,
    });
  expect(questions).toEqual([]);
  expect(await open({}, ["once"]).decide(call)).toMatchObject({ kind: "allow" });
});

test("SEC-007: rewriting keeps comments, flags and unknown keys", async () => {
  mkdirSync(path.dirname(file()), { recursive: true });
  writeFileSync(file(), "# mine\ncommands: [make] # why\nallow_modify_env: true\nfuture: {a: 1}\n");
  await open({}, ["project"]).decide(shell("docker ps"));
  const text = readFileSync(file(), "utf8");
  for (const part of ["# mine", "# why", "allow_modify_env: true", "future:", "docker ps"]) expect(text).toContain(part);
});

test("SEC-007: a broken permission file grants nothing and says how to fix it", async () => {
  mkdirSync(path.dirname(file()), { recursive: true });
  writeFileSync(file(), "commands: {x: [}\n");
  await expect(open().decide(shell("git status"))).rejects.toMatchObject({ code: "PERMISSIONS_UNREADABLE", tier: "user_fixable" });
  writeFileSync(file(), "commands: yes\n");
  await expect(open().decide(shell("git status"))).rejects.toMatchObject({ code: "PERMISSIONS_UNREADABLE" });
});

test("SEC-007: delete implies write implies read, and denials win over everything", async () => {
  mkdirSync(path.dirname(file()), { recursive: true });
  writeFileSync(
    file(),
    "paths:\n  /srv/data: delete\n  /srv/logs: read\ndeny:\n  paths: [src/generated]\n  commands: [make]\n  domains: [github.com]\n",
  );
  const gate = open({ buildsAreSafe: true });
  expect(await kinds(gate, [read("/srv/data/x"), write("/srv/data/x"), write("/srv/data/x", "delete")])).toEqual([
    "allow",
    "allow",
    "allow",
  ]);
  expect(await kinds(gate, [read("/srv/logs/x"), write("/srv/logs/x")])).toEqual(["allow", "deny"]);
  expect(await kinds(gate, [write("src/generated/a.ts"), shell("make"), connect("github.com")])).toEqual(["deny", "deny", "deny"]);
  expect(await kinds(open({ mode: "bypass" }), [write("src/generated/a.ts"), shell("make"), shell("docker ps")])).toEqual([
    "deny",
    "deny",
    "allow",
  ]);
});

test("~SEC-008: environment and ignore files change only with the flag or the user's consent", async () => {
  expect(await kinds(open(), [write(".env"), write(".env.local"), write(".gitignore"), write("env.ts")])).toEqual([
    "deny",
    "deny",
    "deny",
    "allow",
  ]);
  mkdirSync(path.dirname(file()), { recursive: true });
  writeFileSync(file(), "allow_modify_env: true\nallow_modify_gitignore: true\n");
  expect(await kinds(open(), [write(".env"), write(".gitignore")])).toEqual(["allow", "allow"]);
});

test("SEC-036: paths are judged by where they really lead", async () => {
  const outside = mkdtempSync(path.join(tmpdir(), "sylk-outside-"));
  const sibling = `${project}-evil`;
  mkdirSync(sibling);
  try {
    mkdirSync(path.join(project, "src"));
    symlinkSync(outside, path.join(project, "link"));
    symlinkSync(path.join(outside, "not-yet"), path.join(project, "dangling"));
    symlinkSync("src", path.join(project, "inner"));
    const gate = open();
    const refused = ["../x", "link/x", "dangling", "src/../../x", sibling, `${sibling}/x`, "/etc/passwd", "inner/../../x"];
    expect(
      await kinds(
        gate,
        refused.map((f) => write(f)),
      ),
    ).toEqual(refused.map(() => "deny"));
    expect(
      await kinds(
        gate,
        ["src/new/deep/x", "inner/x", "a..b", "..a"].map((f) => write(f)),
      ),
    ).toEqual(["allow", "allow", "allow", "allow"]);
  } finally {
    rmSync(outside, { recursive: true });
    rmSync(sibling, { recursive: true });
  }
});

test("SEC-036: the insides of git and Sylk are closed to agents, in any case", async () => {
  const closed = [
    ".git/hooks/pre-commit",
    ".git/config",
    "sub/.git/config",
    ".sylk/local/permissions.yaml",
    ".sylk/config.yaml",
    ".GIT/config",
    ".",
  ];
  expect(
    await kinds(
      open(),
      closed.map((f) => write(f)),
    ),
  ).toEqual(closed.map(() => "deny"));
});

test("SEC-017: sensitive files are not read, their templates are", async () => {
  const closed = [
    ".env",
    ".git/config",
    ".git/modules/lib/config",
    ".git/logs/HEAD",
    ".env.production",
    "certs/server.pem",
    "a.key",
    "config/credentials.json",
    ".npmrc",
    "k8s/secrets.yaml",
    "home/.ssh/config",
  ];
  expect(await kinds(open(), closed.map(read))).toEqual(closed.map(() => "deny"));
  expect(await kinds(open(), [".env.example", "src/credentials-store.ts", "README.md"].map(read))).toEqual(["allow", "allow", "allow"]);
});

test("SEC-010: hosts match exactly, whatever surrounds them", async () => {
  const gate = open();
  expect(
    await kinds(
      gate,
      ["github.com", "https://GitHub.com:443/x", "registry.npmjs.org."].map((t) => connect(t)),
    ),
  ).toEqual(["allow", "allow", "allow"]);
  const closed = [
    "evil-github.com",
    "github.com.evil.io",
    "https://github.com@evil.io/",
    "raw.github.com",
    "127.0.0.1",
    "localhost",
    "[::1]",
    "https://evil.io/?github.com",
    "",
  ];
  expect(
    await kinds(
      gate,
      closed.map((t) => connect(t)),
    ),
  ).toEqual(closed.map(() => "deny"));
});

test("~SEC-003 ~SEC-004: the academic reads the network and nothing more", async () => {
  const gate = open({ role: shippedRole("academic") });
  expect(
    await kinds(gate, [connect("docs.python.org", "read"), connect("docs.python.org", "any"), write("x"), shell("ls"), read("x")]),
  ).toEqual(["allow", "deny", "deny", "deny", "allow"]);
});

test("~SEC-012 SEC-013: a plan's declarations hold after the role check, and it asks for more only when it may", async () => {
  const declared = {
    commands: ["docker build"],
    domains: ["internal.example"],
    paths: { "/srv/out": "write" as const },
    allowRuntimeEscalation: false,
  };
  const gate = open({ declared }, ["once"]);
  expect(await kinds(gate, [shell("docker build ."), connect("internal.example"), write("/srv/out/x")])).toEqual([
    "allow",
    "allow",
    "allow",
  ]);
  expect(await gate.decide(shell("docker push x"))).toMatchObject({ kind: "deny", rule: "workflow_declaration" });
  expect(await kinds(open({ declared, role: shippedRole("inspector") }), [shell("docker build .")])).toEqual(["deny"]);
  expect(await kinds(open({ declared: { ...declared, allowRuntimeEscalation: true } }, ["once"]), [shell("docker push x")])).toEqual([
    "allow",
  ]);
});

test("permission modes: plan only looks, auto trusts the sandbox, bypass still obeys denials", async () => {
  const actions = [shell("git status"), shell("docker ps"), shell("touch x"), write("a.ts"), shell("git push")];
  expect(await kinds(open({ mode: "plan" }, ["once", "once"]), actions)).toEqual(["allow", "deny", "deny", "deny", "deny"]);
  const looking = [shell("cat a.ts | head -3"), read("a.ts"), shell("env CI=1 ls")];
  expect(await kinds(open({ mode: "plan" }), looking)).toEqual(["allow", "allow", "allow"]);
  const hidden = [shell("cat a.ts > b.ts"), shell("make"), connect("github.com"), shell("git commit -m x")];
  expect(await kinds(open({ mode: "plan", buildsAreSafe: true }), hidden)).toEqual(["deny", "deny", "deny", "deny"]);
  expect(await kinds(open({ mode: "auto", buildsAreSafe: true }), actions)).toEqual(["allow", "allow", "allow", "allow", "deny"]);
  expect(await kinds(open({ mode: "auto" }), actions)).toEqual(["allow", "deny", "allow", "allow", "deny"]);
  expect(await kinds(open({ mode: "bypass" }), actions)).toEqual(["allow", "allow", "allow", "allow", "deny"]);
});

test("SEC-009: the safe lists can be switched off, extended, and answers kept out of files", async () => {
  expect(await kinds(open({ useSafeLists: false }), [shell("ls"), connect("github.com"), write("a.ts")])).toEqual([
    "deny",
    "deny",
    "allow",
  ]);
  const customSafeList = path.join(project, "safe.yaml");
  writeFileSync(customSafeList, "commands: [terraform plan]\ndomains: [docs.example]\n");
  expect(await kinds(open({ customSafeList }), [shell("terraform plan"), shell("terraform apply"), connect("docs.example")])).toEqual([
    "allow",
    "deny",
    "allow",
  ]);
  const gate = open({ persist: false }, ["project"]);
  expect(await kinds(gate, [shell("docker ps")])).toEqual(["allow"]);
  expect(await kinds(gate, [shell("docker ps")])).toEqual(["allow"]);
  expect(existsSync(file())).toBe(false);
});

test("rules of the command line and the user count as such", async () => {
  const userFile = path.join(project, "user-permissions.yaml");
  writeFileSync(userFile, "deny: {commands: [git status]}\n");
  const gate = open({ sessionRules: { ...NO_RULES, commands: ["docker ps"] }, userFile });
  expect(await gate.decide(shell("docker ps"))).toEqual({ kind: "allow", rule: "session_allowlist: docker ps" });
  expect(await gate.decide(shell("git status"))).toMatchObject({ kind: "deny", rule: "deny:user" });
  writeFileSync(userFile, "deny: {commands: []}\n");
  expect(await gate.decide(shell("git status"))).toMatchObject({ kind: "allow" });
  expect(await open({ userFile }, ["user"]).decide(shell("kubectl get x"))).toMatchObject({ kind: "allow" });
  expect(await open({ userFile }).decide(shell("kubectl get x"))).toEqual({ kind: "allow", rule: "user_allowlist: approved line" });
});

test("a run that names hosts needs each of them", async () => {
  const action = { ...shell("ls"), network: ["github.com", "evil.io"] } as GuardedAction;
  expect(await open().decide(action)).toMatchObject({ kind: "deny" });
  expect(open().preview({ ...shell("ls"), network: ["github.com"] } as GuardedAction)).toMatchObject({ kind: "allow" });
});

test("an unwritable permission file is reported, and nothing is allowed on its strength", async () => {
  writeFileSync(path.join(project, "private"), "a file where a folder belongs");
  chmodSync(path.join(project, "private"), 0o444);
  await expect(open({}, ["project"]).decide(shell("docker ps"))).rejects.toMatchObject({ tier: "user_fixable" });
});
