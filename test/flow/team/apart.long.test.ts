/** Pieces at work at the same time have a tree and a branch each: what one has half done no other sees, and no test of another fails for it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { gitIn } from "../../support/knowledge-project.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

interface Fact {
  stream: string;
  type: string;
  payload: Record<string, unknown>;
}

async function happened(app: App, types: string[], fits: (fact: Fact) => boolean): Promise<Fact> {
  for await (const { type, stream, payload } of app.api.events({ types }, 0, new AbortController().signal)) {
    const fact = { type, stream, payload: payload as Record<string, unknown> };
    if (fits(fact)) return fact;
  }
  throw new Error("the journal ended");
}

const titleOf = ({ payload }: Fact): string => (payload["node"] as { title: string }).title;
const writes = (file: string, content: string): unknown => ({
  text: "so",
  tool_calls: [{ name: "write_file", input: { path: file, content } }],
});

test("what one piece has half done stands in its own tree on its own branch: another one's tests pass meanwhile and it is merged; what comes after the first begins when that is merged", async () => {
  const part = "your part of it:\\nloud\\n";
  const told = "^(?=.*go on with it now).*";
  const rules = [
    { when: { role: "engineer", text: `${told}${part}`, step: 2 }, answer: writes("src/trim.js", FILES["src/trim.js"]) },
    {
      when: { role: "engineer", text: `${told}${part}`, step: 3 },
      answer: writes("src/loud.js", "export const loud = (text) => `loud ${text}`;\n"),
    },
    // Every test that loads it fails.
    { when: { role: "engineer", text: part, step: 1 }, answer: writes("src/trim.js", "export const trim = (\n") },
    { when: { role: "engineer", text: part, step: 2 }, answer: { delay_ms: 3_600_000, text: "never" } },
  ];
  const pieces = [simplePiece("loud"), simplePiece("calm"), simplePiece("needs", { after: ["n1"] })];
  const project = teamProject(planOf(pieces), pieces, {}, rules);
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const running = app.api.send({ type: "request.run", id });
  await happened(
    app,
    ["task.acted"],
    ({ payload }) => JSON.stringify(payload).includes("src/trim.js") && payload["action"] === "write_file",
  );
  const calm = await happened(app, ["pipeline.opened"], (fact) => titleOf(fact) === "calm");
  await happened(app, ["pipeline.ended"], ({ stream }) => stream === calm.stream);
  const judged = await happened(app, ["pipeline.judged"], ({ stream }) => stream === calm.stream);
  expect(judged.payload).toMatchObject({ passed: true, tester_passed: true });
  // The common tree and that of the piece which is not done yet.
  const trees = gitIn(project.dir, "worktree", "list", "--porcelain")
    .split("\n\n")
    .flatMap((text) => {
      const [, folder = ""] = /^worktree (.+)$/mu.exec(text) ?? [];
      const [, branch] = /^branch refs\/heads\/(sylk\/.+)$/mu.exec(text) ?? [];
      return branch === undefined ? [] : [{ branch, trim: readFileSync(path.join(folder, "src/trim.js"), "utf8") }];
    });
  expect(new Set(trees.map(({ branch }) => branch)).size).toBe(2);
  expect(trees.map(({ trim }) => trim).toSorted()).toEqual(["export const trim = (\n", FILES["src/trim.js"]].toSorted());
  expect(filesOf(project.dir)).toEqual(FILES);
  await app.api.send({ type: "request.signal", id, piece: "n1", signal: "pause" });
  await running;
  await app.api.send({ type: "request.tell", id, piece: "n1", words: "go on with it now" });
  await app.api.send({ type: "request.resume", id });
  const end = await app.api.send({ type: "request.run", id });
  expect([end.status, end.work.map(({ state }) => state)]).toEqual(["done", ["merged", "merged", "merged"]]);
  const order: string[] = [];
  const { position: until } = await app.api.query({ type: "journal.head" });
  const names = new Map<string, string>();
  for await (const { type, stream, payload } of app.api.events(
    { types: ["pipeline.opened", "pipeline.merged"], until },
    0,
    new AbortController().signal,
  )) {
    if (type === "pipeline.opened") names.set(stream, (payload as { node: { title: string } }).node.title);
    order.push(`${names.get(stream) ?? ""} ${type === "pipeline.opened" ? "begins" : "is merged"}`);
  }
  expect(order).toEqual(["loud begins", "calm begins", "calm is merged", "loud is merged", "needs begins", "needs is merged"]);
  await app.close();
});
