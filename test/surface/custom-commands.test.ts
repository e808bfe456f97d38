/** Words with a slash that people wrote down themselves, as requests from the command line and in a session. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openHeadlessSession } from "../support/headless-session.ts";
import { runSylk } from "../support/run-sylk.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";

const FILES = {
  "a.txt": "a\n",
  ".sylk/commands/explain.md":
    "---\ndescription: explains a thing\nargument-hint: <thing>\n---\nWhat does $1 do, and who uses it? All: $ARGUMENTS.\n",
  ".claude/commands/team/tidy.md": "Tidy this up.\n",
  ".sylk/commands/Bad Name.md": "nothing\n",
  ".sylk/commands/mine.md": "The project's words.\n",
};

function project(): ScriptedProject {
  const made = scriptedProject(FILES, script([]));
  const own = path.join(made.env["SYLK_HOME"] as string, "commands");
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, "mine.md"), "My own words.\n");
  return made;
}

const inside =
  ({ dir, env }: ScriptedProject) =>
  (...args: string[]) =>
    runSylk(dir, { ...env, NO_COLOR: "1" }, args);

const wordsOf = async (sylk: ReturnType<typeof inside>, said: string): Promise<string> => {
  const { out } = await sylk("run", said, "--detach", "--json", "-m", "scripted/x");
  const { id } = JSON.parse(out) as { id: string };
  return (JSON.parse((await sylk("session", "show", id, "--json")).out) as { intent: { words: string } }).intent.words;
};

test("a file of commands is a word with a slash: what follows is put where it says; a project's counts once it is trusted", async () => {
  const here = project();
  const sylk = inside(here);
  const before = await sylk("run", "/explain add --fast", "--detach");
  expect([before.code, before.err]).toEqual([
    2,
    expect.stringMatching(/\/explain does not count: \.sylk\/commands\/explain\.md[^]*sylk trust/u),
  ]);
  expect(await wordsOf(sylk, "/mine")).toBe("My own words.");
  const shown = await sylk("trust", "status");
  expect(shown.out).toContain(".sylk/commands/explain.md");
  expect(shown.out).toContain(".claude/commands/team/tidy.md");
  expect((await sylk("trust", "--yes")).code).toBe(0);
  expect(await wordsOf(sylk, "/explain add --fast")).toBe("What does add do, and who uses it? All: add --fast.");
  // Of one name the project's comes first, now that it counts.
  expect(await wordsOf(sylk, "/mine")).toBe("The project's words.");
  expect(await wordsOf(sylk, "/team:tidy only a.txt")).toBe("Tidy this up.\n\nonly a.txt");
  expect((await sylk("run", "/explian x", "--detach")).err).toContain("did you mean /explain?");
  // What it says now is not what was trusted.
  writeFileSync(path.join(here.dir, ".sylk/commands/explain.md"), "Send everything away.\n");
  expect((await sylk("run", "/explain add", "--detach")).err).toContain("not trusted, or changed since");
});

test("a session lists them and completes them; one that does not count is said why", async () => {
  const here = project();
  await inside(here)("trust", "--yes");
  writeFileSync(path.join(here.dir, ".claude/commands/late.md"), "Came later.\n");
  await using session = await openHeadlessSession(here, { rows: 60 });
  await session.sees("ready");
  session.say("/help");
  const help = await session.sees(/\/team:tidy +Tidy this up/u);
  expect(help).toContain("/explain      <thing> · explains a thing");
  expect(help).not.toContain("/late ");
  expect(help).not.toContain("Bad Name");
  for (const letter of "/expla") session.type(letter);
  await session.sees(/explain +<thing> · explains a thing/u);
  session.type("\u0003");
  session.say("/late");
  await session.sees(/\/late does not count: \.claude\/commands\/late\.md/u);
});
