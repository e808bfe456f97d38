/** Skills found, loaded and used by a task; what a role noted, recalled by its next task. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { App } from "../support/lab.ts";
import { countTokens } from "../../src/model/index.ts";
import { privateOf, script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

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

function begin(app: App, project: ScriptedProject, goal: string, role: string): Promise<string> {
  return app.tasks.start({
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
}

type Line = Parameters<Parameters<App["tasks"]["run"]>[1]>[0];

function play(project: ScriptedProject, goal: string, role = "engineer", onLine: (line: Line) => void = () => undefined) {
  return withApp(project, async (app) => {
    const id = await begin(app, project, goal, role);
    const end = await app.tasks.run(id, onLine, never);
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
  await withApp(project, (app) => app.trust.decide("yes"));
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

test("~SID-008: what a role noted with a source is recalled later, stale when its file changed; guesses are not kept", async () => {
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
  const told: Line[] = [];
  await play(project, "find the port, short answers please", "engineer", (line) => told.push(line));
  expect(told.flatMap((line) => (line.type === "action" && line.action === "memory" ? [line.summary] : []))).toEqual([
    "kept for later tasks: port, other, wish",
    "without a source, so not kept: guess, src/moon.ts",
  ]);
  const log = readFileSync(path.join(privateOf(project), "memory/engineer/decision-log.md"), "utf8");
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
  mkdirSync(path.join(privateOf(project), "memory/architect"), { recursive: true });
  writeFileSync(
    path.join(privateOf(project), "memory/architect/decision-log.md"),
    `### [${today}] Use SQLite\n\n- Agent: architect\n- Status: active\n\nOne file.\n`,
  );
  expect((await play(project, "go", "engineer")).contexts[0]?.user).toContain("Use SQLite");
  expect((await play(project, "go", "tester")).contexts[0]?.user).not.toContain("Use SQLite");
});

test("SKF-014: a project's own skill is listed but not loaded before the folder is trusted; what was approved in the forge needs no second yes", async () => {
  const project = scriptedProject(
    {
      "a.txt": "a",
      ".agents/skills/greeting-write/SKILL.md": skill("greeting-write", "Writes greetings. Use when a greeting is wanted.", "PELICAN"),
    },
    script([{ name: "load_skill", input: { name: "greeting-write" } }, done]),
  );
  // The user's own skill of the same name is not hidden by one that is not trusted.
  const own = path.join(project.base, ".agents/skills/greeting-write");
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, "SKILL.md"), skill("greeting-write", "My own greetings. Use when a greeting is wanted.", "HERON"));
  const first = await play(project, "greet");
  expect(first.contexts[0]?.user).toContain("My own greetings");
  expect(JSON.stringify(first.contexts)).not.toContain("PELICAN");
  rmSync(own, { recursive: true });

  const lines: Line[] = [];
  const before = await play(project, "greet", "engineer", (line) => lines.push(line));
  expect(JSON.stringify(before.contexts)).not.toContain("greeting-write: Writes greetings");
  expect(JSON.stringify(before.contexts)).not.toContain("PELICAN");
  expect(lines.find((line) => line.type === "action" && line.outcome === "untrusted_skills")).toMatchObject({ target: "greeting-write" });

  await withApp(project, async (app) => {
    expect(app.skills.catalogue().skills).toMatchObject([{ name: "greeting-write", trusted: false }]);
    const made = await app.skills.create(
      "write farewells",
      { targets: ["agents"], template: "base", model: undefined, global: false, dryRun: false },
      { approve: true },
      never,
    );
    expect(app.skills.catalogue().skills.map(({ name, trusted }) => [name, trusted])).toEqual([
      [made.name, true],
      ["greeting-write", false],
    ]);
    writeFileSync(path.join(project.dir, ".agents/skills", made.name, "references.md"), "changed behind the gate");
    expect(app.skills.catalogue().skills.every(({ trusted }) => !trusted)).toBe(true);
    expect((await app.trust.status({ checks: "none" })).things.map(({ name, standing }) => [name, standing])).toEqual([
      [`.agents/skills/${made.name}`, "changed"],
      [".agents/skills/greeting-write", "added"],
    ]);
    await app.trust.decide("yes");
  });
  expect(JSON.stringify((await play(project, "greet")).contexts)).toContain("PELICAN");
});

test("XRF-008: what was loaded is on record with its checksum; on resume a changed reference is told before work goes on", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([{ name: "read_file", input: { path: "a.txt" } }, done]));
  const today = new Date().toISOString().slice(0, 10);
  const log = path.join(privateOf(project), "memory/architect/decision-log.md");
  mkdirSync(path.dirname(log), { recursive: true });
  const text = `### [${today}] Use SQLite\n\n- Agent: architect\n- Status: active\n\nOne file.\n`;
  writeFileSync(log, text);
  const lines: Line[] = [];
  await withApp(project, async (app) => {
    const id = await begin(app, project, "go", "engineer");
    const events: { type: string; payload: unknown }[] = [];
    for await (const event of app.journal.export({ filter: { stream: "memory/engineer" }, signal: never })) events.push(event);
    expect(events).toMatchObject([
      {
        type: "memory.loaded",
        payload: {
          references: [
            { agent: "architect", file: "decision-log.md", mode: "recent", sha256: createHash("sha256").update(text).digest("hex") },
          ],
          downgrades: [],
        },
      },
    ]);
    const stop = new AbortController();
    await app.tasks.run(id, (line) => line.type === "action" && stop.abort(), stop.signal).catch(() => undefined);
    expect((await app.tasks.show(id)).step).toBe(1);
    writeFileSync(log, text.replace("One file.", "Two files."));
    await app.tasks.run(id, (line) => lines.push(line), never);
  });
  expect(lines.map((line) => (line.type === "action" ? line.outcome : line.type)).slice(0, 3)).toEqual(["task", "stale_reference", "step"]);
  expect(lines[1]).toMatchObject({ target: "architect/decision-log.md" });
});

async function trustMemory({ api }: App): Promise<void> {
  const { things } = await api.query({ type: "trust.status", checks: "none" });
  const shown = things.flatMap(({ kind, name, hash }) => (kind === "memory" ? [{ kind, name, hash }] : []));
  await api.send({ type: "trust.decide", answer: "yes", things: shown, earlier: "keep" });
}

test("XRF-001: where an agent's definition and the matrix differ, the matrix counts and a warning is told at the start", async () => {
  const project = scriptedProject(
    {
      "a.txt": "a",
      ".sylk/agents/engineer.md": "---\nname: engineer\nreads_from:\n  - agent: tester\n---\n\nYou build.\n",
      ".sylk/memory/config.yaml": "cross_references: { engineer: { reads_from: [{ agent: architect }, { agent: moon }] } }\n",
      ".sylk/memory/tester/decision-log.md": "### [2099-01-01] Never seen\n\n- Agent: tester\n- Status: active\n\nPELICAN\n",
    },
    script([done]),
  );
  project.env["SYLK_MEMORY_PLACE"] = "project";
  await withApp(project, trustMemory);
  const lines: Line[] = [];
  const { contexts } = await play(project, "go", "engineer", (line) => lines.push(line));
  expect(JSON.stringify(contexts)).not.toContain("PELICAN");
  expect(lines.flatMap((line) => (line.type === "action" && line.outcome === "memory_warning" ? [line.summary] : []))).toEqual([
    "engineer reads moon, which is no agent here",
    "engineer's definition reads tester/decision-log.md (recent), the matrix does not: it is not loaded",
    "the matrix lets engineer read architect/decision-log.md (recent), its definition does not say so",
    "the matrix lets engineer read moon/decision-log.md (recent), its definition does not say so",
  ]);
  writeFileSync(path.join(project.dir, ".sylk/agents/engineer.md"), "---\nreads_from: [{ agent: engineer }]\n---\n");
  await expect(play(project, "go")).rejects.toMatchObject({ code: "CONFIG_MEMORY_SELF_REFERENCE" });
});

test("~EFF-040 EFF-041 EFF-061 EFF-063: what the user wants and what went wrong reaches later tasks of the roles it is for; a guess does not", async () => {
  const note = (subject: string, fact: string) => ({ name: "note_fact", input: { subject, fact } });
  const project = scriptedProject(
    { "src/db.ts": "export const DB = 1;\n" },
    script([
      { name: "read_file", input: { path: "src/db.ts" } },
      [
        note("preference:code_style.comments", "write few comments"),
        note("preference:code_style.quotes", "users surely like single quotes"),
        note("preference:moon.phase", "write few comments"),
        note("mistake:mocking the database driver", "src/db.ts broke in production -> use a real database in a temp folder"),
        note("mistake:guessing ports", "nothing answered -> ask first"),
        note("mistake:half a record", "it failed"),
      ],
      done,
    ]),
  );
  const first = await play(project, "please write few comments");
  expect(first.contexts[0]?.user).not.toContain("what the user prefers");
  expect(first.end.steps[1]?.actions.at(-1)).toContain("the second part is missing");
  await withApp(project, async (app) => {
    expect(await app.memory.preferences()).toMatchObject({
      explicit: {},
      implicit: { "code_style.comments": { value: "write few comments", confidence: 0.6 } },
      resolved: { "code_style.comments": "write few comments" },
    });
    expect(await app.memory.mistakes()).toMatchObject([
      { pattern: "mocking the database driver", fix: "use a real database in a temp folder", confidence: 0.7, occurrences: 1 },
    ]);
    await app.memory.learn([{ key: "workflow.language", value: "answer in German", how: "said" }]);
  });
  const second = await play(project, "please write few comments; test the database driver");
  expect(second.contexts[0]?.user).toContain("- workflow.language: answer in German\n- code_style.comments: write few comments (observed");
  expect(second.contexts[0]?.user).toContain(
    "mocking the database driver: src/db.ts broke in production. What helped: use a real database",
  );
  const third = await play(project, "paint the fence", "designer");
  expect(third.contexts[0]?.user).toContain("answer in German");
  expect(third.contexts[0]?.user).not.toContain("mocking the database");
  const fourth = await play(project, "test the database driver", "tester");
  expect(fourth.contexts[0]?.user).not.toContain("answer in German");
  expect(fourth.contexts[0]?.user).toContain("mocking the database driver");
  await withApp(project, async (app) => {
    expect((await app.memory.preferences()).implicit["code_style.comments"]).toMatchObject({ confidence: 0.7 });
    expect(await app.memory.mistakes()).toMatchObject([{ confidence: 0.85, occurrences: 4 }]);
  });
});

test("EFF-060: whatever was learnt takes no more room than the profile gives it", async () => {
  const project = scriptedProject({ "a.txt": "a" }, script([done]));
  await withApp(project, async (app) => {
    const many = Array.from({ length: 80 }, (_v, i) => ({
      key: `workflow.rule_${i}`,
      value: `rule ${i} ${"word ".repeat(8)}`,
      how: "said" as const,
    }));
    await app.memory.learn(many);
    for (let i = 0; i < 40; i += 1)
      await app.memory.reportMistake(
        { pattern: `paint fence colour${i} layer${i} brush${i}`, error: `it fell off at ${i * 7919}`, fix: `use glue ${i * 104_729}` },
        { dryRun: false },
      );
  });
  const { contexts } = await play(project, "paint the fence");
  const pinned = contexts[0]?.user ?? "";
  expect(pinned.match(/^- workflow\.rule_/gm)?.length).toBeGreaterThan(2);
  expect(pinned.match(/^- paint fence /gm)?.length).toBeGreaterThan(1);
  const lines = pinned.split("\n").filter((line) => /^- (workflow\.rule_|paint fence )/.test(line));
  expect(countTokens(lines.join("\n"))).toBeLessThanOrEqual(200);
});

test("a secret somebody wrote into a skill or a memory file by hand reaches neither the model nor the journal", async () => {
  const secret = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7x".repeat(2).slice(0, 36)}`;
  const today = new Date().toISOString().slice(0, 10);
  const load = (file?: string) => ({ name: "load_skill", input: { name: "deploy-do", ...(file === undefined ? {} : { file }) } });
  const project = scriptedProject(
    {
      "outside.txt": "PELICAN",
      ".agents/skills/deploy-do/SKILL.md": skill("deploy-do", `Deploys with ${secret}. Use when deploying.`, `HERON, then use ${secret}.`),
      ".agents/skills/deploy-do/.env": "TOKEN=OSPREY",
      ".sylk/memory/engineer/decision-log.md": `### [${today}] Token\n\n- Agent: engineer\n- Status: active\n\nThe token is ${secret}, STORK\n`,
    },
    script([load(), load("link.md"), load(".env"), done]),
  );
  project.env["SYLK_MEMORY_PLACE"] = "project";
  await withApp(project, trustMemory);
  symlinkSync(path.join(project.dir, "outside.txt"), path.join(project.dir, ".agents/skills/deploy-do/link.md"));
  await withApp(project, (app) => app.trust.decide("yes"));
  const { end, contexts } = await play(project, "deploy");
  const seen = JSON.stringify({ end, contexts });
  expect(seen).toContain("HERON");
  expect(seen).toContain("STORK");
  for (const word of [secret, "PELICAN", "OSPREY"]) expect(seen).not.toContain(word);
  const kept = readdirSync(privateOf(project)).filter((name) => name.startsWith("sylk.db"));
  for (const name of kept) expect(readFileSync(path.join(privateOf(project), name), "latin1")).not.toContain(secret);
});

test("SEC-021: secrets in the project's rules and in memory files go neither to a model nor to a surface, and the person is told", async () => {
  const token = `ghp_${"aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"}`;
  const project = scriptedProject(
    {
      "a.txt": "x\n",
      "AGENTS.md": `Be kind.\nDeploy with ${token}.\n`,
      ".sylk/memory/engineer/decision-log.md": `# Decisions\n\n### [2026-01-05] Deploy\n- Agent: engineer\n- Type: implementation\n- Status: active\n\nThe token is ${token}\n\n`,
    },
    script([
      { name: "read_file", input: { path: "a.txt" } },
      { name: "complete", input: { summary: "done" } },
    ]),
  );
  project.env["SYLK_MEMORY_PLACE"] = "project";
  await withApp(project, trustMemory);
  const lines: Line[] = [];
  await withApp(project, async (app) => {
    const id = await begin(app, project, "look around", "engineer");
    await app.tasks.run(id, (line) => lines.push(line), never);
    const { user } = await app.tasks.context(id, 1);
    expect(user).toContain("Deploy with [REDACTED].");
    expect(lines.find((line) => line.type === "action" && line.outcome === "secret_in_rules")).toMatchObject({ target: "AGENTS.md" });
    const loaded = await app.memory.load("engineer", { recent: undefined });
    expect(loaded.decisions[0]?.body).toContain("The token is [REDACTED]");
    expect(JSON.stringify([user, lines, loaded, await app.tasks.show(id)])).not.toContain(token);
  });
  const files = readdirSync(privateOf(project), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== "decision-log.md",
  );
  for (const entry of files) expect(readFileSync(path.join(entry.parentPath, entry.name), "latin1")).not.toContain(token);
});
