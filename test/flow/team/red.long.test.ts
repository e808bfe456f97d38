/** When tests need not fail first: what is there already, and work that no test shows. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { systemPaths } from "../../../src/kernel/index.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamPiece } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

test("PIP-008: tests that pass already are questioned once; then it is written down that this is there, and it is judged as it is; work that no test shows has none", async () => {
  const there: TeamPiece = {
    name: "there",
    visible: { "test/there.test.js": testOf("plain", "trim", "../src/trim.js", `assert.equal(trim(" b "), "b")`) },
    builds: [{ "src/never.js": "export const never = 1;\n" }],
  };
  const words: TeamPiece = { name: "words", builds: [{ "docs/words.md": "# Words\n" }] };
  const pieces = [there, words, simplePiece("calm")];
  const plan = planOf(pieces);
  const project = teamProject(
    {
      ...plan,
      assertions: plan.assertions.map((one) => (one.id === "A2" ? { ...one, shown_by: "command" as const, command: "node --test" } : one)),
    },
    pieces,
  );
  // Where nothing is sandboxed the commands of a plan are asked about.
  const app = await project.open({ permissions: { allow: ["node --test"] } });
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work.map(({ state }) => state)]).toEqual(["not_shown", ["merged", "merged", "merged"]]);
  // Judged again where others were merged meanwhile.
  const rolesOf = async (tasks: readonly string[]): Promise<string[]> => [
    ...new Set(await Promise.all(tasks.map(async (task) => (await app.tasks.show(task)).role))),
  ];
  expect(await Promise.all(end.work.map(({ tasks }) => rolesOf(tasks)))).toEqual([
    ["tester", "inspector"],
    ["engineer", "inspector"],
    ["tester", "engineer", "inspector"],
  ]);
  // Asked whether it tests what is missing, its writer said so once more.
  const { position: until } = await app.api.query({ type: "journal.head" });
  const [asked, satisfied]: string[][] = [[], []];
  for await (const { type, payload } of app.api.events(
    { types: ["task.acted", "pipeline.red_shown"], until },
    0,
    new AbortController().signal,
  ))
    (type === "task.acted" ? asked : satisfied)?.push(JSON.stringify(payload));
  expect(asked?.filter((text) => text.includes("your tests pass already"))).toHaveLength(1);
  expect(satisfied?.map((text) => text.includes('"already_satisfied":true'))).toContain(true);
  // Nobody saw its test fail: it is not called shown.
  expect(Object.keys(end.end?.evidence ?? {})).toEqual(["A2", "A3"]);
  expect(Object.keys(filesOf(project.dir))).toEqual(expect.arrayContaining(["test/there.test.js", "docs/words.md", "src/calm.js"]));
  expect(Object.keys(filesOf(project.dir))).not.toContain("src/never.js");
  await app.close();
});

test("where no check can tell whether tests fail the user is asked after the first try, with what would help", async () => {
  const pieces = [simplePiece("loud")];
  const project = teamProject(planOf(pieces), pieces);
  // Not trusted and not sandboxed: what the folder brings does not run.
  const { config } = systemPaths.dirs({ env: project.env, platform: process.platform });
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.yaml"), "security: { sandbox: { mode: off } }\n");
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options({ checks: [] }) });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.tasks.length, end.questions[0]?.text]).toEqual([
    "needs_you",
    1,
    expect.stringMatching(/no check of this project is known, or none may run\. Try again with the words "the check is npm test"/u),
  ]);
  // What it says helps.
  const answer = { kind: "chosen" as const, value: "retry", words: "the check is npm test" };
  await app.api.send({ type: "question.answer", id: end.questions[0]?.id ?? "", answer });
  const again = await app.api.send({ type: "request.run", id });
  expect([again.status, again.questions[0]?.text]).toEqual(["done", undefined]);
  await app.close();
});
