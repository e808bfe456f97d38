/** A question on the command line is answered, as in a session: nothing is planned, checked or changed. */
import { expect, test, vi } from "vitest";
import { runSylk } from "../support/run-sylk.ts";
import { filesOf } from "../support/scripted-project.ts";
import { FILES, planOf, simplePiece, teamProject } from "../support/team-project.ts";

vi.setConfig({ testTimeout: 300_000 });

const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });

test("what is plainly a question is answered with exit code 0 and nothing but the answer on stdout, whatever the Guide makes of it and where it reads nothing; with an option of a task it is one", async () => {
  const pieces = [simplePiece("loud")];
  // Whoever reads it takes it for work.
  const here = teamProject(planOf(pieces), pieces, {}, [
    { when: { role: "librarian" }, answer: call("answer", { answer: "it trims", sources: ["src/trim.js:1"], confidence: 0.8 }) },
  ]);
  const sylk = (...args: string[]) => runSylk(here.dir, here.env, args);
  const plain = await sylk("what does trim do?", "-m", here.rules);
  expect([plain.code, plain.out]).toEqual([0, "it trims\nSources: src/trim.js:1\n"]);
  expect(plain.err).toContain("taken as a question: it is answered, and nothing is changed");
  expect(plain.err).toMatch(/^answered, nothing was changed · \w{8} · 2 calls, /mu);
  const json = await sylk("-p", "why does trim trim", "-m", here.rules, "--json");
  expect([json.code, JSON.parse(json.out.trim().split("\n").at(-1) ?? "")]).toEqual([
    0,
    expect.objectContaining({ type: "outcome", status: "answered", work: [], end: expect.objectContaining({ files: [] }) as unknown }),
  ]);
  const { code, out } = await runSylk(here.dir, { ...here.env, SYLK_TEAM_CLASSIFY: "false" }, ["what does trim do?", "-m", here.rules]);
  expect([code, out]).toEqual([0, expect.stringContaining("it trims")]);
  expect(filesOf(here.dir)).toEqual(FILES);
  const task = await sylk("what does trim do?", "-m", here.rules, "--type", "discover", "--detach");
  expect([task.code, task.out]).toEqual([0, expect.stringMatching(/^task_\w+\n$/u)]);
});
