/** A task in a project with a language server: what its edits break is told with them, names are followed and renamed. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { NO_SANDBOX } from "../support/sandboxed.ts";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const FILES = {
  "tsconfig.json": `{"compilerOptions":{"strict":true,"noEmit":true}}`,
  "a.ts": "export function add(first: number): number {\n  return first + 1;\n}\n",
  "b.ts": 'import { add } from "./a.js";\nexport const sum = add(1);\n',
};

async function task(files: Record<string, string>, steps: ScriptedCall[]) {
  const project = scriptedProject(files, script([...steps, { name: "ask_user", input: { question: "enough?" } }]));
  const app = await project.open();
  const common = { goal: "work", criteria: [], constraints: [], checks: [], model: project.rules, profile: "minimal", maxSteps: undefined };
  const id = await app.tasks.start({ ...common, type: "implement_feature", role: "engineer", discoverChecks: false });
  const end = await app.tasks.run(id, () => undefined, never);
  const contexts = await Promise.all(Array.from({ length: steps.length + 1 }, (_v, i) => app.tasks.context(id, i + 1)));
  const text = (file: string): string => readFileSync(path.join(project.dir, file), "utf8");
  return { app, id, end, contexts, text };
}

const actions = (tools: unknown): string[] => (tools as { name: string }[]).map(({ name }) => name);

test.skipIf(NO_SANDBOX !== undefined)(
  "~FMT-027: problems an edit brings stand in the next step, names are followed, and a rename is one change that can be taken back",
  async () => {
    const { app, id, end, contexts, text } = await task(FILES, [
      { name: "definition", input: { path: "b.ts", line: 2, name: "add" } },
      { name: "edit_file", input: { path: "a.ts", find: "first + 1", replace: "frist + 1" } },
      { name: "edit_file", input: { path: "a.ts", find: "frist + 1", replace: "first + 2" } },
      { name: "references", input: { path: "a.ts", line: 1, name: "add" } },
      { name: "rename", input: { path: "a.ts", line: 1, name: "add", to: "plus" } },
    ]);
    expect(actions(contexts[0]?.tools)).toEqual(expect.arrayContaining(["definition", "references", "rename"]));
    expect(contexts[1]?.user).toContain("1│export function add(first: number)");
    expect(contexts[2]?.user).toContain("a.ts:2 error 2552: Cannot find name 'frist'.");
    expect(contexts[2]?.user).toContain("this brought 1 new error: see problems");
    expect(contexts[3]?.user).not.toContain("a.ts:2 error");
    expect(contexts[4]?.user).toContain("b.ts:2: export const sum = add(1);");
    expect(text("a.ts")).toContain("function plus(first: number): number {\n  return first + 2;");
    expect(text("b.ts")).toBe('import { plus } from "./a.js";\nexport const sum = plus(1);\n');
    expect(end.steps.at(4)?.actions.join()).toContain("rename");
    await app.changes.undo(id, { dryRun: false, force: false, signal: never });
    expect(text("b.ts")).toBe(FILES["b.ts"]);
    expect(text("a.ts")).toBe(FILES["a.ts"]);
    await app.close();
  },
);

test("without a server the three actions are not there and cost nothing", async () => {
  const { app, contexts } = await task({ "a.js": "export const a = 1;\n" }, []);
  expect(actions(contexts[0]?.tools).filter((name) => ["definition", "references", "rename"].includes(name))).toEqual([]);
  expect(contexts[0]?.user).not.toContain("language server");
  await app.close();
});
