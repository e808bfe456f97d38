/** What a task did is known afterwards: its goal and outcome, and which files it changed; a role uses its skills while it works. */
import { expect, test } from "vitest";
import { script, scriptedProject, type ScriptedCall } from "../support/scripted-project.ts";

const never = new AbortController().signal;
const done = { name: "complete", input: { summary: "the cart rounds now" } };

async function play(type: string, role: string, goal: string, calls: ScriptedCall[]) {
  const project = scriptedProject({ "src/cart.ts": "export function total(): number {\n  return 1;\n}\n" }, script([...calls, done]));
  const app = await project.open();
  const id = await app.tasks.start({
    goal,
    type,
    role,
    criteria: [],
    constraints: [],
    checks: [],
    model: project.rules,
    profile: "minimal",
    maxSteps: 8,
  });
  const end = await app.tasks.run(id, () => undefined, never);
  return { app, id, end };
}

test("KNO-026 VGD-050: a file changed by a task has the task in its history, and the task its files, also after a rebuild", async () => {
  const { app } = await play("implement_feature", "engineer", "Round totals in the cart", [
    { name: "write_file", input: { path: "src/rounding.ts", content: "export const round = Math.round;\n" } },
  ]);
  try {
    for (const again of [false, true]) {
      if (again) await app.knowledge.rebuild({ signal: never });
      else await app.knowledge.index({ signal: never });
      const past = app.knowledge.graph().historyFor("src/rounding.ts");
      expect(past).toMatchObject([{ change: "created", node: { domain: "history", type: "outcome" } }]);
      const code = app.knowledge.cross().codeForHistory(past[0]?.node.id ?? "");
      expect(code.map(({ node }) => node.id)).toEqual(["src/rounding.ts"]);
      const { hits } = await app.knowledge.search({ text: "round totals cart", domain: "history", signal: never });
      expect(hits[0]?.title).toContain("Round totals in the cart");
    }
  } finally {
    await app.close();
  }
});

test("what was taken back is known as taken back, where a line is explained and where the past is searched", async () => {
  const { app, id } = await play("implement_feature", "engineer", "Round totals in the cart", [
    { name: "edit_file", input: { path: "src/cart.ts", find: "return 1", replace: "return Math.round(1)" } },
  ]);
  try {
    await app.api.send({ type: "task.undo", id, dry_run: false, force: false });
    await app.knowledge.index({ signal: never });
    const { notes } = await app.api.query({ type: "knowledge.why", path: "src/cart.ts", line: 2 });
    expect(notes[0]?.text).toContain("Taken back by the user");
    const { hits } = await app.knowledge.search({ text: "round totals cart taken back", domain: "history", signal: never });
    expect(hits.map(({ title }) => title)).toContainEqual(expect.stringContaining("Taken back by the user"));
  } finally {
    await app.close();
  }
});

test("~SRC-001: a role calls its skills as actions and sees what they found in its next step", async () => {
  const { app, id, end } = await play("discover", "librarian", "Where is the total made?", [
    { name: "search_code", input: { query: "total" } },
    { name: "get_symbol", input: { symbol_id: "src/cart.ts:total", include_source: true } },
    { name: "get_symbol", input: { symbol_id: "src/cart.ts:nothing" } },
  ]);
  try {
    expect(end.steps.length).toBeGreaterThanOrEqual(4);
    const shown = await Promise.all(end.steps.map(async (step) => JSON.stringify(await app.tasks.context(id, step.step))));
    expect(shown[1]).toContain("src/cart.ts:1");
    expect(shown[2]).toContain("return 1;");
    expect(shown[3]).toContain("nothing is known under src/cart.ts:nothing");
  } finally {
    await app.close();
  }
});
