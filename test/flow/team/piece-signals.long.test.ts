/** What a user tells one piece while a request runs: it alone hears it, says so, and the others go on. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Result } from "../../../src/protocol/api/index.ts";
import type { App } from "../../support/lab.ts";
import { privateOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, type TeamPiece, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const never = new AbortController().signal;
type Detail = Result<"request.show">;
const states = ({ work }: Detail): string[] => work.map(({ id, state }) => `${id} ${state}`);
const HOUR = 3_600_000;

interface Fact {
  type: string;
  at: number;
  stream: string;
  payload: Record<string, unknown>;
}

/** The first event of a kind that fits. */
async function happened(app: App, types: string[], fits: (fact: Fact) => boolean = () => true): Promise<Fact> {
  for await (const { type, at, stream, payload } of app.api.events({ types }, 0, never)) {
    const fact = { type, at, stream, payload: payload as Record<string, unknown> };
    if (fits(fact)) return fact;
  }
  throw new Error("the journal ended");
}

async function running(project: TeamProject): Promise<{ app: App; other: App; id: string; end: Promise<Detail> }> {
  const [app, other] = [await project.open(), await project.open()];
  onTestFinished(async () => {
    await other.close();
    await app.close();
  });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  return { app, other, id, end: app.api.send({ type: "request.run", id }) };
}

const pieces: TeamPiece[] = [simplePiece("loud"), simplePiece("calm"), simplePiece("needs", { after: ["n1"] })];
const answers = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const part = "your part of it:\\nloud\\n";
const builder = (step: number, more = ""): unknown => ({ role: "engineer", text: `${more}${part}`, step });
const LOUD = { path: "src/loud.js", content: "export const loud = (text) => `loud ${text}`;\n" };
const NOTE = { path: "src/note.js", content: "export const note = 1;\n" };

/** The builder of `loud` has done its first step. */
const loudBegan = (app: App): Promise<Fact> =>
  happened(app, ["task.acted"], ({ payload }) => payload["action"] === "write_file" && JSON.stringify(payload).includes("src/note.js"));

test("SIG-004 SIG-023: one piece is paused from another process while its model hangs: the call is given up and it is acknowledged by it alone; the others go on; told something and resumed it is built", async () => {
  const told = "^(?=.*go on with it now).*";
  const rules = [
    { when: builder(2, told), answer: answers("write_file", LOUD) },
    { when: builder(3, told), answer: answers("complete", { summary: "built loud" }) },
    { when: builder(1), answer: answers("write_file", NOTE) },
    { when: builder(2), answer: { delay_ms: HOUR, text: "never" } },
  ];
  const { app, other, id, end } = await running(teamProject(planOf(pieces), pieces, {}, rules));
  await loudBegan(app);
  await other.api.send({ type: "request.signal", id, piece: "n1", signal: "pause" });
  const rest = await end;
  expect([rest.status, states(rest)]).toEqual(["paused", ["n1 paused", "n2 merged", "n3 waiting"]]);
  const [asked, heard] = [await happened(app, ["pipeline.signalled"]), await happened(app, ["pipeline.acknowledged"])];
  expect(heard).toMatchObject({
    stream: asked.stream,
    payload: { signal: "pause", stands: "paused", running: [], after: expect.any(Number) as number },
  });
  const builds = await app.tasks.show(rest.work[0]?.tasks.at(-1) ?? "");
  expect([builds.role, builds.status, builds.step]).toEqual(["engineer", "paused", 1]);
  await other.api.send({ type: "request.tell", id, piece: "1", words: "go on with it now" });
  expect(await other.api.query({ type: "request.show", id })).toMatchObject({ work: [{ state: "paused" }, {}, {}] });
  await app.api.send({ type: "request.resume", id });
  const done = await app.api.send({ type: "request.run", id });
  expect([done.status, states(done)]).toEqual(["done", ["n1 merged", "n2 merged", "n3 merged"]]);
});

test("SIG-023: a command that runs when its piece is paused is named, not killed: what it did is written down, and nothing begins after it", async () => {
  const command = "until test -e go.txt; do sleep 0.1; done; echo ran > ran.txt";
  const rules = [
    { when: builder(1), answer: answers("write_file", NOTE) },
    { when: builder(2), answer: answers("run_command", { command }) },
    { when: builder(3), answer: answers("write_file", LOUD) },
  ];
  const { app, other, id, end } = await running(teamProject(planOf(pieces.slice(0, 1)), pieces.slice(0, 1), {}, rules));
  const { stream } = await happened(app, ["task.intended"], ({ payload }) => payload["action"] === "run_command");
  await other.api.send({ type: "request.signal", id, piece: "n1", signal: "pause" });
  const heard = await happened(app, ["pipeline.acknowledged"]);
  expect(heard.payload).toMatchObject({ stands: "paused", running: [expect.stringContaining("run_command")] });
  const { place } = (await happened(app, ["task.created"], (fact) => fact.stream === stream)).payload as { place: { folder: string } };
  writeFileSync(path.join(place.folder, "go.txt"), "");
  const rest = await end;
  expect([rest.status, states(rest)]).toEqual(["paused", ["n1 paused"]]);
  const acted = await happened(app, ["task.acted"], (fact) => fact.stream === stream && fact.payload["action"] === "run_command");
  expect(acted.payload["ok"]).toBe(true);
  expect((await app.tasks.show(rest.work[0]?.tasks.at(-1) ?? "")).step).toBe(2);
});

test("~PIP-019 ~SIG-025: one piece is stopped, its model with it; what needs it is not left waiting: the user says what becomes of that", async () => {
  const rules = [
    { when: builder(1), answer: answers("write_file", NOTE) },
    { when: builder(2), answer: { delay_ms: HOUR, text: "never" } },
  ];
  const { app, other, id, end } = await running(teamProject(planOf(pieces), pieces, {}, rules));
  await loudBegan(app);
  await other.api.send({ type: "request.signal", id, piece: "n1", signal: "cancel" });
  const rest = await end;
  expect([rest.status, states(rest)]).toEqual(["needs_you", ["n1 needs_you", "n2 merged", "n3 blocked"]]);
  expect(rest.questions[0]?.text).toBe("n1 loud: you stopped it, and n3 needs it");
  await app.api.send({ type: "question.answer", id: rest.questions[0]?.id ?? "", answer: { kind: "chosen", value: "without" } });
  const done = await app.api.send({ type: "request.run", id });
  expect([done.status, states(done)]).toEqual(["not_shown", ["n1 without", "n2 merged", "n3 merged"]]);
  await expect(other.api.send({ type: "request.signal", id, piece: "n1", signal: "pause" })).rejects.toThrow(
    /there is no piece n1 at work/u,
  );
});

test("PLN-076: while its plan waits for an answer nothing of that session can be told to go, in words that say why; looking, asking and stopping pass, and other sessions are not touched", async () => {
  const project = teamProject(planOf([simplePiece("loud")]), [simplePiece("loud")]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ approve: "ask" }) });
  const { id: free } = await app.api.send({ type: "request.start", options: project.options() });
  const waiting = await app.api.send({ type: "request.run", id });
  expect([waiting.status, waiting.work]).toEqual(["needs_you", []]);
  const words = /the plan of \S+ waits for your answer; nothing of it is built before that/u;
  await expect(app.api.send({ type: "request.tell", id, piece: "n1", words: "begin" })).rejects.toThrow(words);
  await expect(app.api.send({ type: "request.signal", id, piece: "n1", signal: "resume" })).rejects.toThrow(words);
  // Going on with it builds nothing either.
  await app.api.send({ type: "request.resume", id });
  expect(await app.api.send({ type: "request.run", id })).toMatchObject({ status: "needs_you", work: [] });
  expect((await app.api.query({ type: "request.show", id })).plan?.text).toContain("n1 loud");
  expect((await app.api.query({ type: "question.show", id: waiting.questions[0]?.id ?? "" })).status).toBe("open");
  expect((await app.api.send({ type: "request.run", id: free })).status).toBe("done");
  await app.api.send({ type: "request.cancel", id, reason: "not so" });
  expect((await app.api.query({ type: "request.show", id })).status).toBe("cancelled");
  await app.close();
  // What cannot be read is an error, not a session without a plan.
  writeFileSync(path.join(privateOf(project), "sylk.db"), "no database at all");
  const broken = await project.open();
  await expect(broken.api.send({ type: "request.tell", id, piece: "n1", words: "begin" })).rejects.toThrow(/database|journal|store/iu);
  await broken.close().catch(() => undefined);
});
