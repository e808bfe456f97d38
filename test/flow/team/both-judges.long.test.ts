/** A piece is merged when the review and the tests both say yes; whoever says no sends it back, and its tests stay as they are. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, testOf, type TeamPiece } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

type Payload = Record<string, unknown>;

/** By piece, what was told of it, in order. */
async function storiesOf(app: App, types: string[]): Promise<Map<string, { type: string; payload: Payload }[]>> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const names = new Map<string, string>();
  const told = new Map<string, { type: string; payload: Payload }[]>();
  for await (const { type, stream, payload } of app.api.events(
    { types: ["pipeline.opened", ...types], until },
    0,
    new AbortController().signal,
  )) {
    if (type === "pipeline.opened") names.set(stream, (payload as { node: { title: string } }).node.title);
    const name = names.get(stream) ?? stream;
    if (type !== "pipeline.opened") told.set(name, [...(told.get(name) ?? []), { type, payload: payload as Payload }]);
  }
  return told;
}

const right = (name: string, more = ""): Record<string, string> => ({
  [`src/${name}.js`]: `${more}export const ${name} = (text) => \`${name} \${text}\`;\n`,
});
/** Passes what its builder sees and nothing else. */
const guessed = (name: string, more = ""): Record<string, string> => ({
  [`src/${name}.js`]: `${more}export const ${name} = () => "${name} a";\n`,
});
const hidden = (name: string): Record<string, string> => ({
  [`test/${name}-more.test.js`]: testOf("more", name, `../src/${name}.js`, `assert.equal(${name}("b"), "${name} b")`),
});
const HASTY = "// hasty\n";

/** The review refuses whatever was written in haste. */
const refuses = {
  when: { role: "inspector", text: "^(?=.*your part of it).*hasty" },
  answer: {
    text: "no",
    tool_calls: [
      {
        name: "submit_review",
        input: {
          summary: "looked",
          findings: [
            {
              text: "it says itself that it is hasty",
              evidence: { kind: "rule", what: "no new dependencies" },
              fix: { correction: "write it with care", breaks: [], impacts: [], cause: 0.9, why: "haste" },
            },
          ],
        },
      },
    ],
  },
};

test("PIP-005 PIP-009: merged when both judges say yes; one no, or two, sends it back with all that was said; where only the tests say no they stay, and nobody writes them anew", async () => {
  const pieces: TeamPiece[] = [
    simplePiece("harsh", { hidden: hidden("harsh"), builds: [right("harsh", HASTY), right("harsh")] }),
    simplePiece("blind", { hidden: hidden("blind"), builds: [guessed("blind"), right("blind")] }),
    simplePiece("worst", { hidden: hidden("worst"), builds: [guessed("worst", HASTY), right("worst")] }),
  ];
  const project = teamProject(planOf(pieces), pieces, {}, [refuses]);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work.map(({ state, attempt }) => [state, attempt])]).toEqual([
    "done",
    [
      ["merged", 2],
      ["merged", 2],
      ["merged", 2],
    ],
  ]);
  const stories = await storiesOf(app, ["pipeline.judged", "pipeline.returned", "pipeline.merged"]);
  // What was merged before a piece is judged again with; the last word counts.
  const verdicts = (name: string): unknown[] => {
    const lines = (stories.get(name) ?? []).map(({ type, payload }) =>
      type === "pipeline.judged" ? `tester ${String(payload["tester_passed"])}, inspector ${String(payload["inspector_passed"])}` : type,
    );
    return lines.filter((line, index) => line !== lines[index - 1]);
  };
  const ends = ["pipeline.returned", "tester true, inspector true", "pipeline.merged"];
  expect(verdicts("harsh")).toEqual(["tester true, inspector false", ...ends]);
  expect(verdicts("blind")).toEqual(["tester false, inspector true", ...ends]);
  expect(verdicts("worst")).toEqual(["tester false, inspector false", ...ends]);
  const said = (name: string): string => JSON.stringify(stories.get(name)?.find(({ type }) => type === "pipeline.returned")?.payload);
  expect([said("harsh").includes("more: harsh"), said("harsh").includes("itself that it is hasty")]).toEqual([false, true]);
  expect([said("blind").includes("more: blind"), said("blind").includes("hasty")]).toEqual([true, false]);
  expect([said("worst").includes("more: worst"), said("worst").includes("itself that it is hasty")]).toEqual([true, true]);
  const roles = await Promise.all((end.work[1]?.tasks ?? []).map(async (task) => (await app.tasks.show(task)).role));
  expect(roles.filter((role) => role !== "inspector")).toEqual(["tester", "engineer", "engineer"]);
  expect(filesOf(project.dir)).toMatchObject({ ...pieces[1]?.visible, ...hidden("blind"), ...right("blind") });
  await app.close();
});

test("PIP-009: tests that a builder changes behind its actions' back are set back, and what it built is not let through for it", async () => {
  const weak = testOf("plain", "loud", "../src/loud.js", "");
  // A test of its own that, run for the first time, changes another one.
  const cheat = [
    `import { test } from "node:test";`,
    `import { existsSync, writeFileSync } from "node:fs";`,
    `test("own", () => {`,
    `  if (existsSync("once.txt")) return;`,
    `  writeFileSync("once.txt", "");`,
    `  writeFileSync("test/loud.test.js", ${JSON.stringify(weak)});`,
    `});\n`,
  ].join("\n");
  const pieces = [simplePiece("loud", { builds: [{ ...right("loud"), "test/own.test.js": cheat }] })];
  const project = teamProject(planOf(pieces), pieces);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work[0]?.attempt]).toEqual(["done", 2]);
  const [judged, returned] = (await storiesOf(app, ["pipeline.judged", "pipeline.returned"])).get("loud") ?? [];
  expect([judged?.payload["tester_passed"], judged?.payload["inspector_passed"]]).toEqual([false, true]);
  expect(JSON.stringify(returned?.payload)).toContain("test/loud.test.js was changed and stands as it was");
  expect(filesOf(project.dir)["test/loud.test.js"]).toBe(pieces[0]?.visible?.["test/loud.test.js"]);
  await app.close();
});
