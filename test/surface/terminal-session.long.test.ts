/** `terminal-session.test.ts` goes on here with what takes longer. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { gitIn } from "../support/knowledge-project.ts";
import { KEYS, openHeadlessSession, type HeadlessOptions } from "../support/headless-session.ts";
import { type ScriptedProject } from "../support/scripted-project.ts";
import { FILES, MEND, END, project, task } from "./terminal-session.ts";

describe.each(["main", "full"] as const)("on the %s screen", (screen) => {
  const open = ({ dir, env }: Pick<ScriptedProject, "dir" | "env">, size?: HeadlessOptions) =>
    openHeadlessSession({ dir, env: { ...env, SYLK_TERMINAL_SCREEN: screen } }, size);

  test("a task is worked on below the eyes of its user and stays on the screen when it is over", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    expect(await session.sees(/verified[\s\S]*ready/u)).toContain("a + b");
    // A screen of its own scrolls by itself.
    if (screen === "full") session.type(KEYS.pageUp);
    const shown = await session.sees("› /task mend it");
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toContain("a + b");
    expect(shown.split("\n").filter((line) => line.startsWith("Sylk 0.0.0"))).toHaveLength(1);
  });

  test("Ctrl+C at a question stops the task, which can be gone on with", async () => {
    const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees("Allow it?");
    session.type(KEYS.interrupt);
    const stopped = await session.sees(/interrupted; go on with: \/resume[\s\S]*ready/u);
    expect(stopped).not.toContain("Allow it?");
    session.say("/tasks");
    await session.sees(/interrupted[\s\S]*mend it[\s\S]*ready/u);
  });

  test("/btw asks beside what works: it is answered at once, and the work goes on", async () => {
    const here = project(END);
    await using session = await open(here);
    await session.sees("ready");
    session.say("!echo begun; while [ ! -e go ]; do sleep 0.1; done; echo over");
    await session.sees("\nbegun\n");
    session.say("/btw where is add defined?");
    const shown = await session.sees(/btw where is add defined[\s\S]*add\.mjs/u);
    expect(shown).toContain("working");
    expect(shown).not.toContain("waits for its turn");
    writeFileSync(path.join(here.dir, "go"), "");
    await session.sees(/\nover\n[\s\S]*ready/u);
  });

  test("Escape twice goes back to a step of the last task that is chosen; it rests there and can be gone on with", async () => {
    const here = project({ name: "write_file", input: { path: "a.txt", content: "first\n" } }, MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees(/complete, verified[\s\S]*ready/u);
    session.type(KEYS.escape);
    await session.sees("Escape again goes back");
    session.type(KEYS.escape);
    const asked = await session.sees(/Back to where in[\s\S]*after step 2[\s\S]*after step 1[\s\S]*before the first step/u);
    expect(asked).toContain("mend it");
    for (const letter of "after step 1") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(/taken back: add\.mjs[\s\S]*ready/u);
    expect([readFileSync(path.join(here.dir, "add.mjs"), "utf8"), readFileSync(path.join(here.dir, "a.txt"), "utf8")]).toEqual([
      FILES["add.mjs"],
      "first\n",
    ]);
    session.say("/tasks");
    await session.sees(/paused[\s\S]*mend it[\s\S]*ready/u);
  });

  test("the line below the input tells the branch, how far it is and what this session spent", async () => {
    const here = project(MEND, { name: "run_command", input: { command: "printenv NOTHING; echo x" } }, END);
    gitIn(here.dir, "checkout", "-q", "-b", "feature/adding");
    await using session = await open(here);
    await session.sees(/no model chosen · feature\/adding · ready$/u);
    session.say(task(here));
    await session.sees("Allow it?");
    await session.sees(/feature\/adding · working, (?:step 2|needs you)$/u);
    session.type(KEYS.enter);
    expect(await session.sees(/no model chosen · \d+\.\dk tokens · feature\/adding · ready$/u)).toContain("verified");
  });

  test("what a second press would do is shown no longer than it would", async () => {
    await using session = await open(project(END));
    await session.sees("ready");
    session.type(KEYS.interrupt);
    await session.sees("Ctrl+C again leaves");
    expect(await session.sees("ready")).not.toContain("Ctrl+C again leaves");
    session.type(KEYS.interrupt);
    await session.sees("Ctrl+C again leaves");
    session.type(KEYS.interrupt);
    await session.ended;
  });

  test("Shift+Tab goes round what may be done without asking, and it counts from the next thing said", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    for (const mode of [
      "ask-edits",
      "accept-edits",
      "plan",
      "auto",
      "no model chosen · master · ready",
      "ask-edits",
      "accept-edits",
      "plan",
    ]) {
      session.type(KEYS.cycle);
      await session.sees(new RegExp(`${mode}[^\\n]*$`, "u"));
    }
    session.say(task(here));
    await session.sees(/its plan waits for your approval[\s\S]* · plan · ready$/u);
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
  });

  test("asking for edits: each is shown as a diff before it is written; a no with words is told to the agent, a yes writes it", async () => {
    const long = Array.from({ length: 60 }, (_v, line) => `line ${line + 1}`).join("\n");
    const here = project(
      MEND,
      { name: "write_file", input: { path: "long.txt", content: `${long}\n` } },
      { name: "edit_file", input: { path: "add.mjs", find: "a - b", replace: "b + a" } },
      END,
    );
    await using session = await open(here, { rows: 60 });
    await session.sees("ready");
    session.type(KEYS.cycle);
    await session.sees(/ask-edits[^\n]*$/u);
    session.say(task(here));
    const asked = await session.sees("Allow it?");
    expect(asked).toMatch(
      /wants to modify add\.mjs\n[\s\S]*│ -export const add = \(a, b\) => a - b;\s*\n\s*│ \+export const add = \(a, b\) => a \+ b;/u,
    );
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toBe(FILES["add.mjs"]);
    for (const letter of "deny") session.type(letter);
    session.type("\t");
    await session.sees("What should it know?");
    for (const letter of "b first") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(
      /the user refused, saying: b first[\s\S]*wants to create long\.txt[\s\S]*more lines; `expand` shows all[\s\S]*Allow it\?/u,
    );
    for (const letter of "expand") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(/│ \+line 60\s*\n[\s\S]*Allow it\?/u);
    for (const letter of "yes") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(/│ \+export const add = \(a, b\) => b \+ a;[\s\S]*Allow it\?/u);
    for (const letter of "yes") session.type(letter);
    session.type(KEYS.enter);
    await session.sees(/verified[\s\S]*ready/u);
    expect(readFileSync(path.join(here.dir, "add.mjs"), "utf8")).toContain("b + a");
    session.say("/tasks");
    await session.sees(/mend it[\s\S]*ready/u);
  });

  test("a program of the user's own tells its line; one that hangs, floods, fails or speaks to the terminal changes nothing else", async () => {
    const here = project(MEND, END);
    const with_ = (script: string) =>
      openHeadlessSession({ dir: here.dir, env: { ...here.env, SYLK_TERMINAL_SCREEN: screen, SYLK_TERMINAL_STATUS_COMMAND: script } });
    const facts = path.join(here.base, "facts");
    {
      await using session = await with_(`cat > ${facts}; printf 'my \\033]0;PWNED\\007 line\\nsecond\\n'`);
      expect(await session.sees(/my ␛\]0;PWNED␇ line\s*\nno model chosen · master · ready$/u)).not.toContain("second");
      expect(session.terminal.said).not.toContain("PWNED\u0007");
      expect(JSON.parse(readFileSync(facts, "utf8"))).toEqual({
        version: "0.0.0",
        session: expect.stringMatching(/^session_/u) as string,
        cwd: here.dir,
        model: null,
        mode: "default",
        branch: "master",
        request: null,
        task: null,
        step: null,
        tokens: 0,
        cost_usd: 0,
      });
      session.say(task(here));
      await session.sees(/verified[\s\S]*tokens · master · ready$/u);
    }
    for (const script of ["sleep 600", "yes 'no end' & wait", "echo wrong; exit 3", "/nowhere/at/all"]) {
      await using session = await with_(script);
      session.type("x");
      await session.sees(/x\s*\n─+\s*\nno model chosen · master · ready$/u);
    }
  });

  test("when somebody is needed the bell rings, the title says so and the desktop is told; not where the user wants none of it", async () => {
    const said = async (more: Record<string, string>): Promise<boolean[]> => {
      const here = project({ name: "run_command", input: { command: "printenv NOTHING; echo x" } }, MEND, END);
      await using session = await open({ ...here, env: { ...here.env, ...more } });
      await session.sees("ready");
      session.say(task(here));
      await session.sees("Allow it?");
      session.type(KEYS.enter);
      await session.sees(/verified[\s\S]*ready/u);
      const all = session.terminal.said;
      // What ends a title or a note is no bell.
      const bell = all.split("\u0007").some((before, i, parts) => i < parts.length - 1 && !before.includes("\u001b]"));
      return [
        bell,
        all.includes("\u001b]0;sylk: needs you\u0007"),
        all.includes("\u001b]9;sylk needs you: engineer: run printenv NOTHING"),
      ];
    };
    expect(await said({})).toEqual([true, true, true]);
    expect(await said({ SYLK_TERMINAL_NOTIFY: "false", SYLK_TERMINAL_TITLE: "false" })).toEqual([false, false, false]);
  });

  test("what was said in earlier sessions comes back with the arrow, and Ctrl+R finds it; lines are made by Ctrl+J, Shift+Enter and a backslash", async () => {
    const here = project(MEND, END);
    {
      await using session = await open(here);
      await session.sees("ready");
      session.say(task(here));
      await session.sees(/verified[\s\S]*ready/u);
    }
    await using session = await open(here);
    await session.sees("ready");
    session.type(KEYS.up);
    await session.sees(/─\n\/task mend it\s*\n─/u);
    session.type(KEYS.interrupt);
    session.say("/compact");
    await session.sees("nothing to compact");
    session.type("\u0012");
    await session.sees("What did you say?");
    for (const letter of "MEND") session.type(letter);
    await session.sees(/search: MEND\s*\n→ \/task mend it/u);
    session.type(KEYS.enter);
    await session.sees(/─\n\/task mend it\s*\n─/u);
    session.type(KEYS.interrupt);
    for (const letter of "one") session.type(letter);
    session.type("\n");
    for (const letter of "two") session.type(letter);
    session.type("\u001b[13;2u");
    for (const letter of "three\\") session.type(letter);
    session.type(KEYS.enter);
    for (const letter of "four") session.type(letter);
    expect(await session.sees(/four\s*\n─/u)).toMatch(/─\none\s*\ntwo\s*\nthree\s*\nfour\s*\n─/u);
  });

  test("/context tells what the last step's input was made of, and its parts add up", async () => {
    const here = project(MEND, END);
    await using session = await open(here);
    await session.sees("ready");
    session.say(task(here));
    await session.sees(/verified[\s\S]*ready/u);
    session.say("/context");
    const shown = await session.sees(/step 2: \d+ tokens in, estimated; [^\n]*counted \d+[\s\S]*message framing[\s\S]*ready/u);
    const whole = Number(/step 2: (\d+) tokens in/u.exec(shown)?.[1]);
    const parts = [...shown.slice(shown.indexOf("step 2:")).matchAll(/^ {2}[a-z ]+ (\d+) +\d+ %/gmu)].map(([, size]) => Number(size));
    expect(parts.length).toBeGreaterThan(4);
    expect(parts.reduce((sum, size) => sum + size, 0)).toBe(whole);
  });
});
