/** Skills found, loaded and used by a task; what a role noted, recalled by its next task. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { App } from "../../src/app/index.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const done = { name: "complete", input: { summary: "done" } };

async function withApp<T>(project: ScriptedProject, work: (app: App) => Promise<T>): Promise<T> {
  const app = await project.open();
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

function play(project: ScriptedProject, goal: string, role = "engineer") {
  return withApp(project, async (app) => {
    const id = await app.tasks.start({
      goal,
      type: "discover",
      role,
      criteria: [],
      constraints: [],
      checks: [],
      model: project.rules,
      profile: "minimal",
      maxSteps: 8,
    });
    const end = await app.tasks.run(id, () => undefined, never);
    const contexts = await Promise.all(end.steps.map((step) => app.tasks.context(id, step.step)));
    return { end, contexts };
  });
}

const skill = (name: string, description: string, body: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

test("SKF-014 CTX-006: a task sees a skill's name and description, loads its body on demand, and stays within its bound", async () => {
  const secretWord = "PELICAN";
  const body = `## How to greet\n\nSay ${secretWord}. See references/more.md.\n${Array.from({ length: 900 }, (_v, i) => `Rule ${i}: be kind to reader number ${i} of this text.`).join("\n")}`;
  const project = scriptedProject(
    {
      "a.txt": "hello\n",
      ".agents/skills/greeting-write/SKILL.md": skill("greeting-write", "Writes greetings. Use when a greeting is wanted.", body),
      ".agents/skills/greeting-write/references/more.md": "The word is HERON.\n",
      ".claude/skills/greeting-write/SKILL.md": skill("greeting-write", "Shadowed.", "no"),
      ".claude/skills/other-do/SKILL.md": skill("other-do", "Does other things. Use when nothing else fits.", "OTHERBODY"),
    },
    script([
      { name: "load_skill", input: { name: "greeting-write" } },
      { name: "load_skill", input: { name: "greeting-write", file: "references/more.md" } },
      { name: "load_skill", input: { name: "greeting-write", file: "../../../../a.txt" } },
      { name: "load_skill", input: { name: "nothing" } },
      done,
    ]),
  );
  const { end, contexts } = await play(project, "write a greeting");
  const [first, second, third] = contexts;
  expect(first?.user).toContain("- greeting-write: Writes greetings.");
  expect(first?.user).toContain("- other-do: Does other things.");
  expect(JSON.stringify(first)).not.toContain(secretWord);
  expect(second?.user).toContain(secretWord);
  expect(second?.user).toContain("next page: load_skill with from=");
  expect(third?.user).toContain("HERON");
  expect(JSON.stringify(contexts)).not.toContain("OTHERBODY");
  expect(Math.max(...contexts.map((context) => context.tokens))).toBeLessThanOrEqual(8_000);
  expect(end.steps.flatMap((step) => step.actions).filter((line) => line.includes("FAILED"))).toEqual([
    expect.stringContaining("is not a file of greeting-write"),
    expect.stringContaining("there is no skill nothing"),
  ]);
});

test("SKF-014: a project without skills does not pay for them", async () => {
  const { contexts } = await play(scriptedProject({ "a.txt": "a" }, script([done])), "look");
  expect(JSON.stringify(contexts)).not.toContain("load_skill");
});

test("SID-008: what a role noted with a source is recalled later, stale when its file changed; guesses are not kept", async () => {
  const note = (subject: string, fact: string) => ({ name: "note_fact", input: { subject, fact } });
  const project = scriptedProject(
    { "src/port.ts": "export const PORT = 4242;\n", "src/other.ts": "export const OTHER = 1;\n" },
    script([
      [
        { name: "read_file", input: { path: "src/port.ts" } },
        { name: "read_file", input: { path: "src/other.ts" } },
      ],
      [
        note("port", "src/port.ts: the server listens on 4242"),
        note("other", "src/other.ts holds one constant"),
        note("wish", "short answers please"),
        note("guess", "users probably like blue"),
        note("src/moon.ts", "the moon is near"),
      ],
      done,
    ]),
  );
  await play(project, "find the port, short answers please");
  const log = readFileSync(path.join(project.dir, ".sylk/memory/engineer/decision-log.md"), "utf8");
  expect(log.match(/^### .*$/gm)?.map((line) => line.slice(17))).toEqual(["port", "other", "wish"]);
  expect(log).toMatch(/Evidence: file `src\/port\.ts` sha256:[0-9a-f]{64}/);
  expect(log).toContain("Evidence: the user said “short answers please”");

  const again = await play(project, "what is the port?");
  expect(again.contexts[0]?.user).toMatch(/- \[\d{4}-\d\d-\d\d\] port: src\/port\.ts: the server listens on 4242 \(file `src\/port\.ts`\)/);
  const stranger = await play(project, "what is the port?", "tester");
  expect(stranger.contexts[0]?.user).not.toContain("4242");

  writeFileSync(path.join(project.dir, "src/port.ts"), "export const PORT = 1;\n");
  const later = await play(project, "what is the port now?");
  expect(later.contexts[0]?.user).toMatch(/- STALE, src\/port\.ts changed since .*: port: src\/port\.ts: the server listens on 4242/);
  expect(later.contexts[0]?.user).toMatch(/- \[\d{4}-\d\d-\d\d\] other: /);
});

test("XRF-003 XRF-004: a role reads what another decided only when its matrix says so", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([done]));
  const today = new Date().toISOString().slice(0, 10);
  mkdirSync(path.join(project.dir, ".sylk/memory/architect"), { recursive: true });
  writeFileSync(
    path.join(project.dir, ".sylk/memory/architect/decision-log.md"),
    `### [${today}] Use SQLite\n\n- Agent: architect\n- Status: active\n\nOne file.\n`,
  );
  expect((await play(project, "go", "engineer")).contexts[0]?.user).toContain("Use SQLite");
  expect((await play(project, "go", "tester")).contexts[0]?.user).not.toContain("Use SQLite");
});
