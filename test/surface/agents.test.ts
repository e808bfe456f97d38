/** `sylk agents`, and a role that nobody at Sylk knows, through the real command. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { runSylk } from "../support/run-sylk.ts";

function run(project: ScriptedProject, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return runSylk(project.dir, { ...project.env, SYLK_MEMORY_PLACE: "project", NO_COLOR: "1" }, args);
}

function putAgent(project: ScriptedProject, name: string, text: string): void {
  const dir = path.join(project.env["SYLK_HOME"] as string, "agents");
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, name), text);
}

interface Detail {
  role: string;
  fields: { name: string; value: unknown; from: string; file?: string }[];
  problems: unknown[];
}

test(
  "the user sees every role, each field with its origin, what does not count, and the word that was meant",
  { timeout: 60_000 },
  async () => {
    const project = scriptedProject(
      { "a.txt": "a\n", ".sylk/agents/all.yaml": "summary: taken over\ncapabilities: [configure]\n" },
      script([]),
    );
    putAgent(project, "engineer.yaml", "memory_tier: 2\nmodle: fast\n");
    const list = await run(project, "agents", "list");
    expect(list.code).toBe(0);
    expect(list.out).toMatch(/^engineer +changes code and shows that it works .*engineer\.yaml.*not used/m);
    const shown = await run(project, "agents", "show", "engineer");
    expect(shown.out).toMatch(/^memory_tier +2 +user: .*engineer\.yaml$/m);
    expect(shown.out).toMatch(/^git +read, commit +shipped$/m);
    expect(shown.out).toMatch(/engineer\.yaml: modle is no field of a role; did you mean model\?/);
    expect(shown.out).toContain(".sylk/agents/all.yaml: is not used before you read it and run `sylk trust`");
    expect((await run(project, "trust", "--yes")).code).toBe(0);
    const trusted = JSON.parse((await run(project, "agents", "show", "engineer", "--json")).out) as Detail;
    expect(trusted.fields).toContainEqual({ name: "summary", value: "taken over", from: "project", file: ".sylk/agents/all.yaml" });
    expect(trusted.fields).toContainEqual(expect.objectContaining({ name: "capabilities", value: [] }));
    expect(trusted.problems).toContainEqual(
      expect.objectContaining({ field: "capabilities", message: expect.stringContaining("not widen") as string }),
    );
    expect(await run(project, "agents", "show", "enginer")).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean engineer?") as string,
    });
  },
);

test("a role from the user's folder works on a task with its own prompt, rights and memory", { timeout: 120_000 }, async () => {
  const project = scriptedProject(
    { "a.txt": "HERON lives here\n" },
    script([
      { name: "read_file", input: { path: "a.txt" } },
      { name: "write_file", input: { path: "planted.txt", content: "x" } },
      { name: "note_fact", input: { subject: "bird", fact: "a.txt says HERON" } },
      { name: "escalate", input: { reason: "may not write", tried: "write_file" } },
    ]),
  );
  putAgent(
    project,
    "herald.md",
    "---\nsummary: tells what is new\ncapabilities: [file_read]\nmemory_tier: 1\nmodel: " +
      project.rules +
      "\n---\n\nYou are {{role}}, and you tell the news of PELICAN.\n",
  );
  const start = await run(project, "task", "start", "tell the news", "--role", "herald", "--no-checks", "--json");
  const lines = start.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(
    expect.objectContaining({ ok: false, summary: expect.stringContaining("write_file is not allowed in this phase") as string }),
  );
  const { system } = JSON.parse((await run(project, "task", "context", "last", "--step", "1", "--json")).out) as { system: string };
  expect(system.split("\n")[0]).toBe("You are herald, and you tell the news of PELICAN.");
  expect(JSON.parse((await run(project, "memory", "show", "--json")).out)).toMatchObject([{ agent: "herald", tier: 1 }]);
  expect((await run(project, "permissions", "show", "herald")).out).toBe("herald: file_read\n");
  expect(await run(project, "task", "start", "x", "--role", "heralt", "-m", project.rules)).toMatchObject({
    code: 2,
    err: expect.stringContaining("did you mean herald?") as string,
  });
});
