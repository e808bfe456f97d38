/** Of two pieces that have nothing to do with each other the later is checked again after the earlier was merged, and not read again. */
import { expect, test, vi } from "vitest";
import { planOf, simplePiece, teamProject, testOf } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

type Project = ReturnType<typeof teamProject>;
type Judged = { commit: string; passed: boolean; review_stands?: { commit: string; why?: string; piece?: string } };

/** Runs a request to its end: who looked at each piece, and how pieces and the whole were judged. */
async function judgedBy(project: Project) {
  const app = await project.open();
  const { id } = await app.api.send({ type: "request.start", options: project.options() });
  const end = await app.api.send({ type: "request.run", id });
  const inspectors = await Promise.all(
    end.work.map(async ({ tasks }) => {
      const roles = await Promise.all(tasks.map(async (task) => (await app.tasks.show(task)).role));
      return roles.filter((role) => role === "inspector").length;
    }),
  );
  const { position: until } = await app.api.query({ type: "journal.head" });
  const types = ["pipeline.judged", "request.judged"];
  const judged = new Map<string, Judged[]>();
  for await (const { stream, payload } of app.api.events({ types, until }, 0, new AbortController().signal))
    judged.set(stream, [...(judged.get(stream) ?? []), payload as Judged]);
  const whole = judged.get(`request/${id}`) ?? [];
  judged.delete(`request/${id}`);
  await app.close();
  return { end, inspectors, whole, pieces: [...judged.values()].toSorted((a, b) => a.length - b.length) };
}

test("a change that is the same after others merged is checked on the new state and reviewed once", async () => {
  const pieces = [simplePiece("loud"), simplePiece("calm")];
  const { end, inspectors, pieces: judged } = await judgedBy(teamProject(planOf(pieces), pieces));
  expect([end.status, inspectors]).toEqual(["done", [1, 1]]);
  // One was merged first; the other was judged on what stood there before and on what stood there then.
  expect(judged.map((all) => new Set(all.map(({ commit }) => commit)).size)).toEqual([1, 2]);
  const [before, after] = judged[1] ?? [];
  expect([before?.review_stands, after?.review_stands]).toEqual([undefined, { commit: before?.commit, why: "same_contents" }]);
});

/** A file that both pieces add a function to, one at its beginning and one at its end. */
const SHARED = "src/voices.js";
const plain = (name: string): string => `export const ${name} = (text) => \`${name} \${text}\`;\n\n`;
const MIDDLE = ["high", "low", "thin"].map(plain).join("");

function inShared(name: string, content: string): ReturnType<typeof simplePiece> {
  const test = testOf("plain", name, "../src/voices.js", `assert.equal(${name}("a"), "${name} a")`);
  return simplePiece(name, { visible: { [`test/${name}.test.js`]: test }, builds: [{ [SHARED]: content }] });
}

test("after a clean merge of another piece into the same file, a piece's own change is checked again and not read again", async () => {
  const pieces = [inShared("calm", `${plain("calm")}${MIDDLE}`), inShared("loud", `${MIDDLE}${plain("loud")}`)];
  const plan = planOf(pieces);
  // Nobody foresaw that they meet in one file, so both are built at once.
  const nodes = plan.nodes.map((node) => ({ ...node, files: node.files.filter((file) => file !== SHARED) }));
  const { end, inspectors, pieces: judged, whole } = await judgedBy(teamProject({ ...plan, nodes }, pieces, { [SHARED]: MIDDLE }));
  expect([end.status, end.questions[0]?.text, inspectors]).toEqual(["done", undefined, [1, 1]]);
  const [before, after] = judged[1] ?? [];
  expect(after?.commit).not.toBe(before?.commit);
  expect(after).toMatchObject({ passed: true, review_stands: { commit: before?.commit, why: "same_change" } });
  // What several pieces make together is looked at by itself.
  expect(whole.map((one) => one.review_stands)).toEqual([undefined]);
});

test("where all of it is one piece that was reviewed as it stands, the whole is checked and not read again", async () => {
  const hidden = { "test/loud-more.test.js": testOf("more", "loud", "../src/loud.js", `assert.equal(loud("b"), "loud b")`) };
  const pieces = [simplePiece("loud", { hidden })];
  const { end, inspectors, pieces: judged, whole } = await judgedBy(teamProject(planOf(pieces), pieces));
  expect([end.status, inspectors]).toEqual(["done", [1]]);
  expect(whole).toMatchObject([{ passed: true, review_stands: { piece: "n1", commit: judged[0]?.[0]?.commit } }]);
  // The Architect's, three of the Tester, two of the Engineer and one of the Inspector.
  expect(end.usage.calls).toBe(7);
});

/** Longer than what a reviewer is shown at once. */
const LONG = { "src/long.js": Array.from({ length: 300 }, (_, n) => `export const long${n} = "a line of a long file ${n}";\n`).join("") };
const looksAt = (from: number, step: number) => ({
  when: { role: "inspector", step },
  answer: { text: "as said", tool_calls: [{ name: "read_file", input: { path: "src/long.js", from, to: from + 99 } }] },
});

test("a file that was not shown whole is read by nobody: the whole is looked at, unless the reviewer read it itself", async () => {
  const piece = simplePiece("loud");
  const pieces = [{ ...piece, builds: piece.builds.map((build) => ({ ...build, ...LONG })) }];
  const unread = await judgedBy(teamProject(planOf(pieces), pieces));
  expect([unread.end.status, unread.whole.map((one) => one.review_stands)]).toEqual(["done", [undefined]]);
  const reads = [1, 101, 201].map((from, index) => looksAt(from, index + 1));
  const read = await judgedBy(teamProject(planOf(pieces), pieces, {}, reads));
  expect([read.end.status, read.whole.map((one) => one.review_stands?.piece)]).toEqual(["done", ["n1"]]);
});
