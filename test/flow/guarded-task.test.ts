/** A whole task whose model misbehaves: what the guard refuses, what it records, and what never leaks. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { PermissionPolicy } from "../../src/app/index.ts";
import { openApp } from "../support/lab.ts";
import { systemClock } from "../../src/kernel/index.ts";
import { answering, choose, type Say } from "../support/answering.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const TOKEN = "tok-5f2b7c9d1e3a4b6c8d0e";
const GITHUB = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
const never = new AbortController().signal;

interface Told {
  actions: string[];
  trail: { action: string; target: string | null; outcome: string; rule: string | null; event_type: string }[];
  everything: string;
}

async function play(
  project: ScriptedProject,
  policy: PermissionPolicy & { say?: Say },
  env: Record<string, string> = {},
  checks: string[] = [],
): Promise<Told> {
  const { say = () => choose("deny"), ...permissions } = policy;
  const options = { cwd: project.dir, env: { ...project.env, ...env }, clock: systemClock, permissions, attended: true };
  await using app = await openApp(options).then((opened) => Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() }));
  await using _ = answering(app.questions, (id, answer) => app.questions.answer(id, answer, never), say);
  const id = await app.tasks.start({
    goal: "try things",
    type: "implement_feature",
    role: "engineer",
    criteria: [],
    constraints: [],
    checks,
    model: project.rules,
    profile: "minimal",
    maxSteps: 12,
  });
  const lines: unknown[] = [];
  const end = await app.tasks.run(id, (line) => lines.push(line), never);
  const trail = await Array.fromAsync(app.audit.query({ task: id }, never));
  const contexts = await Promise.all(end.steps.map((s) => app.tasks.context(id, s.step)));
  const files = readdirSync(privateOf(project), { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  const disk = files.map((e) => readFileSync(path.join(e.parentPath, e.name), "latin1")).join("\n");
  return { actions: end.steps.flatMap((s) => s.actions), trail, everything: JSON.stringify({ lines, end, trail, contexts }) + disk };
}

const run = (command: string, credentials?: string[]) => ({
  name: "run_command",
  input: { command, ...(credentials === undefined ? {} : { credentials }) },
});
const done = { name: "complete", input: { summary: "done" } };

test("SEC-006 SEC-011 ~AUD-001 ~GIT-007: a model that tries to escape is refused in code, and every attempt is on record", async () => {
  const project = scriptedProject(
    { "a.txt": "hello\n", ".env": "KEY=zzz-zzz-zzz\n" },
    script([
      run("git status && rm -rf ~"),
      run("bash -c 'git push --force'"),
      { name: "read_file", input: { path: ".env" } },
      { name: "write_file", input: { path: "../outside.txt", content: "x" } },
      run("cat a.txt"),
      done,
    ]),
  );
  const told = await play(project, {});
  const refused = told.trail.filter((l) => l.outcome === "denied");
  const attempts = new Set(refused.map((l) => `${l.action} ${l.target} (${l.rule?.split(":")[0]})`));
  expect([...attempts].sort()).toEqual([
    "read .env (sensitive_file)",
    "run bash -c 'git push --force' (git_matrix)",
    "run git status && rm -rf ~ (user_answer)",
  ]);
  expect(told.trail).toContainEqual(
    expect.objectContaining({ action: "run", target: "cat a.txt", outcome: "allowed", rule: "safe_list+scope_read: cat, inside project" }),
  );
  expect(existsSync(path.join(project.dir, "../outside.txt"))).toBe(false);
  expect(told.everything).not.toContain("zzz-zzz-zzz");
});

test("CRE-008 ~CRE-013 ~CRE-019 ~SEC-015 ~SEC-026: a credential reaches the one command it was named for, and nobody sees it", async () => {
  const print = 'echo "have:$GITHUB_TOKEN:"; echo "length:${#GITHUB_TOKEN}"';
  const project = scriptedProject({ "a.txt": "a" }, script([run(print), run(print, ["github"]), run(print), run("true", ["aws"]), done]));
  const asked: string[] = [];
  const lines: string[] = [];
  const say: Say = ({ ask, message }) => {
    // The line that would hold the key is a question of its own.
    if (ask.kind === "permission") return (lines.push(ask.reason), choose("once"));
    if (ask.kind !== "choice") return choose("deny");
    asked.push(message);
    return choose("always");
  };
  const told = await play(project, { say }, { GITHUB_TOKEN: TOKEN });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("engineer wants to use your github account");
  expect(lines).toEqual([expect.stringContaining("with your GITHUB_TOKEN, which it can read and print")]);
  expect(told.everything).not.toContain(TOKEN);
  expect(told.everything).toContain("have:[REDACTED]:");
  expect(told.everything.match(/length:24/g)?.length).toBeGreaterThan(0);
  expect(told.everything).toContain("length:0");
  expect(told.trail.filter((l) => l.event_type.startsWith("credential_")).map((l) => [l.event_type, l.target])).toEqual([
    ["credential_pending", "github"],
    ["credential_granted", "github"],
    ["credential_resolved", "github"],
    ["credential_denied", "aws"],
  ]);
  expect(readFileSync(path.join(privateOf(project), "permissions.yaml"), "utf8")).toContain("engineer:github");
});

test("CRE-013 ~CRE-015 ~CRE-016: a command gets all it named or does not run: out of scope, missing, refused by the person, half granted", async () => {
  const touch = (name: string, ...credentials: string[]) => run(`touch ${name}`, credentials);
  const both = run('echo "$OPENAI_API_KEY $ANTHROPIC_API_KEY" | wc -c > both.txt', ["openai", "anthropic"]);
  const tried = [touch("scope", "aws"), touch("half", "openai", "aws"), touch("refused", "github"), touch("again", "github"), both, done];
  const project = scriptedProject({ "a.txt": "a" }, script(tried));
  const asked: string[] = [];
  const say: Say = ({ ask, message }) => {
    if (ask.kind === "permission") return choose("once");
    asked.push(message);
    return choose("deny");
  };
  const env = { OPENAI_API_KEY: "k-openai-0123456789", ANTHROPIC_API_KEY: "k-anthropic-0123456789", GITHUB_TOKEN: TOKEN, AWS_API_KEY: "k" };
  const told = await play(project, { say }, env);
  for (const name of ["scope", "half", "refused", "again"]) expect(existsSync(path.join(project.dir, name))).toBe(false);
  expect(readFileSync(path.join(project.dir, "both.txt"), "utf8").trim()).toBe("43");
  expect(asked).toEqual(["engineer wants to use your github account (touch refused)"]);
  const lines = told.actions.join("\n");
  expect(lines).toContain("credential aws: this role may not use it");
  expect(lines).toContain("credential github: the user refused");
  expect(told.everything).not.toContain("k-openai-0123456789");
});

test.each([
  ["always", "always", 1, 2, true],
  ["for this session", "session", 1, 2, false],
  ["no", "deny", 1, 0, false],
] as const)("CRE-016: the person is asked once, by name and account: %s", async (_said, answer, times, used, kept) => {
  const project = scriptedProject({ "a.txt": "a" }, script([run("touch one", ["github"]), run("touch two", ["github"]), done]));
  const asked: string[] = [];
  const say: Say = ({ ask, message }) => {
    if (ask.kind === "permission") return choose("once");
    if (ask.kind !== "choice") return choose("deny");
    asked.push(message);
    return choose(answer);
  };
  const told = await play(project, { say }, { GITHUB_TOKEN: TOKEN });
  expect(asked).toEqual(Array(times).fill("engineer wants to use your github account (touch one)"));
  expect(["one", "two"].filter((name) => existsSync(path.join(project.dir, name)))).toHaveLength(used);
  expect(told.trail.filter((l) => l.event_type === "credential_denied").map((l) => l.rule)).toEqual(
    used > 0 ? [] : Array(2).fill("user_refused"),
  );
  const file = path.join(privateOf(project), "permissions.yaml");
  expect(existsSync(file) && readFileSync(file, "utf8").includes("engineer:github")).toBe(kept);
});

test("SEC-023 ~SEC-015: arguments that hold a secret are not used, and the attempt is recorded without it", async () => {
  const project = scriptedProject(
    { "a.txt": "a" },
    script([
      { name: "write_file", input: { path: "leak.txt", content: `token ${GITHUB}` } },
      { name: "read_file", input: { path: "$HOME/x" } },
      done,
    ]),
  );
  const told = await play(project, {});
  expect(existsSync(path.join(project.dir, "leak.txt"))).toBe(false);
  expect(told.trail.filter((l) => l.event_type === "secret_detected").map((l) => l.target)).toEqual([
    "write_file.content",
    "read_file.path",
  ]);
  expect(told.actions.join("\n")).toMatch(/name a credential instead/);
  expect(told.everything).not.toContain(GITHUB);
});

test("SEC-006: what the person allows is remembered for the project", async () => {
  const steps = script([run("printenv NOTHING"), run("printenv NOTHING"), done]);
  const project = scriptedProject({ "a.txt": "a" }, steps);
  const asked: string[] = [];
  const told = await play(project, {
    say: ({ ask }) => {
      asked.push(ask.kind === "permission" ? ask.reason : "");
      return choose("project");
    },
  });
  expect(asked).toEqual(["run printenv NOTHING"]);
  expect(told.trail.filter((l) => l.action === "run").map((l) => l.rule)).toEqual([
    "user_answer: the user allowed it (project)",
    "project_allowlist: approved line",
  ]);
  expect(readFileSync(path.join(privateOf(project), "permissions.yaml"), "utf8")).toContain("printenv");
});

test("~SEC-006: a check the person named needs no question, but a rule that denies it wins", async () => {
  const steps = script([{ name: "edit_file", input: { path: "a.txt", find: "a", replace: "b" } }, done]);
  const files = { "a.txt": "a", "check.sh": "touch ran\n" };
  const allowed = scriptedProject(files, steps);
  await play(allowed, {}, {}, ["sh check.sh"]);
  expect(existsSync(path.join(allowed.dir, "ran"))).toBe(true);
  const denied = scriptedProject(files, steps);
  const told = await play(denied, { deny: ["sh"] }, {}, ["sh  check.sh"]);
  expect(existsSync(path.join(denied.dir, "ran"))).toBe(false);
  expect(told.trail.filter((line) => line.action === "run").map((line) => [line.outcome, line.rule])).toContainEqual([
    "denied",
    "deny:session: the rule sh forbids it",
  ]);
});
