/** `sylk session add`: more is wanted than was said, before anything is built and when all of it is. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

interface Session {
  status: string;
  questions: { id: string; text: string }[];
  plan?: { version: number; plan: { summary: string } };
  work: { id: string; state: string }[];
}

test("~ARC-024: added before the plan is approved, the plan is drafted anew; added when all is built, one more piece is built and the merge is asked for again", async () => {
  const [loud, calm, quiet] = [simplePiece("loud"), simplePiece("calm"), simplePiece("quiet")];
  const architect = (text: string, input: unknown): unknown => ({
    when: { role: "architect", text },
    answer: { text: "as said", tool_calls: [{ name: "submit_plan", input }] },
  });
  const only = planOf([quiet]);
  const more = {
    ...only,
    assertions: only.assertions.map((one) => ({ ...one, id: "A3" })),
    nodes: only.nodes.map((node) => ({ ...node, id: "n3", assertions: ["A3"] })),
  };
  const rules = [architect("The person adds: and quiet", more), architect("The person adds: and calm", planOf([loud, calm]))];
  const project = teamProject(planOf([loud]), [loud, calm, quiet], {}, rules);
  const sylk = (...args: string[]) => runSylk(project.dir, { ...project.env, NO_COLOR: "1" }, args, 200_000);
  const show = async (): Promise<Session> => JSON.parse((await sylk("session", "show", "--json")).out) as Session;
  const answer = async (value: string) => sylk("answer", (await show()).questions[0]?.id ?? "", value);

  expect((await sylk("run", "add loud", "--team", "--check", "node --test", "-m", project.rules)).code).toBe(4);
  const added = await sylk("session", "add", "and calm");
  expect([added.code, added.out]).toEqual([0, expect.stringMatching(/^added; `sylk session resume` has its plan changed and goes on/u)]);
  const again = await sylk("session", "resume");
  expect([again.code, again.out]).toEqual([4, expect.stringContaining("you said later (addition): and calm")]);
  expect(await show()).toMatchObject({ status: "needs_you", plan: { version: 2, plan: { summary: "add loud, calm" } } });
  await answer("approve");
  await sylk("session", "resume");
  const built = await show();
  expect([built.work.map(({ state }) => state), built.questions[0]?.text]).toEqual([
    ["merged", "merged"],
    expect.stringContaining("Merge it into your folder?"),
  ]);

  expect(JSON.parse((await sylk("session", "add", "last", "and", "quiet", "--json")).out)).toMatchObject({
    words: "and quiet",
    running: false,
  });
  await sylk("session", "resume");
  const asked = await show();
  expect([asked.questions.length, asked.questions[0]?.text]).toEqual([1, expect.stringContaining("is new: n3 quiet")]);
  await answer("approve");
  await sylk("session", "resume");
  expect((await show()).work.map(({ id, state }) => `${id} ${state}`)).toEqual(["n1 merged", "n2 merged", "n3 merged"]);
  await answer("yes");
  const end = await sylk("session", "resume");
  expect(end.code).toBe(0);
  expect(Object.keys(filesOf(project.dir)).filter((file) => file.startsWith("src/"))).toEqual([
    "src/calm.js",
    "src/loud.js",
    "src/quiet.js",
    "src/trim.js",
  ]);
  const late = await sylk("session", "add", "and one more");
  expect([late.code > 0, late.err]).toEqual([true, expect.stringContaining("is in your folder already")]);
  const none = await sylk("session", "add");
  expect([none.code > 0, none.err]).toEqual([true, expect.stringContaining("there are no words")]);
});
