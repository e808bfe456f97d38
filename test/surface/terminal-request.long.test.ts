/** A request in a session: what is shown while it runs, in both renderers. */
import { describe, expect, test, vi } from "vitest";
import { KEYS, openHeadlessSession, type HeadlessOptions } from "../support/headless-session.ts";
import { filesOf } from "../support/scripted-project.ts";
import { planOf, simplePiece, teamProject, type TeamProject } from "../support/team-project.ts";

// Whole requests with real trees and tests: a busy machine needs its time.
vi.setConfig({ testTimeout: 600_000 });

/** Whoever builds this piece never comes to an end. */
const thinksForEver = (name: string): unknown => ({
  when: { role: "engineer", text: `your part of it:\\n${name}\\n` },
  answer: { text: "x", delay_ms: 3_600_000 },
});
const run = ({ rules }: TeamProject, ...more: string[]): string[] => [
  "run",
  "add loud, quiet and both",
  "--check",
  "node --test",
  "--team",
  "-m",
  rules,
  ...more,
];

/** What differs from one run to the next. */
const timeless = (lines: readonly string[]): string[] =>
  lines.map((line) =>
    line
      .trimEnd()
      .replaceAll(/(?:\d+ m )?\d+ s\b/gu, "N s")
      // On a busy machine the other one is silent for so long that it is told.
      .replace("waiting for scripted", "thinks")
      .replace(/[\d.]+k tokens/u, "N tokens"),
  );

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = ({ dir, env }: TeamProject, options: HeadlessOptions) =>
    openHeadlessSession({ dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } }, options);

  const pieces = [simplePiece("loud"), simplePiece("quiet"), simplePiece("both", { after: ["n1", "n2"] })];

  test("a request that runs shows its pieces as a tree with what each does, and since when; stopped, nothing of that stays", async () => {
    const here = teamProject(planOf(pieces), pieces, {}, [thinksForEver("quiet")]);
    await using session = await open(here, { first: run(here, "--approve", "auto"), columns: 80, rows: 40 });
    const shown = await session.sees(/✓ n1 loud {2}merged[\s\S]*step 1: (?:thinks|waiting for scripted) \d+ [ms]/u);
    expect(timeless(shown.slice(shown.lastIndexOf("building · 1/3")).split("\n").slice(0, 5))).toEqual([
      "building · 1/3 merged · N tokens · 8 calls · $0 · N s",
      "  ✓ n1 loud  merged",
      "  ▸ n2 quiet  building  N s",
      "    engineer, step 1: thinks N s",
      "    · n3 both  waiting for n1, n2",
    ]);
    session.type(KEYS.escape);
    const after = await session.sees(/interrupted; go on with: \/resume \w+\n[\s\S]*ready$/u);
    expect(after.slice(after.lastIndexOf("interrupted; go on"))).not.toContain("n2 quiet");
  });

  test("a question beside a request leaves nothing of its own progress below the lines that live", async () => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one, {}, [thinksForEver("loud")]);
    await using session = await open(here, { first: run(here, "--approve", "auto"), columns: 100, rows: 40 });
    await session.sees(/engineer, step 1: (?:thinks|waiting for scripted) \d+ s/u);
    session.say("/btw where is trim?");
    await session.sees(/› \/btw[\s\S]*these are the sources; `\/ask --model …` lets a model answer/u);
    session.say("/compact");
    const shown = await session.sees(/working · 1 waiting$/u);
    expect(shown.slice(shown.lastIndexOf("engineer, step 1"))).not.toMatch(/^(?:listing|reading|linking|embedding)/mu);
  });

  test("what waits for the user is listed with the word that answers it, and answered while the others go on", async () => {
    const ends = { name: "cannot_satisfy", input: { assertion: "A1", why: "it is beyond me", evidence: "src/loud.js:1" } };
    const asks = [simplePiece("loud", { ends }), simplePiece("quiet")];
    const here = teamProject(planOf(asks), asks, {}, [thinksForEver("quiet")]);
    await using session = await open(here, { first: run(here, "--approve", "auto"), columns: 110, rows: 40 });
    const shown = await session.sees(/\? n1 loud {2}needs you[\s\S]*waiting for you \(1\)\n.*\/answer \w+ /u);
    const word = /\/answer (?<id>\w+) (?<answers>\S+)/u.exec(shown.slice(shown.lastIndexOf("waiting for you")))?.groups;
    expect(word?.["answers"]).toMatch(/^retry\|/u);
    session.say(`/answer ${word?.["id"] ?? ""} skip`);
    await session.sees(/answered; it goes on\s[\s\S]*– n1 loud {2}skipped[\s\S]*▸ n2 quiet {2}building/u);
    expect(session.shown().slice(session.shown().lastIndexOf("building ·"))).not.toContain("waiting for you");
  });

  test("a plan that is changed while its pieces go on is reviewed by itself: what stays, what is new, each on its line; approved, it goes on", async () => {
    const three = [simplePiece("loud"), simplePiece("quiet"), simplePiece("calm")];
    const changed = {
      when: { role: "architect", text: "The person adds: and calm" },
      answer: { text: "as said", tool_calls: [{ name: "submit_plan", input: planOf(three) }] },
    };
    const here = teamProject(planOf(three.slice(0, 2)), three, {}, [thinksForEver("quiet"), changed]);
    await using session = await open(here, { first: run(here), columns: 90, rows: 60 });
    await session.sees(/Is this how it should be done\?\s*\n→ approve[\s\S]* reject/u);
    session.type("y");
    session.type(KEYS.enter);
    await session.sees(/✓ n1 loud {2}merged/u);
    session.say("/add and calm");
    const asked = await session.sees(/is new: n3[\s\S]*\nneeds you · 1\/2 merged[\s\S]*→ approve[\s\S]* reject/u);
    const review = asked.slice(asked.lastIndexOf("you added: and calm"));
    expect(review).toMatch(/│ {3}n3 calm[\s\S]*\n {2}│ goes on: n2 quiet\s*\n {2}│ is new: n3 calm\s*\n/u);
    expect(review).toMatch(/\nIs this how it should be done\?\s*\n→ approve/u);
    expect(review).not.toMatch(/␊|[?✗] Is this how|go on with/u);
    session.type("y");
    session.type(KEYS.enter);
    await session.sees(/more to build: n3 calm[\s\S]*n3 calm {2}(?:tests|building)/u);
  });

  test("a model that cannot be had is told where it is missed, and that it is asked again", async () => {
    const one = [simplePiece("loud")];
    const away = { when: { role: "engineer" }, attempts: [{ error: { status: 503 } }] };
    const here = teamProject(planOf(one), one, {}, [away]);
    await using session = await open(here, { first: run(here, "--approve", "auto"), columns: 110, rows: 40 });
    await session.sees(/engineer, step 1: the model is asked again by itself: \S/u);
    session.type(KEYS.escape);
    const after = await session.sees(/interrupted; go on with: \/resume \w+\n[\s\S]*ready$/u);
    expect(after).not.toContain("asked again");
  });

  test("a check that runs before there is a plan is named with its seconds", async () => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one);
    const first = ["run", "add loud", "--check", "sleep 6; node --test", "--team", "-m", here.rules];
    await using session = await open(here, { first, columns: 100, rows: 60 });
    const shown = await session.sees(/\$ sleep 6; node --test [2-9] s/u);
    expect(shown).not.toContain("Is this how it should be done?");
    await session.sees(/Is this how it should be done\?\s*\n→ approve[\s\S]* reject/u);
  });

  test("what is not merged is told as that, with the word that merges it later", async () => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one);
    const first = ["run", "add loud", "--check", "node --test", "--team", "-m", here.rules];
    await using session = await open(here, { first, columns: 100, rows: 60 });
    await session.sees(/Is this how it should be done\?\s*\n→ approve[\s\S]* reject/u);
    session.type("y");
    session.type(KEYS.enter);
    await session.sees(/Merge it into your folder\?[\s\S]*leave it/u);
    session.type("l");
    session.type(KEYS.enter);
    const shown = await session.sees(/merge it later: \/merge \w+\s*\n[\s\S]*ready$/u);
    const end = shown.slice(shown.lastIndexOf("built and shown, not merged into your folder"));
    expect(end).toMatch(/^built and shown[\s\S]*✓ n1 loud {2}built\s*\n[\s\S]*✓ A1 loud does/u);
    expect(end).not.toContain("not shown");
    session.say(/\/merge \w+/u.exec(end)?.[0] ?? "");
    await session.sees(/merged[\s\S]*src\/loud\.js[\s\S]*ready$/u);
    expect(Object.keys(filesOf(here.dir))).toContain("src/loud.js");
  });

  test("Enter agrees to the plan and to the merge, which names what takes it back; /diff then shows what came into the folder, and /undo takes it back once", async () => {
    const one = [simplePiece("loud")];
    const here = teamProject(planOf(one), one);
    const first = ["run", "add loud", "--check", "node --test", "--team", "-m", here.rules];
    await using session = await open(here, { first, columns: 100, rows: 60 });
    await session.sees(/Is this how it should be done\?\s*\n→ approve[\s\S]* reject/u);
    session.type(KEYS.enter);
    await session.sees(/Merge it into your folder\?[\s\S]*\n→ merge it +`\/undo` takes it back\s*\n {2}leave it/u);
    session.type(KEYS.enter);
    await session.sees(/\? Merge it into your folder\?[\s\S]* merge it\s*\n[\s\S]*done: every assertion[\s\S]*ready$/u);
    session.say("/diff");
    await session.sees(/› \/diff\s*\nof \w{8}: add loud[\s\S]*\+\+\+ b\/src\/loud\.js[\s\S]*ready$/u);
    session.say("/undo");
    await session.sees(/› \/undo[\s\S]*taken back \(the merge\): [\s\S]*ready$/u);
    expect(Object.keys(filesOf(here.dir))).not.toContain("src/loud.js");
  });

  test("a plan is reviewed in place: comments on single steps are collected and sent as one answer", async () => {
    const one = [simplePiece("loud"), simplePiece("quiet")];
    const here = teamProject(planOf(one), one);
    await using session = await open(here, { first: ["plan", "add loud", "-m", here.rules], columns: 100, rows: 60 });
    await session.sees(/build it: \/resume[\s\S]*ready$/u);
    session.say("/questions");
    const id = /^(?<id>\w{8}) {2}request/mu.exec(await session.sees(/approve, edit, replace, reject[\s\S]*ready$/u))?.groups?.["id"] ?? "";
    session.say(`/answer ${id}`);
    const asked = await session.sees(/→ approve[\s\S]* reject/u);
    expect(asked.slice(asked.lastIndexOf("› /answer"))).toMatch(
      /│ {3}n1 loud {2}\(A1\)[\s\S]*Is this how it should be done\?\n→ approve\s[\s\S]* comment on A1 [\s\S]* comment on n2 /u,
    );
    const comment = async (step: string, words: string): Promise<void> => {
      for (const letter of step) session.type(letter);
      session.type(KEYS.enter);
      await session.sees(`What about ${step}?`);
      for (const letter of words) session.type(letter);
      session.type(KEYS.enter);
    };
    await comment("n2", "no capitals");
    expect(await session.sees("(1 comment: n2)")).toMatch(/→ send 1 comment[\s\S]*comment on n2 +no capitals/u);
    await comment("A1", "also for numbers");
    const both = await session.sees("(2 comments: n2, A1)");
    expect(both).toContain("→ send 2 comments");
    expect(both).toMatch(/\n {2}on n2: no capitals\s*\n {2}on A1: also for numbers\s*\n/u);
    session.type(KEYS.enter);
    await session.sees(/answered; go on[\s\S]*ready$/u);
    const app = await here.open();
    const { answer } = await app.api.query({ type: "question.show", id });
    await app.close();
    expect(answer).toEqual({ kind: "chosen", value: "edit", words: "On n2: no capitals\nOn A1: also for numbers" });
  });
});
