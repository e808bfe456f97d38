/** A session knows what was said in it before: each request, and each task of the user's own, is told of the ones before it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { App } from "../support/lab.ts";
import { KEYS, openHeadlessSession, type HeadlessOptions, type HeadlessSession } from "../support/headless-session.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

const FIRST = "where is text trimmed?";
const SECOND = "and is the same case wrong elsewhere? fix both then";
const call = (name: string, input: unknown): unknown => ({ text: "as said", tool_calls: [{ name, input }] });
const reads = (kind: string, text: string): unknown => ({
  when: { role: "guide", text },
  answer: call("classify", { kind, confidence: 0.9, reading: `as ${kind}`, ...(kind === "answer" ? { who: "librarian" } : {}) }),
});
const wroteDiv = [
  { when: { role: "engineer", step: 1 }, answer: call("write_file", { path: "div.txt", content: "div\n" }) },
  { when: { role: "engineer" }, answer: call("complete", { summary: "div is there" }) },
];

function project(): TeamProject {
  const pieces = [simplePiece("loud")];
  return teamProject(planOf(pieces), pieces, {}, [
    reads("plan", "in the person's words:\\s*and is the same"),
    reads("answer", "in the person's words:\\s*(where|and who)"),
    { when: { role: "librarian" }, answer: call("answer", { answer: "in trim(), by hand", sources: ["src/trim.js:1"], confidence: 0.8 }) },
    ...wroteDiv,
  ]);
}

const open = (here: TeamProject, options?: HeadlessOptions): Promise<HeadlessSession> =>
  openHeadlessSession({ dir: here.dir, env: { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules } }, { rows: 60, ...options });

/** What each role was shown first for these words, newest task of it. */
async function shownTo(app: App, role: string, words: string): Promise<string> {
  const task = (await app.tasks.list()).find((one) => one.role === role && one.goal.startsWith(words));
  return (await app.tasks.context(task?.id ?? "", 1)).user;
}

const SECTION = "Given, said before in this session:";
const sectionOf = (text: string): string => text.slice(text.indexOf(SECTION)).split("\n\nGiven, ")[0] ?? "";

test("the second sentence reaches everybody with the first one's words and what came of it; outside of a session nothing is told", async () => {
  const here = project();
  {
    await using session = await open(here);
    await session.sees("ready");
    session.say(FIRST);
    await session.sees(/in trim\(\), by hand[\s\S]*ready$/u);
    session.say(SECOND);
    await session.sees(/Is this how it should be done\?/u);
    session.type(KEYS.escape);
    await session.sees(/What is known of the place[\s\S]*ready$/u);
    session.say("/context");
    await session.sees(/ {2}said before +\d+ +\d+ %[\s\S]*ready$/u);
    session.say(`/task add div --no-checks`);
    await session.sees(/div is there[\s\S]*ready$/u);
  }
  {
    const app = await here.open();
    expect(await shownTo(app, "guide", FIRST)).not.toContain(SECTION);
    for (const role of ["guide", "architect"]) {
      const shown = await shownTo(app, role, SECOND);
      // What is wanted now stands first, as it was said.
      expect(shown.indexOf(SECOND)).toBeLessThan(shown.indexOf(SECTION));
      expect(sectionOf(shown)).toContain(`The person said: ${FIRST}\nAnswered: in trim(), by hand\nSources: src/trim.js:1`);
    }
    const task = sectionOf(await shownTo(app, "engineer", "add div"));
    expect(task).toContain(`The person said: ${FIRST}\nAnswered: in trim(), by hand`);
    expect(task).toContain(`The person said: ${SECOND}\nPlanned, and not built to its end: add loud`);
    const { id } = await app.api.send({ type: "request.start", options: here.options({ words: "and who else?", mode: "auto" }) });
    await app.api.send({ type: "request.run", id });
    expect(await shownTo(app, "librarian", "and who else?")).not.toContain(SECTION);
    await app.close();
  }
});

test("a session that goes on with a request of earlier goes on with what was said before it; a rewound task is told as such", async () => {
  const here = project();
  {
    await using session = await open(here);
    await session.sees("ready");
    session.say(FIRST);
    await session.sees(/in trim\(\), by hand[\s\S]*ready$/u);
    session.say("where else?");
    await session.sees(/where else\?[\s\S]*in trim\(\), by hand[\s\S]*ready$/u);
  }
  await using session = await open(here, { first: ["session", "continue", "last"] });
  await session.sees(/answered[\s\S]*ready$/u);
  session.say(`/task add div --no-checks`);
  await session.sees(/div is there[\s\S]*ready$/u);
  expect(readFileSync(path.join(here.dir, "div.txt"), "utf8")).toBe("div\n");
  session.say("/rewind");
  await session.sees("before the first step");
  for (const letter of "before the first") session.type(letter);
  session.type(KEYS.enter);
  await session.sees(/taken back: div\.txt[\s\S]*ready$/u);
  session.say("and who calls it?");
  await session.sees(/and who calls it\?[\s\S]*in trim\(\), by hand[\s\S]*ready$/u);
  const app = await here.open();
  const told = sectionOf(await shownTo(app, "librarian", "and who calls it?"));
  await app.close();
  for (const words of [FIRST, "where else?"]) expect(told).toContain(`The person said: ${words}\nAnswered: `);
  expect(told).toMatch(/The person said: add div\nRewound by the person to before its first step\.\n\nFiles, when the task began:/u);
});
