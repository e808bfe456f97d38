/** The session as its user sees it: every assertion reads the screen. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { KEYS, openHeadlessSession, type HeadlessOptions } from "../support/headless-session.ts";
import { script, scriptedProject, type ScriptedProject } from "../support/scripted-project.ts";
import { FILES, MEND, END, project, task } from "./terminal-session.ts";

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = ({ dir, env }: Pick<ScriptedProject, "dir" | "env">, size?: HeadlessOptions) =>
    openHeadlessSession({ dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } }, size);

  test("the first frame has the name, the input and what is ready", async () => {
    await using session = await open(project(END));
    const shown = await session.sees("ready");
    const lines = shown.split("\n").map((line) => line.trimEnd().replace(/─+/u, "─"));
    // On a screen of its own the input stands at the bottom.
    expect(lines.length).toBe(screen === "full" ? 30 : 6);
    expect([...lines.slice(0, 2), ...lines.slice(-4)]).toEqual([
      "Sylk 0.0.0  a team of software agents that cannot forget",
      "say what you want · /help lists words · Esc stops · Ctrl+C twice leaves",
      "─",
      "",
      "─",
      "no model chosen · master · ready",
    ]);
  });

  test("the input is drawn whole before anything else is looked up", async () => {
    await using session = await open(project(END));
    // No timer has run yet: nothing that a session looks up has been answered.
    expect(session.terminal.said).toMatch(/Ctrl\+C twice leaves[\s\S]*─{20}[\s\S]*─{20}/u);
  });

  test("what needs a yes is asked in place, with the whole line; typed letters move to the answer", async () => {
    const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    expect(await session.sees("Allow it? Type")).toContain("printenv NOTHING; echo x");
    for (const letter of "no") session.type(letter);
    session.type(KEYS.enter);
    // The question goes, and what was answered stays where it was asked.
    expect(await session.sees(/verified[\s\S]*ready/u)).not.toContain("Allow it? Type");
    expect(session.terminal.said).toContain("? Allow it?  deny");
  });

  test("words that waited come back into the input when Escape stops what they were meant for, and nothing begins", async () => {
    const here = project(END);
    await using session = await open(here);
    await session.sees("ready");
    session.say("!echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over");
    await session.sees("\nbegun\n");
    session.say("mend it like that");
    await session.sees("waits for its turn: mend it like that");
    session.type(KEYS.escape);
    const shown = await session.sees(/stopping …[\s\S]*mend it like that[\s\S]*ready$/u);
    expect(shown).not.toContain("› mend it like that");
  });

  test("what completes speaks to no terminal: names of files and words of others that would are not offered, or marked", async () => {
    const here = scriptedProject({ "odd/plain.txt": "a\n", "odd/we\u001b]0;PWNED\u0007ird.txt": "b\n" }, script([END]));
    const own = path.join(here.env["SYLK_HOME"] as string, "commands");
    mkdirSync(own, { recursive: true });
    writeFileSync(path.join(own, "zest.md"), '---\ndescription: "a\\e]52;c;aGk=\\a b"\nargument-hint: "x\\u202Ey"\n---\nDo it.\n');
    await using session = await open(here);
    await session.sees("ready");
    for (const letter of "look at odd/") session.type(letter);
    session.type("\t");
    await session.sees("plain.txt");
    session.type(KEYS.escape);
    session.type(KEYS.interrupt);
    for (const letter of "/zest") session.type(letter);
    await session.sees(/zest +x‹U\+202E›y · a␛\]52/u);
    for (const raw of ["PWNED\u0007", "\u001b]52", "\u202E"]) expect(session.terminal.said).not.toContain(raw);
  });

  test("words with a slash: a near miss is told, what there is nothing of is said, and none becomes work", async () => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.say("/hlep");
    await session.sees("did you mean /help?");
    session.say("/compact");
    await session.sees("nothing to compact");
    session.say("/tasks");
    expect(await session.sees(/\/tasks[\s\S]*no task[\s\S]*ready/iu)).toContain("nothing to compact");
  });

  test("Ctrl+C empties the line first, then says how to leave, then leaves", async () => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.type("h");
    session.type("i");
    await session.sees("hi");
    session.type(KEYS.interrupt);
    session.type(KEYS.interrupt);
    await session.sees("Ctrl+C again leaves");
    session.type(KEYS.interrupt);
    await session.ended;
    expect(session.shown()).not.toContain("Ctrl+C again leaves");
  });

  test("ten columns, a storm of sizes and a paste of a megabyte with control characters: it stands and goes on", async () => {
    await using session = await open(project(END), { columns: 10, rows: 6 });
    await session.sees("no m");
    for (let i = 0; i < 50; i += 1) session.terminal.resize(10 + (i % 60), 6 + (i % 20));
    session.terminal.resize(80, 24);
    session.type(`\u001b[200~${"x\u0007\u009b31m".repeat(250_000)}\u001b[201~`);
    session.type(KEYS.interrupt);
    session.say("/compact");
    expect(await session.sees("nothing to compact")).not.toContain("\u009b");
  });

  test("a line with an exclamation mark runs as in a shell: its output comes as it is said, its end is told, Escape stops it", async () => {
    const here = project(END);
    await using session = await open({ ...here, env: { ...here.env, GREETING: "from my own shell" } });
    await session.sees("ready");
    session.say('!echo "$GREETING"; pwd; exit 3');
    const shown = await session.sees(/ended with 3[\s\S]*ready/u);
    expect(shown).toContain("\nfrom my own shell\n");
    expect(shown).toContain(`\n${here.dir}\n`);
    session.say("!echo begun; sleep 600");
    await session.sees("\nbegun\n");
    // Words that stand in the input stay there.
    session.type("half a sentence");
    session.type(KEYS.escape);
    await session.sees(/stopping …[\s\S]*half a sentence[\s\S]*ready/u);
  });

  test("a role that is named is asked: it looks, and nothing is changed", async () => {
    const here = scriptedProject(FILES, script([{ name: "complete", input: { summary: "add stands in add.mjs:1" } }]));
    await using session = await open({ ...here, env: { ...here.env, SYLK_LLM_DEFAULT_MODEL: here.rules } });
    await session.sees("ready");
    session.say("@librarian where is add?");
    await session.sees(/where is add\?[\s\S]*add stands in add\.mjs:1[\s\S]*ready/u);
    session.say("/tasks");
    await session.sees(/where is add/u);
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
  });
});
