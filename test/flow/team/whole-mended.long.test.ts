/** Pieces that are right one by one and wrong together: the Architect makes new work of what is found, a few times, then the user is asked. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamPiece } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const WHOLE = "^(?!.*your part of it)";

type Payload = Record<string, unknown>;

async function eventsOf(app: App, types: string[]): Promise<{ type: string; payload: Payload }[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: { type: string; payload: Payload }[] = [];
  for await (const { type, payload } of app.api.events({ types, until }, 0, new AbortController().signal))
    found.push({ type, payload: payload as Payload });
  return found;
}

const submits = (name: string, input: unknown): unknown => ({ text: "so", tool_calls: [{ name, input }] });

/** The Architect, when it hears `text`: these pieces, each for one assertion. */
function plans(text: string, assertion: Payload, pieces: readonly TeamPiece[]): unknown {
  const nodes = planOf(pieces).nodes.map((node) => ({ ...node, assertions: [assertion["id"]] }));
  const plan = { summary: "mend it", assertions: [assertion], nodes, deferred: [] };
  return { when: { role: "architect", text: `^(?=.*mending may be for).*${text}` }, answer: submits("submit_plan", plan) };
}

/** Told to whoever looks at the whole: this piece's file stands as it was reviewed. */
const stands = (piece: string, file: string): string => `n\\d ${piece}, as it stands at \\w+: ${file}`;

const finds = (text: string, found: string, assertion: string): unknown => ({
  when: { role: "inspector", text: `${WHOLE}.*${text}` },
  answer: submits("submit_review", {
    summary: "looked",
    findings: [
      {
        text: found,
        assertion,
        evidence: { kind: "rule", what: "never touch trim" },
        fix: { correction: "write it anew", breaks: [], impacts: [], cause: 0.9, why: "it was written in haste" },
      },
    ],
  }),
});

test("~PIP-028: all pieces merged, the whole is inspected and tested; what either finds the Architect makes new pieces of, in their order, until both pass; then the user has it", async () => {
  const agree = { id: "A3", text: "they agree on their names", from: "user", shown_by: "command", command: "node both.js" };
  const first = [simplePiece("loud"), simplePiece("calm", { after: ["n1"] })];
  const names = (name: string, text: string, after: string[] = []): TeamPiece => ({ name, after, builds: [{ "src/names.js": text }] });
  const hasty = names("names", "// hasty\nexport const names = [];\n");
  const tidy = [names("tidy", "export const names = [];\n"), names("list", `export const names = ["loud", "calm"];\n`, ["n1"])];
  const drafted = planOf(first);
  const plan = {
    ...drafted,
    assertions: [...drafted.assertions, agree],
    nodes: drafted.nodes.map((node, index) => (index === 0 ? { ...node, assertions: ["A1", "A3"] } : node)),
  } as typeof drafted;
  const rules = [
    plans("A3 fails", agree, [hasty]),
    plans("The review found: nobody should be so hasty", agree, tidy),
    finds(stands("names", "src/names.js"), "nobody should be so hasty", "A3"),
  ];
  // Right with either of them alone, wrong with both.
  const both = `import { existsSync } from "node:fs";\nprocess.exit(existsSync("src/calm.js") && !existsSync("src/names.js") ? 1 : 0);\n`;
  const project = teamProject(plan, [...first, hasty, ...tidy], { "both.js": both }, rules);
  // Where nothing is sandboxed the commands of a plan are asked about.
  const app = await project.open({ permissions: { allow: ["node both.js"] } });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.questions]).toEqual(["done", []]);
  expect(Object.keys(end.end?.evidence ?? {})).toEqual(["A1", "A2", "A3"]);
  expect(end.work.map((piece) => `${piece.id} ${piece.title} ${piece.state} ${piece.after.join()}`)).toEqual([
    "n1 loud merged ",
    "n2 calm merged n1",
    "n3 names merged ",
    "n4 tidy merged ",
    "n5 list merged n4",
  ]);
  const told = await eventsOf(app, ["request.judged", "request.repairing"]);
  const short = told.map(({ type, payload }) => [type, payload["passed"] ?? (payload["nodes"] as { id: string }[]).map((node) => node.id)]);
  expect(short).toEqual([
    ["request.judged", false],
    ["request.repairing", ["n3"]],
    ["request.judged", false],
    ["request.repairing", ["n4", "n5"]],
    ["request.judged", true],
  ]);
  // The first time only the tests said no, the second time only the review.
  const said = told.flatMap(({ type, payload }) => (type === "request.judged" ? [payload] : []));
  const isGreen = ({ checks }: Payload): boolean => (checks as { passed: boolean }[]).every((check) => check.passed);
  expect(said.map((one) => [isGreen(one), (one["findings"] as unknown[]).length])).toEqual([
    [false, 0],
    [true, 1],
    [true, 0],
  ]);
  expect(filesOf(project.dir)["src/names.js"]).toBe(`export const names = ["loud", "calm"];\n`);
  await app.close();
});

test("~PIP-028: a merged test that the look at the whole finds wrong is corrected by the Tester of the piece that mends it, seen to fail, and then built for", async () => {
  const more = "test/calm-more.test.js";
  const held = (wanted: string): string => testOf("more", "calm", "../src/calm.js", `assert.equal(calm("b"), "${wanted}")`);
  const odd = 'export const calm = (text) => (text === "b" ? "calm b!" : `calm ${text}`);\n';
  const pieces = [simplePiece("loud"), simplePiece("calm", { hidden: { [more]: held("calm b!") }, builds: [{ "src/calm.js": odd }] })];
  const mends = simplePiece("mild", { visible: { [more]: held("calm b") }, builds: [{ "src/calm.js": odd.replace("calm b!", "calm b") }] });
  const drafted = planOf(pieces);
  const rules = [
    plans("The review found: nobody wanted a mark", drafted.assertions[1] as Payload, [mends]),
    finds("calm b!", "nobody wanted a mark", "A2"),
  ];
  const project = teamProject(drafted, [...pieces, mends], {}, rules);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work.map(({ title, state }) => `${title} ${state}`)]).toEqual([
    "done",
    ["loud merged", "calm merged", "mild merged"],
  ]);
  expect(filesOf(project.dir)[more]).toBe(held("calm b"));
  const [planned] = await eventsOf(app, ["request.task_opened"]).then((all) =>
    all.filter(({ payload }) => payload["purpose"] === "replan"),
  );
  const { user } = await app.tasks.context(String(planned?.payload["task"]), 1);
  expect(user).toContain("Where a test is what is wrong, say so in a piece's goal");
  await app.close();
});

test("~PIP-028: three times it is mended and still not right: then the user is asked, and what was asked for is not called done", async () => {
  const shown = { id: "A1", text: "notes are there", from: "user", shown_by: "inspection" };
  const notes = (name: string): TeamPiece => ({ name, builds: [{ "notes.txt": `${name}\n` }] });
  // Of one piece alone the review would be that of the whole.
  const other: TeamPiece = { name: "other", builds: [{ "other.txt": "other\n" }] };
  const first = planOf([notes("notes"), other]);
  const rules = [
    plans("round 0", shown, [notes("one")]),
    plans("round 1", shown, [notes("two")]),
    plans("round 2", shown, [notes("three")]),
    finds(stands("notes", "notes.txt"), "wrong in round 0", "A1"),
    finds(stands("one", "notes.txt"), "wrong in round 1", "A1"),
    finds(stands("two", "notes.txt"), "wrong in round 2", "A1"),
    finds(stands("three", "notes.txt"), "wrong in round 3", "A1"),
  ];
  const nodes = first.nodes.map((node) => ({ ...node, assertions: ["A1"] }));
  const plan = { ...first, assertions: [shown], nodes } as typeof first;
  const project = teamProject(plan, [...["notes", "one", "two", "three"].map(notes), other], {}, rules);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const asked = await app.api.send({ type: "request.run", id });
  expect(asked.work.map(({ title, state }) => `${title} ${state}`)).toEqual([
    "notes merged",
    "other merged",
    "one merged",
    "two merged",
    "three merged",
  ]);
  expect([asked.status, asked.questions.map(({ text }) => text)]).toEqual(["needs_you", [expect.stringContaining("wrong in round 3")]]);
  expect(Object.keys(filesOf(project.dir))).not.toContain("notes.txt");
  await app.api.send({ type: "question.answer", id: asked.questions[0]?.id ?? "", answer: { kind: "chosen", value: "merge" } });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, filesOf(project.dir)["notes.txt"]]).toEqual(["not_shown", "three\n"]);
  await app.close();
});

test("where nobody looked at the whole nothing is built for it: the user is asked, and stopped there nothing reaches the folder", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const silent = {
    when: { role: "inspector", text: WHOLE },
    answer: { text: "hm", tool_calls: [{ name: "read_file", input: { path: "src/trim.js" } }] },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [silent]);
  const before = filesOf(project.dir);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const asked = await app.api.send({ type: "request.run", id });
  expect([asked.status, asked.questions.map(({ text }) => text)]).toEqual(["needs_you", [expect.stringContaining("nobody reviewed it")]]);
  // Nobody was asked to plan anything for it.
  expect((await app.tasks.list()).filter(({ role }) => role === "architect")).toHaveLength(1);
  await app.api.send({ type: "question.answer", id: asked.questions[0]?.id ?? "", answer: { kind: "chosen", value: "stop" } });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, filesOf(project.dir)]).toEqual(["failed", before]);
  await app.close();
});
