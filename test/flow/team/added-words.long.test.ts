/** What a user adds while a request is built: the plan is changed, what is merged stays, and nothing is left out silently. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;
const HOUR = 3_600_000;
type Detail = Result<"request.show">;
const states = ({ work }: Detail): string[] => work.map(({ id, state }) => `${id} ${state}`);

interface Fact {
  type: string;
  payload: Record<string, unknown>;
}

async function happened(app: App, types: string[], fits: (fact: Fact) => boolean = () => true): Promise<Fact> {
  for await (const { type, payload } of app.api.events({ types }, 0, never)) {
    const fact = { type, payload: payload as Record<string, unknown> };
    if (fits(fact)) return fact;
  }
  throw new Error("the journal ended");
}

async function opened(project: TeamProject): Promise<App> {
  const app = await project.open();
  onTestFinished(() => app.close());
  return app;
}

const answers = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const ADDED = "and add quiet too, but leave loud out";
const [calm, loud, quiet, later] = [
  simplePiece("calm"),
  simplePiece("loud"),
  simplePiece("quiet"),
  simplePiece("later", { after: ["n1"] }),
];
const first = planOf([calm, loud, later]);

/** The pieces still to do, as the Architect hands them in: `later` as it stood, `quiet` in place of `loud`. */
const changed = (deferred: string[]) => ({
  ...first,
  summary: "add calm, quiet and later",
  assertions: [
    ...first.assertions.filter(({ id }) => id === "A3"),
    { id: "A4", text: "quiet does what was asked for", from: "user", shown_by: "test" },
  ],
  nodes: [
    { ...first.nodes[2], after: [] },
    { id: "n2", title: "quiet", goal: "add quiet", assertions: ["A4"], after: [], files: ["src/quiet.js", "test/quiet.test.js"] },
  ],
  deferred,
});

/** The builder of `loud` never comes to an end; whoever hears what was added changes the plan, at first leaving something out. */
const rules = [
  {
    when: { role: "architect", text: "^(?=.*A2 is in no piece any more).*" },
    answer: answers("submit_plan", changed(["A2: the person wants loud left out"])),
  },
  { when: { role: "architect", text: "^(?=.*The person adds: and add quiet too).*" }, answer: answers("submit_plan", changed([])) },
  { when: { role: "engineer", text: "your part of it:\\nloud\\n", step: 1 }, answer: { delay_ms: HOUR, text: "never" } },
];

/** `calm` is merged, `loud` hangs, `later` is merged or on its way there. */
async function underWay(approve: "auto" | "ask") {
  const project = teamProject(first, [calm, loud, quiet, later], {}, rules);
  const [app, other] = [await opened(project), await opened(project)];
  const { id } = await app.api.send({ type: "request.start", options: project.options({ approve }) });
  if (approve === "ask") {
    const { questions } = await app.api.send({ type: "request.run", id });
    await app.api.send({ type: "question.answer", id: questions[0]?.id ?? "", answer: { kind: "chosen", value: "approve" } });
  }
  const end = app.api.send({ type: "request.run", id });
  await happened(app, ["pipeline.ended"]);
  return { project, app, other, id, end };
}

test("~ARC-024: what is added while it is built changes the plan: merged pieces stay, a piece that is not in it any more is stopped with its model, a new one is built, and nobody is asked where nobody approves", async () => {
  const { project, app, other, id, end } = await underWay("auto");
  await other.api.send({ type: "request.add", id, words: ADDED });
  const done = await end;
  expect([done.status, done.questions]).toEqual(["done", []]);
  expect(states(done)).toEqual(["n1 merged", expect.stringMatching(/^n2 /u), "n3 merged", "n4 merged"]);
  expect(done.work[1]?.why).toContain("the plan was changed for what you added");
  // Its own words, in a revision of their own, before everybody who worked from then on.
  expect(done.intent.said).toEqual([{ on: "addition", words: ADDED }]);
  expect(done.intent.revision).toBeGreaterThan(done.earlier[0]?.revision ?? 0);
  const briefed = await happened(
    app,
    ["task.created"],
    ({ payload }) => payload["role"] === "engineer" && JSON.stringify(payload).includes('your part of it":"quiet'),
  );
  expect(briefed.payload["goal"]).toContain(`While it was built the person added: ${ADDED}`);
  // Left out only where the plan says why; the version that said nothing was refused.
  const refused = await happened(app, ["plan.refused"]);
  expect(refused.payload["problems"]).toEqual([expect.stringContaining("A2 is in no piece any more")]);
  expect(done.end?.deferred).toContain("A2: the person wants loud left out");
  expect(Object.keys(done.end?.evidence ?? {})).toEqual(["A1", "A3", "A4"]);
  const files = filesOf(project.dir);
  expect([files["src/quiet.js"], files["src/calm.js"], files["src/later.js"], files["src/loud.js"]]).toEqual([
    expect.any(String),
    expect.any(String),
    expect.any(String),
    undefined,
  ]);
});

test("~ARC-024: where plans are approved the changed one is too, with what goes on, is stopped and is new; rejected, it goes on as planned before and the words are not wanted any more", async () => {
  const { app, other, id, end } = await underWay("ask");
  await other.api.send({ type: "request.add", id, words: ADDED });
  await happened(app, ["request.waits"], ({ payload }) => String(payload["text"]).includes("is new"));
  const asked = await other.api.query({ type: "request.show", id });
  const question = asked.questions.find(({ text }) => text.includes("is new")) ?? { id: "", text: "" };
  expect(question.text).toMatch(/is stopped or left out: n2 loud\nis new: n4 quiet/u);
  // Nothing of the change is carried out before the answer.
  expect(states(asked).find((line) => line.startsWith("n2"))).toBe("n2 green");
  await other.api.send({ type: "question.answer", id: question.id, answer: { kind: "chosen", value: "reject" } });
  await happened(app, ["plan.unchanged"]);
  const now = await other.api.query({ type: "request.show", id });
  expect([states(now).length, now.plan?.approved, now.plan?.plan.summary, now.intent.said]).toEqual([3, true, first.summary, []]);
  // Said again it is planned again, and approved it is built.
  await other.api.send({ type: "request.add", id, words: `${ADDED}, please` });
  const isNew = ({ payload }: Fact): boolean => String(payload["text"]).includes("is new") && payload["question"] !== question.id;
  const again = await happened(app, ["request.waits"], isNew);
  await other.api.send({ type: "question.answer", id: String(again.payload["question"]), answer: { kind: "chosen", value: "approve" } });
  const built = await end;
  expect([built.status, built.questions[0]?.text]).toEqual(["needs_you", expect.stringContaining("Merge it into your folder?")]);
  expect(states(built)).toEqual(["n1 merged", expect.stringMatching(/^n2 /u), "n3 merged", "n4 merged"]);
  await app.api.send({ type: "question.answer", id: built.questions[0]?.id ?? "", answer: { kind: "chosen", value: "yes" } });
  expect((await app.api.send({ type: "request.run", id })).status).toBe("done");
  await expect(other.api.send({ type: "request.add", id, words: "more" })).rejects.toThrow(/is in your folder already|has ended/u);
});

/** `later` holds the person's own criterion; what the Architect hands in once `calm` is merged and more is wanted. */
async function withCriterion(handsIn: unknown) {
  const plan = planOf([calm, later]);
  const assertions = plan.assertions.map((one) => (one.id === "A2" ? { ...one, criteria: [1] } : one));
  const own = [{ when: { role: "architect", text: "^(?=.*The person adds: and quiet).*" }, answer: answers("submit_plan", handsIn) }];
  const project = teamProject({ ...plan, assertions }, [calm, later, quiet], {}, own);
  const [app, other] = [await opened(project), await opened(project)];
  const { id } = await app.api.send({ type: "request.start", options: project.options({ criteria: ["later says later"] }) });
  const end = app.api.send({ type: "request.run", id });
  await happened(app, ["pipeline.ended"]);
  await other.api.send({ type: "request.add", id, words: "and quiet" });
  return end;
}

const A2 = { id: "A2", text: "later does what was asked for", from: "user", shown_by: "test", criteria: [1] };
const n2 = { ...planOf([calm, later]).nodes[1], after: [] };
const rest = {
  summary: "add quiet too",
  assertions: [A2, { id: "A3", text: "quiet does what was asked for", from: "user", shown_by: "test" }],
  nodes: [
    n2,
    { id: "n3", title: "quiet", goal: "add quiet", assertions: ["A3"], after: [], files: ["src/quiet.js", "test/quiet.test.js"] },
  ],
};

test("with a criterion of the person's a changed plan that holds it is taken, and all of it is done", async () => {
  const done = await withCriterion(rest);
  expect([done.status, Object.keys(done.end?.evidence ?? {}), done.end?.deferred]).toEqual(["done", ["A1", "A2", "A3"], []]);
});

test("where no changed plan could be made, all that was planned is built, and the end is not done and says what was added and why it is not built", async () => {
  const done = await withCriterion({ ...rest, nodes: [{ ...n2, after: ["n9"] }] });
  expect([done.status, Object.keys(done.end?.evidence ?? {})]).toEqual(["not_shown", ["A1", "A2"]]);
  expect(done.end?.summary).toContain("Not built: what you added");
  expect(done.end?.deferred).toEqual([expect.stringMatching(/^you added: and quiet; not built: no plan was made/u)]);
});
