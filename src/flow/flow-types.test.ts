/** What a request's own tasks may say and do fits the smallest size, and plans are refused for the right reason. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { countTokens } from "../model/index.ts";
import { PLAN, type Plan } from "../protocol/plan/index.ts";
import { shippedRole } from "../../test/support/shipped-roles.ts";
import { createRegistry, toolSpecOf } from "../step/actions/registry.ts";
import { systemPrompt, taskTypeOf } from "../step/task-type.ts";
import { createFlowExtension } from "./actions.ts";
import { layersOf, planProblems } from "./check-plan.ts";
import { asOne, soloOrTeam } from "./solo-or-team.ts";

const NOWHERE = { projectDir: "/nowhere", trusts: () => false };
const ABLE = { actions: [], consults: [], capabilities: ["file_read", "file_write", "execute"] as const };
const OWN = ["plan_request", "red_tests", "weigh_test", "inspect", "reconcile"];

test.each(OWN)("22: prompts and actions of %s stay within 1,000 tokens together in every phase", (name) => {
  expect(readdirSync("task-types")).toContain(name);
  const type = taskTypeOf({ type: name, checks: [] }, NOWHERE);
  const registry = createRegistry(createFlowExtension({} as never).actions);
  for (const phase of Object.keys(type.phases)) {
    const tools = registry.allowed({ type, phase, role: ABLE }).map(toolSpecOf);
    const tokens = tools.reduce((sum, tool) => sum + 8 + countTokens(tool.name + tool.description + JSON.stringify(tool.inputSchema)), 0);
    expect([name, phase, countTokens(systemPrompt(type, phase, shippedRole("engineer"))) + tokens <= 1_000]).toEqual([name, phase, true]);
  }
});

const node = (id: string, after: string[] = [], files: string[] = []): Plan["nodes"][number] => ({
  id,
  title: id,
  goal: id,
  assertions: ["A1"],
  after,
  files,
});
const plan = (...nodes: Plan["nodes"]): Plan => ({
  summary: "s",
  assertions: [{ id: "A1", text: "t", from: "user", shown_by: "test" }],
  nodes,
  deferred: [],
  left: [],
});

test("PLN-036: steps stand in layers, a circle is named, and what does not exist is no dependency", () => {
  const six = [
    node("n1"),
    node("n2"),
    node("n3", ["n1"]),
    node("n4", ["n1"]),
    node("n5", ["n3", "n4"]),
    node("n6", ["n1", "n2", "n3", "n4", "n5"]),
  ];
  const layers = layersOf(six) ?? [];
  expect(six.map(({ id }) => layers.findIndex((layer) => layer.some((one) => one.id === id)))).toEqual([0, 0, 1, 1, 2, 3]);
  expect(planProblems(plan(node("n1", ["n3"]), node("n2", ["n1"]), node("n3", ["n2"]), node("n4")), [])).toEqual([
    "pieces of work wait for each other: n1 → n3 → n2 → n1",
  ]);
  expect(planProblems(plan(node("n1", ["n9"])), [])).toEqual(["n1 comes after n9, which is not in the plan"]);
});

test.each<[string, Plan, string[]]>([
  [
    "an assertion nobody brings about",
    { ...plan(node("n1")), assertions: [...plan().assertions, { id: "A2", text: "t", from: "user", shown_by: "test" }] },
    ["no piece of work brings A2 about"],
  ],
  ["an assertion that is not there", plan({ ...node("n1"), assertions: ["A1", "A7"] }), ["n1 cites A7, which is not in the plan"]],
  ["an id twice", plan(node("n1"), node("n1")), ["n1 stands twice"]],
  [
    "a command that is not named",
    { ...plan(node("n1")), assertions: [{ id: "A1", text: "t", from: "user", shown_by: "command" }] },
    ["A1 is shown by a command, and none is named"],
  ],
  ["a file outside the project", plan(node("n1", [], ["src/../../x.js"])), ["n1 names src/../../x.js, which is not in the project"]],
  ["a file from the root", plan(node("n1", [], ["/etc/passwd"])), ["n1 names /etc/passwd, which is not in the project"]],
  ["a file of the user's home", plan(node("n1", [], ["~/.bashrc"])), ["n1 names ~/.bashrc, which is not in the project"]],
  ["nothing said of it", { ...plan(node("n1")), summary: " \n" }, ["it says nothing of what is to be done"]],
  ["a piece after one that is not there", plan(node("n1", ["n4"])), ["n1 comes after n4, which is not in the plan"]],
  ["pieces in a circle", plan(node("n1", ["n2"]), node("n2", ["n1"])), ["pieces of work wait for each other: n1 → n2 → n1"]],
])("PLN-014 PIP-039: a plan is refused for %s", (_why, wrong, problems) => {
  expect(planProblems(wrong, [])).toEqual(problems);
});

test("PLN-014: a plan without a piece of work is none", () => {
  expect(PLAN.draft.safeParse(plan()).success).toBe(false);
  expect(PLAN.draft.safeParse(plan(node("n1", [], ["src/..hidden/a.js"]))).success).toBe(true);
  expect(planProblems(plan(node("n1", [], ["src/..hidden/a.js"])), [])).toEqual([]);
});

const free = { mode: "auto", hasChecks: true, budgetUsd: undefined, pipelineUsd: undefined } as const;
const far = (id: string, after: string[] = []): Plan["nodes"][number] =>
  node(id, after, [...Array.from({ length: 8 }, (_v, i) => `src/${id}/a/x${i}.js`), `docs/${id}.md`, `test/${id}.test.js`]);
/** As measured on a public project, where a team was no sooner done. */
const six = (id: string): Plan["nodes"][number] =>
  node(
    id,
    [],
    Array.from({ length: 6 }, (_v, i) => `src/${id}/${i}.js`),
  );

test.each<[string, Plan, Parameters<typeof soloOrTeam>[1], "solo" | "team", RegExp]>([
  ["one piece", plan(node("n1")), free, "solo", /one piece/],
  ["few files", plan(node("n1", [], ["a.js"]), node("n2", [], ["b.js"])), free, "solo", /2 file/],
  [
    "one module",
    plan(node("n1", [], ["src/a/1.js", "src/a/2.js"]), node("n2", [], ["src/a/3.js", "src/a/4.js", "test/a.test.js"])),
    free,
    "solo",
    /src\/a/,
  ],
  [
    "small pieces",
    plan(node("n1", [], ["a/1.js", "a/2.js", "test/1.js"]), node("n2", [], ["b/3.js", "b/4.js", "test/2.js", "c/5.js"])),
    free,
    "solo",
    /2 pieces of 3\.5 files each are sooner done by one/,
  ],
  ["three of six files", plan(six("n1"), six("n2"), six("n3")), free, "solo", /3 pieces of 6 files each are sooner done by one/],
  ["no checks", plan(far("n1"), far("n2")), { ...free, hasChecks: false }, "solo", /no check/],
  [
    "the same files",
    plan(far("n1"), { ...far("n2"), files: ["src/n1/a/x0.js", ...Array.from({ length: 11 }, (_v, i) => `q/${i}.js`)] }),
    free,
    "solo",
    /the same files/,
  ],
  ["one chain", plan(far("n1"), far("n2", ["n1"]), far("n3", ["n2"])), free, "solo", /100 % of the work is one chain/],
  ["two halves", plan(far("n1"), far("n2")), free, "solo", /50 % of the work is one chain/],
  ["a small budget", plan(far("n1"), far("n2"), far("n3")), { ...free, budgetUsd: 1, pipelineUsd: 0.5 }, "solo", /budget/],
  ["your word", plan(far("n1"), far("n2")), { ...free, mode: "solo" }, "solo", /you asked/],
  ["independent pieces", plan(far("n1"), far("n2"), far("n3")), free, "team", /3 pieces of work, of which 3/],
  ["your word for several", plan(node("n1", [], ["a.js"]), node("n2", [], ["b.js"])), { ...free, mode: "team" }, "team", /you asked/],
])("one pipeline or several: %s", (_why, given, now, mode, why) => {
  const decided = soloOrTeam(given, now);
  expect(decided.mode).toBe(mode);
  expect(decided.why).toMatch(why);
});

test("all pieces as one keep every assertion and every file", () => {
  const [one, ...more] = asOne(plan(far("n1"), { ...far("n2"), assertions: ["A1"] }));
  expect([more, one?.assertions, one?.files.length, one?.after]).toEqual([[], ["A1"], 20, []]);
});
