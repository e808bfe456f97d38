/** The goal monitor inside real runs: when it looks, what it writes, what it does, what it learns. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteDriver } from "../../src/journal/index.ts";
import { systemClock, systemPaths } from "../../src/kernel/index.ts";
import { assess } from "../../src/step/monitor/assess.ts";
import { labelledTraces, type Trace } from "../support/goal-traces.ts";
import { privateOf, script, type ScriptedCall, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const missing = (name: string): ScriptedCall => ({ name: "read_file", input: { path: `${name}.txt` } });

async function play(steps: ScriptedCall[], more: { project?: ScriptedProject; criteria?: string[] } = {}) {
  const project = more.project ?? scriptedProject({ "a.txt": "a\n" }, script(steps));
  const app = await project.open();
  const id = await app.tasks.start({
    goal: "Describe how the lighthouse keeper counts ships",
    type: "implement_feature",
    role: "engineer",
    criteria: more.criteria ?? ["ships are counted"],
    constraints: [],
    checks: ["false"],
    model: project.rules,
    profile: "minimal",
    maxSteps: undefined,
  });
  const end = await app.tasks.run(id, () => undefined, new AbortController().signal);
  const stats = await app.tasks.goalStats();
  await app.close();
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const goal = await store.journal.read(`goal/${id}`);
  const task = await store.journal.read(`task/${id}`);
  const calls = (await store.journal.readAll({ after: 0, limit: 10_000 })).filter((event) => event.type === "model.call_finished");
  return { project, id, end, stats, goal, task, calls };
}

const LOST = ["x", "y", "z", "u", "v", "w"].map(missing);

test("~GOA-001 ~GOA-007: a standstill is looked at by itself, its advice reaches the next step, and no look starts another", async () => {
  const { goal, task, end } = await play([...LOST, { name: "ask_user", input: { question: "where is it?" } }]);
  const looks = goal.filter((event) => event.type === "goal.assessed").map((event) => event.payload as Record<string, unknown>);
  expect(looks.length).toBeGreaterThanOrEqual(2);
  expect(looks.every((look) => look["skip_goal_monitor"] === true)).toBe(true);
  expect(new Set(looks.map((look) => look["to_step"])).size).toBe(looks.length);
  expect(looks[0]).toMatchObject({ assessment: { impasse: true, type: "KNOWLEDGE_GAP", action: "remediate" } });
  const advised = task.find((event) => event.type === "task.advised");
  expect(advised).toMatchObject({ actor: "system/monitor", payload: { text: expect.stringContaining("KNOWLEDGE_GAP") as string } });
  expect(end.status).toBe("escalated");
});

test("GOA-002 GOA-006: what was learnt, loaded, wanted, reached, found and chosen is recorded, and readable as a file", async () => {
  const { goal, project, id } = await play([...LOST, { name: "ask_user", input: { question: "where is it?" } }]);
  const first = goal.find((event) => event.type === "goal.assessed")?.payload as { steps: Record<string, unknown>; to_step: number };
  expect(first.steps).toMatchObject({
    learnt: [],
    loaded: { said: expect.stringContaining("step") as string, previous: null },
    goal: { request: "Describe how the lighthouse keeper counts ships", criteria: 1, constraints: 0 },
    progress: [{ criterion: "ships are counted", met: false, evidence: "failing: check" }],
    impasse: [{ type: "KNOWLEDGE_GAP" }],
    remedy: expect.stringContaining("missing information") as string,
    file: expect.stringContaining(`-to-${first.to_step}.md`) as string,
  });
  const text = readFileSync(path.join(privateOf(project), "goal", first.steps["file"] as string), "utf8");
  expect(text).toContain("**Impasse:** KNOWLEDGE_GAP");
  expect(first.steps["file"]).toContain(id);
});

test("~GOA-009: outcomes of remedies are counted, told to the next look, and a remedy that keeps failing is not tried again", async () => {
  const first = await play([...LOST, { name: "ask_user", input: { question: "where is it?" } }]);
  expect(first.stats.find((row) => row.type === "KNOWLEDGE_GAP")).toMatchObject({ seen: expect.any(Number) as number, failed: 1 });
  const second = await play([], { project: first.project });
  const look = second.goal.find((event) => event.type === "goal.assessed")?.payload as { steps: { learnt: string[] } };
  expect(look.steps.learnt).toContain("KNOWLEDGE_GAP: the remedy brought work on again in 0 of 1 cases");
  const gap = labelledTraces(3, 0).find((trace) => trace.label === "KNOWLEDGE_GAP") as Trace;
  const after = async (worked: number, failed: number) =>
    (await assess(gap.input, { outcomes: [{ type: "KNOWLEDGE_GAP", worked, failed }] })).action;
  expect([await after(0, 2), await after(5, 3), await after(1, 3)]).toEqual(["remediate", "remediate", "escalate"]);
});

test("~GOA-012: without a model of its own the monitor adds no call and no token to a run", async () => {
  const { calls, task } = await play([...LOST, { name: "ask_user", input: { question: "where is it?" } }]);
  expect(calls).toHaveLength(task.filter((event) => event.type === "task.stepped").length);
});

test("GOA-011: changes that touch nothing the goal speaks of, for long, with no check gained, are reported as drift", async () => {
  const writing = Array.from({ length: 10 }, (_v, i): ScriptedCall => ({
    name: "write_file",
    input: { path: `poem${i}.txt`, content: `verse ${i}\n` },
  }));
  const trace = labelledTraces(1, 1).at(-1) as Trace;
  const steps = writing.map((call, i) => ({
    step: i + 1,
    phase: "change",
    actions: [
      {
        action: call.name,
        target: `poem${i}.txt`,
        ok: true,
        outcome: "changed",
        summary: `changed create poem${i}.txt`,
        signature: `w${i}`,
      },
    ],
    invalid: undefined,
    progress: true,
    failing: ["same"],
    tokens: 100,
  }));
  const said = await assess({
    ...trace.input,
    goal: "Describe how the lighthouse keeper counts ships",
    criteria: ["ships are counted correctly"],
    constraints: [],
    steps,
    step: 10,
    limit: 30,
    words: [],
    question: undefined,
    checks: [{ name: "keeper", passed: false }],
  });
  expect(said).toMatchObject({ impasse: true, type: "AMBIGUITY", action: "escalate" });
  expect(said.evidence[0]).toContain("poem");
});

test("~GOA-004 ~GOA-007: a knowledge gap is looked into by a task of its own, once, and what it found stands in the next step", async () => {
  const project = scriptedProject(
    { "a.txt": "a\n", "docs/ships.md": "Ships are counted by the lamp's log.\n" },
    script([...LOST, { name: "ask_user", input: { question: "where is it?" } }]),
  );
  const fast = path.join(project.base, "fast.yaml");
  const report = "docs/ships.md says it: ships are counted by the lamp's log";
  writeFileSync(
    fast,
    script([
      { name: "read_file", input: { path: "docs/ships.md" } },
      { name: "complete", input: { summary: report } },
    ]),
  );
  const { config } = systemPaths.dirs({ env: project.env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.yaml"), `llm:\n  tiers:\n    fast: scripted/${fast}\n`);
  const { task, id } = await play([], { project });
  const advised = task.filter((event) => event.type === "task.advised").map((event) => (event.payload as { text: string }).text);
  expect(advised[0]).toContain(`Research was done and found:\n${report}`);
  await using store = await sqliteDriver.open({ path: path.join(privateOf(project), "sylk.db"), clock: systemClock });
  const all = await store.journal.readAll({ after: 0, limit: 10_000 });
  const created = all.filter((event) => event.type === "task.created").map((event) => event.payload as { type: string; inputs: object });
  expect(created.filter(({ type }) => type === "discover")).toMatchObject([{ role: "librarian", inputs: { "research for": id } }]);
  const told = task.find((one) => one.type === "task.advised")?.position ?? 0;
  const after = task.findIndex((event) => event.type === "task.stepped" && event.position > told);
  const { context } = (task[after] as { payload: unknown }).payload as { context: { user: `blob:sha256:${string}` } };
  expect(Buffer.from(await store.blobs.get(context.user)).toString("utf8")).toContain(report);
});
