/** A piece that does not get there: what may be chosen, what becomes of what needs it, and what the Architect hears. */
import { expect, test, vi } from "vitest";
import type { Result } from "../../../src/protocol/api/index.ts";
import { systemClock } from "../../../src/kernel/index.ts";
import { openApp, type App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, testOf, type TeamPiece, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;
type Detail = Result<"request.show">;

/** Demands what nobody builds. */
const NEVER = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "never")`) };
const ARGUES = [
  [
    {
      text: "it must not be loud at all",
      evidence: { kind: "rule", what: "never touch trim" },
      fix: { correction: "take it out", breaks: [], impacts: [], cause: 0.9, why: "it is what is loud" },
    },
  ],
];

async function stuck(
  project: TeamProject,
  env: Record<string, string> = {},
): Promise<{ app: App; id: string; waiting: Detail; choices: string[] }> {
  const app = await openApp({ cwd: project.dir, env: { ...project.env, ...env }, clock: systemClock });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const waiting = await app.api.send({ type: "request.run", id });
  const { ask } = await app.api.query({ type: "question.show", id: waiting.questions[0]?.id ?? "" });
  return { app, id, waiting, choices: ask.kind === "choice" ? ask.options.map(({ value }) => value) : [] };
}

async function chosen(app: App, id: string, value: string, words?: string): Promise<Detail> {
  const { questions } = await app.api.query({ type: "request.show", id });
  const answer = { kind: "chosen" as const, value, ...(words === undefined ? {} : { words }) };
  await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer });
  return app.api.send({ type: "request.run", id });
}

async function eventsOf(app: App, types: string[]): Promise<{ type: string; payload: Record<string, unknown> }[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: { type: string; payload: Record<string, unknown> }[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, never))
    found.push({ type, payload: payload as Record<string, unknown> });
  return found;
}

const states = ({ work }: Detail): string[] => work.map(({ id, state }) => `${id} ${state}`);
const chain = (first: Partial<TeamPiece>): TeamPiece[] => [
  simplePiece("loud", first),
  simplePiece("calm"),
  simplePiece("needs", { after: ["n1"] }),
  simplePiece("last", { after: ["n3"] }),
];

test("PIP-014: tries spent, one question that holds up nobody else; more tries are counted anew, a judge that says no can be set aside and stays in the report", async () => {
  const project = teamProject(planOf([simplePiece("loud"), simplePiece("calm")]), [
    simplePiece("loud", { hidden: NEVER, finds: ARGUES }),
    simplePiece("calm"),
  ]);
  // After one try, so that it is short; that it is three unless you say otherwise is seen elsewhere.
  const { app, id, waiting, choices } = await stuck(project, { SYLK_TEAM_ATTEMPTS: "1", SYLK_TEAM_REPAIRS: "0" });
  expect([waiting.status, states(waiting), waiting.work[0]?.attempt]).toEqual(["needs_you", ["n1 needs_you", "n2 merged"], 1]);
  expect(choices).toEqual(["retry", "ignore_inspector", "ignore_tester", "take_over", "replan", "skip", "abort"]);
  await chosen(app, id, "retry", "think of the second case");
  const again = await chosen(app, id, "retry");
  expect([again.status, again.work[0]?.attempt]).toEqual(["needs_you", 3]);
  const told = (await eventsOf(app, ["pipeline.returned"])).map(({ payload }) => JSON.stringify(payload));
  expect(told[0]).toContain("The user says: think of the second case");
  expect(told[1]).toContain("2 tries failed in the same way: leave that way and take another");
  // The Inspector's word no longer counts, the tests' still does.
  const half = await chosen(app, id, "ignore_inspector");
  expect([half.status, half.work[0]?.state, half.questions[0]?.text]).toEqual([
    "needs_you",
    "needs_you",
    expect.stringContaining("more: loud"),
  ]);
  const merged = await chosen(app, id, "ignore_tester");
  expect(merged.work[0]?.state).toBe("merged");
  // The whole is still judged, and says what is wrong.
  expect([merged.status, merged.questions[0]?.text]).toEqual(["needs_you", expect.stringContaining("together they are not right")]);
  const end = await chosen(app, id, "merge");
  expect(end.status).toBe("not_shown");
  expect(end.end?.deferred).toEqual([
    "n1 loud: the inspector's word was set aside by you: it must not be loud at all",
    expect.stringMatching(/^n1 loud: the tester's word was set aside by you: check: .*more: loud/su),
  ]);
  await app.close();
});

test("PIP-014: back to the Architect, who hears how each try failed; its new pieces take the place of the old one and of what needs it, and are built", async () => {
  const anew = planOf([simplePiece("louder"), simplePiece("after", { after: ["n1"] })]);
  const plan = {
    ...anew,
    assertions: ["A1", "A3", "A4"].map((id) => ({ id, text: "as it was", from: "user", shown_by: "test" })),
    nodes: anew.nodes.map((node, index) => ({ ...node, assertions: index === 0 ? ["A1"] : ["A3", "A4"] })),
  };
  const replans = [
    {
      when: { role: "architect", text: "assertions to plan anew", step: 1 },
      answer: { text: "all of it", tool_calls: [{ name: "submit_plan", input: anew }] },
    },
    {
      when: { role: "architect", text: "assertions to plan anew" },
      answer: { text: "so", tool_calls: [{ name: "submit_plan", input: plan }] },
    },
  ];
  const pieces = chain({ hidden: NEVER });
  const more = [
    simplePiece("louder"),
    simplePiece("after", { shows: ["A3: test/after.test.js > plain: after", "A4: test/after.test.js > plain: after"] }),
  ];
  const project = teamProject(planOf(pieces), [...pieces, ...more], {}, replans);
  const { app, id } = await stuck(project);
  const end = await chosen(app, id, "replan", "do it without the second case");
  expect([end.status, states(end)]).toEqual(["done", ["n1 replanned", "n2 merged", "n3 skipped", "n4 skipped", "n5 merged", "n6 merged"]]);
  expect(end.work[2]?.why).toBe("planned anew as n5, n6");
  expect(end.work[5]?.after).toEqual(["n5"]);
  const [replanned] = await eventsOf(app, ["plan.replanned"]);
  const { user } = await app.tasks.context(String(replanned?.payload["task"]), 1);
  expect(user).toMatch(/n1 loud did not get there\. Tried, each in vain:\n1\. built loud [\s\S]*more: loud[\s\S]*2\. built loud/u);
  expect(user).toContain("The user says: do it without the second case");
  // What it was not asked for is refused in the same task.
  const refused = await eventsOf(app, ["task.acted"]);
  expect(refused.map(({ payload }) => String(payload["summary"])).find((text) => text.includes("A3 must be in this plan"))).toContain(
    "A2 is not yours to plan here: keep to A1, A3, A4",
  );
  expect(Object.keys(filesOf(project.dir))).toEqual(expect.arrayContaining(["src/louder.js", "src/after.js"]));
  expect(Object.keys(filesOf(project.dir))).not.toContain("src/loud.js");
  await app.close();
});

test("CCY-014 PLN-095 PLN-096: what needs a failed piece is blocked, all of it, and the rest goes on; tried again it is built", async () => {
  const wrong = { "src/loud.js": `export const loud = () => "wrong";\n` };
  const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it is beyond me", evidence: "src/loud.js:1" } };
  const pieces = chain({ builds: [wrong], ends });
  const right = {
    when: { role: "engineer", text: "^(?=.*think again).*your part of it:\\nloud\\n", step: 1 },
    answer: {
      text: "so",
      tool_calls: [
        { name: "write_file", input: { path: "src/loud.js", content: pieces[1]?.builds[0]?.["src/calm.js"]?.replaceAll("calm", "loud") } },
      ],
    },
  };
  const done = {
    when: { role: "engineer", text: "^(?=.*think again).*your part of it:\\nloud\\n", step: 2 },
    answer: { text: "so", tool_calls: [{ name: "complete", input: { summary: "built" } }] },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [right, done]);
  const { app, id, waiting, choices } = await stuck(project);
  expect(states(waiting)).toEqual(["n1 needs_you", "n2 merged", "n3 blocked", "n4 blocked"]);
  expect(waiting.work[3]?.why).toContain("it needs n1, which does not get there");
  expect(choices).toEqual(["retry", "take_over", "replan", "without", "skip", "abort"]);
  const end = await chosen(app, id, "retry", "think again");
  expect([end.status, states(end)]).toEqual(["done", ["n1 merged", "n2 merged", "n3 merged", "n4 merged"]]);
  const told = await eventsOf(app, ["pipeline.blocked", "pipeline.unblocked"]);
  expect(told.map(({ type, payload }) => `${type} ${String(payload["node"])}`)).toEqual([
    "pipeline.blocked n3",
    "pipeline.blocked n4",
    "pipeline.unblocked n3",
    "pipeline.unblocked n4",
  ]);
  await app.close();
});

test.each([
  ["without", ["n1 without", "n2 merged", "n3 merged", "n4 merged"]],
  ["skip", ["n1 skipped", "n2 merged", "n3 skipped", "n4 skipped"]],
])("CCY-014 PLN-096: a failed piece, answered with %s", async (value, expected) => {
  const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it is beyond me", evidence: "AGENTS.md:3" } };
  const pieces = chain({ builds: [{}], ends });
  const { app, id } = await stuck(teamProject(planOf(pieces), pieces));
  const end = await chosen(app, id, value);
  expect([end.status, states(end)]).toEqual(["not_shown", expected]);
  await app.close();
});

test("PLN-096: stopped at one piece, those that are at work stop too, and nothing of it reaches the folder", async () => {
  const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it is beyond me", evidence: "AGENTS.md:3" } };
  const pieces = [simplePiece("loud", { builds: [{}], ends }), simplePiece("calm")];
  const slow = { when: { role: "engineer", text: "your part of it:\\ncalm\\n" }, answer: { delay_ms: 600_000, text: "never" } };
  const project = teamProject(planOf(pieces), pieces, {}, [slow]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const running = app.api.send({ type: "request.run", id });
  for await (const { payload } of app.api.events({ types: ["question.asked"] }, 0, never)) {
    const { id: question, asker } = payload as { id: string; asker: { kind: string } };
    if (asker.kind !== "pipeline") continue;
    await app.api.send({ type: "question.answer", id: question, answer: { kind: "chosen", value: "abort" } });
    break;
  }
  const end = await running;
  expect([end.status, states(end)]).toEqual(["failed", ["n1 aborted", "n2 cancelled"]]);
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.close();
});
