/** A task that wants what another session has not merged: by git's names for it, by its folder, by what it hopes nobody thought of. */
import { writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { stringify } from "yaml";
import type { App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { scriptedProject, type ScriptedProject } from "../../support/scripted-project.ts";

// Real trees, commands and git.
vi.setConfig({ testTimeout: 120_000 });

const SECRET = "only for who builds it";
const never = new AbortController().signal;

const rulesFor = (commands: readonly string[]): string =>
  stringify({
    rules: [
      {
        when: { text: "build it", step: 1 },
        answer: { text: "so", tool_calls: [{ name: "write_file", input: { path: "b.txt", content: `${SECRET}\n` } }] },
      },
      { when: { text: "build it" }, answer: { text: "so", tool_calls: [{ name: "complete", input: { summary: "built" } }] } },
      ...commands.map((command, index) => ({
        when: { text: `look ${index} `, step: 1 },
        answer: { text: "so", tool_calls: [{ name: "run_command", input: { command } }] },
      })),
      { answer: { text: "so", tool_calls: [{ name: "complete", input: { summary: "looked" } }] } },
    ],
  });

const projectWith = (commands: readonly string[], files: Record<string, string> = {}): ScriptedProject =>
  scriptedProject({ "a.txt": "one\n", ...files }, rulesFor(commands));

const task = (project: ScriptedProject, goal: string) => ({
  goal,
  type: "implement_feature",
  role: "engineer",
  criteria: [],
  constraints: [],
  checks: [],
  discoverChecks: false,
  model: project.rules,
  profile: "minimal",
  maxSteps: 3,
  worktree: true,
});

/** What was said to its command, and what it saw of it. */
async function told(app: App, id: string): Promise<{ acted: string; seen: string }> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const acted: string[] = [];
  for await (const { payload } of app.api.events({ stream: `task/${id}`, types: ["task.acted"], until }, 0, never))
    acted.push(JSON.stringify(payload));
  return { acted: acted.join("\n"), seen: (await app.tasks.context(id, 2)).user };
}

const ATTACKS = (other: string): string[] => [
  `git show sylk/${other}:b.txt`,
  `git show refs/heads/sylk/${other}:b.txt`,
  `git diff HEAD..sylk/${other}`,
  `git log -p heads/sylk/${other}`,
  `git log -p --all`,
  `git log -p --branches=sylk/*`,
  `git log -p --glob=refs/heads/*`,
  `git log -p --reflog`,
  `git show worktrees/${other}/HEAD:b.txt`,
  `git show :/built`,
  `git checkout sylk/${other}`,
  `git log refs/sylk/base/${other}`,
  `git log -p sylk/base/${other}`,
  `git diff HEAD sylk/checkpoints/${other}/000001`,
  `git show sylk/discarded/${other}-0123456789`,
  `echo sylk/${other} | git log -p --stdin`,
  `echo sylk/${other}:b.txt | git cat-file --batch`,
  `git cat-file --batch-all-objects --batch`,
];

test("~SES-044: what another session has not merged is refused with its own code and written down, by whatever name git has for it", async () => {
  // Trees are called after their task, so the first task is run before the attacks are written down.
  const first = projectWith([]);
  const opened = await first.open();
  const builder = await opened.tasks.start(task(first, "build it"));
  await opened.tasks.run(builder, () => undefined, never);
  const branch = /sylk\/(\S+)/u.exec(gitIn(first.dir, "branch", "--list", "sylk/*"))?.[1] ?? "";
  // Its work is committed where the attacks look for it: without a refusal every one of them would show it.
  const tree = /worktree (\S+)\nHEAD \w+\nbranch refs\/heads\/sylk\//u.exec(gitIn(first.dir, "worktree", "list", "--porcelain"))?.[1] ?? "";
  gitIn(tree, "add", "-A");
  gitIn(tree, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "built");
  expect(gitIn(first.dir, "show", `sylk/${branch}:b.txt`)).toBe(`${SECRET}\n`);
  const attacks = ATTACKS(branch);
  const second = projectWith(attacks);
  for (const [index, command] of attacks.entries()) {
    const id = await opened.tasks.start({ ...task(first, `look ${index} around`), model: second.rules });
    await opened.tasks.run(id, () => undefined, never);
    const { acted, seen } = await told(opened, id);
    expect([command, acted]).toEqual([command, expect.stringContaining("SESSION_ISOLATION_VIOLATION")]);
    expect([command, seen.includes(SECRET)]).toEqual([command, false]);
  }
  const refused: string[] = [];
  for await (const { rule } of opened.audit.query({ outcome: "denied" }, never)) refused.push(String(rule));
  expect(refused.filter((rule) => rule.startsWith("session_isolation") || rule.includes("SESSION_ISOLATION"))).toHaveLength(attacks.length);
  await opened.close();
});

test("the branch of its own tree a task may name", async () => {
  const project = projectWith([]);
  const app = await project.open();
  const id = await app.tasks.start(task(project, "look 0 around"));
  const own = /sylk\/(\S+)/u.exec(gitIn(project.dir, "branch", "--list", "sylk/*"))?.[1] ?? "";
  writeFileSync(project.rules.slice("scripted/".length), rulesFor([`git show sylk/${own}:a.txt`]));
  await app.tasks.run(id, () => undefined, never);
  const { acted, seen } = await told(app, id);
  expect(acted).toContain(`git show sylk/${own}:a.txt`);
  expect(acted).not.toContain("SESSION_ISOLATION_VIOLATION");
  expect(seen).toContain("one");
  await app.close();
});

test("a folder of a project that is called as the branches are may be named", async () => {
  const project = projectWith(["git log --oneline sylk/core.txt"], { "sylk/core.txt": "one\n" });
  const app = await project.open();
  const id = await app.tasks.start(task(project, "look 0 around"));
  await app.tasks.run(id, () => undefined, never);
  const { acted } = await told(app, id);
  expect([acted.includes("git log --oneline sylk/core.txt"), acted.includes("SESSION_ISOLATION_VIOLATION")]).toEqual([true, false]);
  await app.close();
});
