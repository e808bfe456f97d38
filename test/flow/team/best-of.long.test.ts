/** A second try in three ways: the tests decide, those that no builder sees included. */
import { expect, test, vi } from "vitest";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp, type App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

async function payloadsOf(app: App, type: string): Promise<Record<string, unknown>[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Record<string, unknown>[] = [];
  for await (const { payload } of app.api.events({ types: [type], until }, 0, new AbortController().signal))
    found.push(payload as Record<string, unknown>);
  return found;
}

const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
const guess = `export const loud = () => "loud a";\n`;
const long = "export const loud = (text) => {\n  const said = `loud ${text}`;\n  return said;\n};\n";
const short = "export const loud = (text) => `loud ${text}`;\n";

/** What the builder of each way writes. */
const ways = (...texts: readonly string[]): unknown[] =>
  ["mend exactly", "leave the way", "the shortest change"].map((words, index) => ({
    when: { role: "engineer", text: `^(?=.*Your way: [^\\n]*${words}).*your part of it`, step: 1 },
    answer: { text: "so", tool_calls: [{ name: "write_file", input: { path: "src/loud.js", content: texts[index] } }] },
  }));

test("built again in three ways, each in its own tree: of those that pass every test, seen and unseen, the shortest change is kept; the others are told of and gone", async () => {
  const pieces = [simplePiece("loud", { hidden, builds: [{ "src/loud.js": guess }] })];
  const project = teamProject(planOf(pieces), pieces, {}, ways(long, short, `// again\n${guess}`));
  const app = await openApp({ cwd: project.dir, env: { ...project.env, SYLK_TEAM_SECOND_TRY: "best_of" }, clock: systemClock });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const tried = await payloadsOf(app, "pipeline.way_tried");
  expect(tried.map(({ way, failing }) => [way, failing])).toEqual([
    [1, []],
    [2, []],
    [3, ["more: loud"]],
  ]);
  expect(Number(tried[0]?.["lines"])).toBeGreaterThan(Number(tried[1]?.["lines"]));
  expect((await payloadsOf(app, "pipeline.handed_over")).map(({ kept_way: way }) => way)).toEqual([undefined, 2]);
  expect(filesOf(project.dir)["src/loud.js"]).toBe(short);
  // Each in a tree of its own, and none of them saw another's.
  const tasks = await Promise.all((end.work[0]?.tasks ?? []).map((task) => app.tasks.show(task)));
  const builders = tasks.filter(({ role }) => role === "engineer");
  const created = (await payloadsOf(app, "task.created")).filter(({ role }) => role === "engineer");
  expect([builders.length, new Set(created.map(({ place }) => (place as { tree: string }).tree)).size]).toEqual([4, 4]);
  for (const { id: task } of builders.slice(1)) {
    const { user } = await app.tasks.context(task, 1);
    expect([user.includes(`+${guess.trim()}`), user.includes("const said"), user.includes("// again")]).toEqual([true, false, false]);
  }
  expect(gitIn(project.dir, "worktree", "list").trim().split("\n")).toHaveLength(1);
  await app.close();
});
