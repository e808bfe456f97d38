/** Pieces that the plan keeps apart and that turn out to change the same function: the later one rests early and goes on from what was merged. */
import { expect, test, vi } from "vitest";
import type { App } from "../../support/lab.ts";
import { filesOf } from "../../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, type TeamPiece, type TeamProject } from "../../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

interface Fact {
  stream: string;
  type: string;
  payload: Record<string, unknown>;
}

async function factsOf(app: App, types: string[]): Promise<Fact[]> {
  const { position: until } = await app.api.query({ type: "journal.head" });
  const found: Fact[] = [];
  for await (const { type, stream, payload } of app.api.events({ types, until }, 0, new AbortController().signal))
    found.push({ type, stream, payload: payload as Record<string, unknown> });
  return found;
}

async function happened(app: App, types: string[], fits: (fact: Fact) => boolean): Promise<Fact> {
  for await (const { type, stream, payload } of app.api.events({ types }, 0, new AbortController().signal)) {
    const fact = { type, stream, payload: payload as Record<string, unknown> };
    if (fits(fact)) return fact;
  }
  throw new Error("the journal ended");
}

const writes = (file: string, content: string): unknown => ({
  text: "so",
  tool_calls: [{ name: "write_file", input: { path: file, content } }],
});
const completes = { text: "so", tool_calls: [{ name: "complete", input: { summary: "built" } }] };
const own = (name: string): string => `export const ${name} = (text) => \`${name} \${text}\`;\n`;
const engineer = (name: string, step: number, more = ""): unknown => ({
  role: "engineer",
  text: `${more}your part of it:\\n${name}\\n`,
  step,
});
const HANGS = { delay_ms: 3_600_000, text: "never" };
const TOLD = "^(?=.*go on with it now).*";

interface Words {
  trims?: boolean;
  join?: string;
  count?: string;
}
const words = ({ trims = false, join = " ", count = "all.length" }: Words = {}): string =>
  `export function words(...all) {
  const said = ${trims ? "all.map((one) => one.trim())" : "all"};
  const kept = said.filter((one) => one !== "");
  return kept.join("${join}");
}

export const count = (...all) => ${count};
`;

/** `loud` and `calm` both change the function `words`, which no plan told; each stops halfway until it is told to go on. */
function project(loud: Words, calm: Words, more: readonly unknown[] = [], quiet: readonly TeamPiece[] = []): TeamProject {
  const pieces: TeamPiece[] = [simplePiece("loud"), simplePiece("calm"), ...quiet];
  const rules = [
    ...more,
    { when: engineer("loud", 2, TOLD), answer: writes("src/loud.js", own("loud")) },
    { when: engineer("loud", 3, TOLD), answer: completes },
    { when: engineer("loud", 1), answer: writes("src/words.js", words(loud)) },
    { when: engineer("loud", 2), answer: HANGS },
    { when: engineer("calm", 1), answer: writes("src/words.js", words(calm)) },
    { when: engineer("calm", 2), answer: HANGS },
  ];
  return teamProject(planOf(pieces), pieces, { "src/words.js": words() }, rules);
}

/** Until both have changed the function; then `loud` goes on, and hands over. */
async function bothBegun(app: App, id: string): Promise<void> {
  const begun = new Set<string>();
  await happened(app, ["task.acted"], ({ stream, payload }) => {
    if (payload["action"] === "write_file" && JSON.stringify(payload).includes("src/words.js")) begun.add(stream);
    return begun.size === 2;
  });
  await app.api.send({ type: "request.signal", id, piece: "n1", signal: "pause" });
  await app.api.send({ type: "request.tell", id, piece: "n1", words: "go on with it now" });
  await app.api.send({ type: "request.signal", id, piece: "n1", signal: "resume" });
  await happened(app, ["pipeline.held"], () => true);
}

async function storyOf(app: App): Promise<string[]> {
  const facts = await factsOf(app, ["pipeline.opened", "pipeline.held", "pipeline.released", "pipeline.merged"]);
  const names = new Map<string, string>();
  for (const { type, stream, payload } of facts)
    if (type === "pipeline.opened") names.set(stream, (payload["node"] as { title: string }).title);
  return facts.flatMap(({ type, stream }) => (type === "pipeline.opened" ? [] : [`${names.get(stream) ?? ""} ${type}`]));
}

test("two pieces at once that change the same function: the later one is stopped while it builds, told why, and goes on from what the earlier one merged; who changes another function of the file is not held up", async () => {
  const taken = "^(?=.*n1 changed words in src/words.js: your tree holds that).*";
  const goesOn = [
    { when: engineer("calm", 1, taken), answer: writes("src/calm.js", own("calm")) },
    { when: engineer("calm", 2, taken), answer: completes },
  ];
  const quiet = simplePiece("quiet", { builds: [{ "src/words.js": words({ count: "all.length + 0" }), "src/quiet.js": own("quiet") }] });
  const { open, options, dir } = project({ join: "-" }, { join: "+" }, goesOn, [{ ...quiet, after: [] }]);
  const app = await open();
  const { id } = await app.api.send({ type: "request.start", options: options() });
  const running = app.api.send({ type: "request.run", id });
  await bothBegun(app, id);
  const { work } = await app.api.query({ type: "request.show", id });
  expect(work[1]).toMatchObject({ state: "blocked", why: "n1 changes words in src/words.js too; it goes on when that is through" });
  const end = await running;
  expect([end.status, end.work.map(({ state, attempt }) => `${state} ${attempt}`)]).toEqual(["done", ["merged 1", "merged 1", "merged 1"]]);
  const story = await storyOf(app);
  expect(story.filter((line) => !line.startsWith("quiet"))).toEqual([
    "calm pipeline.held",
    "loud pipeline.merged",
    "calm pipeline.released",
    "calm pipeline.merged",
  ]);
  expect(story.filter((line) => line.startsWith("quiet"))).toEqual(["quiet pipeline.merged"]);
  // What was half built in vain is gone, what the earlier one built stands.
  expect(filesOf(dir)).toMatchObject({ "src/words.js": words({ join: "-", count: "all.length + 0" }), "src/calm.js": own("calm") });
  await app.close();
});

test("what was half built and can be combined with what was merged stays: its builder goes on where it stood", async () => {
  const goesOn = [
    { when: engineer("calm", 2, TOLD), answer: writes("src/calm.js", own("calm")) },
    { when: engineer("calm", 3, TOLD), answer: completes },
  ];
  const { open, options, dir } = project({ trims: true }, { join: "+" }, goesOn);
  const app = await open();
  const { id } = await app.api.send({ type: "request.start", options: options() });
  const running = app.api.send({ type: "request.run", id });
  await bothBegun(app, id);
  await app.api.send({ type: "request.tell", id, piece: "n2", words: "go on with it now" });
  const end = await running;
  expect([end.status, end.work[1]?.attempt]).toEqual(["done", 1]);
  const builders = await Promise.all((end.work[1]?.tasks ?? []).map(async (task) => (await app.tasks.show(task)).role));
  expect(builders.filter((role) => role === "engineer")).toEqual(["engineer"]);
  expect(filesOf(dir)).toMatchObject({ "src/words.js": words({ trims: true, join: "+" }), "src/calm.js": own("calm") });
  await app.close();
});
