/** A Tester's word is no evidence: what it says it ran and saw counts for nothing, the engine's own run decides. */
import { expect, test, vi } from "vitest";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject, type TeamPiece } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 300_000 });

const EMPTY = `import { test } from "node:test";\ntest("empty works", () => {});\n`;

test("a Tester that claims failing tests it never wrote shows nothing red, and one whose tests assert nothing shows nothing done", async () => {
  const claims: TeamPiece = { name: "claims", builds: [{ "src/claims.js": "export const claims = 1;\n" }] };
  const empty: TeamPiece = {
    name: "empty",
    visible: { "test/empty.test.js": EMPTY },
    builds: [{ "src/empty.js": "export const empty = 1;\n" }],
    shows: ["A2: empty works"],
  };
  const pieces = [claims, empty, simplePiece("calm")];
  const claimed = {
    when: { role: "tester", text: "your part of it:\\nclaims\\n" },
    answer: {
      text: "I ran node --test: 3 tests, 3 failures. RED is confirmed, and all other tests pass.",
      tool_calls: [{ name: "complete", input: { summary: "3 tests fail as they should", shows: ["A1: claims works"] } }],
    },
  };
  const project = teamProject(planOf(pieces), pieces, {}, [claimed]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const waiting = await app.api.send({ type: "request.run", id });
  expect([waiting.status, waiting.work.map(({ state }) => state)]).toEqual(["needs_you", ["needs_you", "merged", "merged"]]);
  expect(waiting.questions.map(({ text }) => text)).toEqual([expect.stringMatching(/^n1 claims: .*tests/su)]);
  // Nobody built on its word, and whoever runs tests is the engine.
  const { position: until } = await app.api.query({ type: "journal.head" });
  const red: string[] = [];
  const builders: unknown[] = [];
  for await (const { type, stream, payload } of app.api.events(
    { types: ["pipeline.red_shown", "task.created", "task.verified"], until },
    0,
    new AbortController().signal,
  )) {
    const told = payload as Record<string, unknown>;
    if (type === "pipeline.red_shown")
      red.push(`${stream === `pipeline/${waiting.work[0]?.id}` ? "claims" : "another"} ${told["already_satisfied"] === true}`);
    if (type === "task.created" && told["role"] === "engineer") builders.push(JSON.stringify(told["inputs"]).includes("claims"));
  }
  expect(red.toSorted((a, b) => a.localeCompare(b))).toEqual(["another false", "another true"]);
  expect(builders).toEqual([false]);
  await app.api.send({ type: "question.answer", id: waiting.questions[0]?.id ?? "", answer: { kind: "chosen", value: "skip" } });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, Object.keys(end.end?.evidence ?? {})]).toEqual(["not_shown", ["A3"]]);
  expect(Object.keys(filesOf(project.dir)).toSorted()).toEqual(
    [...Object.keys(FILES), "src/calm.js", "test/calm.test.js", "test/empty.test.js"].toSorted(),
  );
  await app.close();
});
